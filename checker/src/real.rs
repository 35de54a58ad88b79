//! Real numbers as intervals of integers in units of 2^-288: + − × ÷ √ exp log and the normal tail.
//!
//! An interval [lo, hi] contains the number it stands for: every operation rounds lo down and hi up (`floor`, `ceil`
//! below are the only roundings), and every series adds an enclosure of the terms it leaves out. All else here is
//! choice of speed.

use std::cmp::Ordering;
use std::iter::Sum;

use num_integer::{Integer, Roots};

use crate::*;

/// The unit is 2^-288. Tests of the rounding make it larger ([`crate::coarse`]).
pub fn w() -> u32 {
    #[cfg(test)]
    let bits = crate::coarse::units().reals;
    #[cfg(not(test))]
    let bits = 288;
    bits
}

/// 100 decimals, cut off and without their point, of ½·log 2 and of √(2π).
const HALF_LN_2: &str =
    "3465735902799726547086160607290882840377500671801276270603400047466968109848473578029316634982093437";
const ROOT_OF_TWO_PI: &str =
    "25066282746310005024157652848110452530069867406099383166299235763422936546078419749465958383780572661";

/// An enclosure of a real number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Real {
    pub lo: BigInt,
    pub hi: BigInt,
}

fn floor(x: &BigInt) -> BigInt {
    x >> w()
}

/// ⌈x/2^W⌉
pub fn ceil(x: &BigInt) -> BigInt {
    ceil_shifted(x, w())
}

/// ⌈x/2^bits⌉: one more than ⌊x/2^bits⌋ where a lower bit is set.
pub fn ceil_shifted(x: &BigInt, bits: u32) -> BigInt {
    let whole = x >> bits;
    if x.trailing_zeros().is_some_and(|zeros| zeros < u64::from(bits)) { whole + 1 } else { whole }
}

impl Real {
    pub fn new(lo: BigInt, hi: BigInt) -> Self {
        Self { lo, hi }
    }

    /// Digits of 64 bits.
    fn digits(&self) -> u64 {
        5 + (self.lo.bits() + self.hi.bits()) / 128
    }

    pub fn of(x: &BigRational) -> Self {
        let (x, y) = (x.numer() << w(), x.denom());
        Self::new(x.div_floor(y), x.div_ceil(y))
    }

    pub fn int(x: impl Into<BigInt>) -> Self {
        Self::units(x.into() << w())
    }

    /// So many units, exactly.
    pub fn units(n: BigInt) -> Self {
        Self::new(n.clone(), n)
    }

    /// Both ends as fractions.
    pub fn ends(&self) -> (BigRational, BigRational) {
        (units(self.lo.clone(), w()), units(self.hi.clone(), w()))
    }

    /// From 0 to one unit.
    pub fn tiny() -> Self {
        Self::new(BigInt::zero(), BigInt::one())
    }

    pub fn plus(&self, y: &Self) -> Self {
        Self::new(&self.lo + &y.lo, &self.hi + &y.hi)
    }

    pub fn minus(&self, y: &Self) -> Self {
        Self::new(&self.lo - &y.hi, &self.hi - &y.lo)
    }

    pub fn neg(&self) -> Self {
        Self::new(-&self.hi, -&self.lo)
    }

    pub fn times(&self, y: &Self) -> Self {
        if !self.lo.is_negative() && !y.lo.is_negative() {
            return Self::new(floor(&(&self.lo * &y.lo)), ceil(&(&self.hi * &y.hi)));
        }
        let all = [&self.lo * &y.lo, &self.lo * &y.hi, &self.hi * &y.lo, &self.hi * &y.hi];
        let least = all.iter().min().cloned().unwrap_or_default();
        let most = all.iter().max().cloned().unwrap_or_default();
        Self::new(floor(&least), ceil(&most))
    }

    /// Divided by a positive number; an interval that reaches 0 is an error.
    pub fn over(&self, y: &Self) -> Result<Self> {
        Reason::Unproved.when(!y.lo.is_positive(), "a divisor is not proved to be positive")?;
        spend(self.digits().saturating_mul(y.digits()))?;
        let low = if self.lo.is_negative() { &y.lo } else { &y.hi };
        let high = if self.hi.is_negative() { &y.hi } else { &y.lo };
        Ok(Self::new((&self.lo << w()).div_floor(low), (&self.hi << w()).div_ceil(high)))
    }

    /// Divided by a small positive integer.
    fn over_int(&self, n: u64) -> Self {
        let n = BigInt::from(n);
        Self::new(self.lo.div_floor(&n), self.hi.div_ceil(&n))
    }

    /// √x for x ≥ 0: ⌊√(x·2^W)⌋ and one more.
    pub fn sqrt(&self) -> Result<Self> {
        Reason::Unproved.when(self.lo.is_negative(), "the root of a negative number")?;
        spend(self.digits().saturating_mul(self.digits()).saturating_mul(16))?;
        let root = |x: &BigInt| Roots::sqrt(&(x << w()));
        Ok(Self::new(root(&self.lo), root(&self.hi) + 1))
    }

    pub fn at_least_zero(&self) -> Self {
        self.larger(&Self::int(0))
    }

    /// The smaller of two numbers.
    pub fn smaller(&self, y: &Self) -> Self {
        Self::new(self.lo.clone().min(y.lo.clone()), self.hi.clone().min(y.hi.clone()))
    }

    /// The larger of two numbers.
    pub fn larger(&self, y: &Self) -> Self {
        Self::new(self.lo.clone().max(y.lo.clone()), self.hi.clone().max(y.hi.clone()))
    }

    /// The number, or the end of [least, most] on whose other side it is.
    pub fn within(&self, least: &Self, most: &Self) -> Self {
        self.larger(least).smaller(most)
    }

    /// |x|
    pub fn size(&self) -> Self {
        match (self.lo.is_negative(), self.hi.is_positive()) {
            (true, true) => Self::new(BigInt::zero(), self.hi.clone().max(-&self.lo)),
            (true, false) => self.neg(),
            _ => self.clone(),
        }
    }

    /// How two numbers compare, where that is certain; they are only known to be equal if both are known exactly.
    pub fn order(&self, y: &Self) -> Option<Ordering> {
        match (self.hi < y.lo, self.lo > y.hi) {
            (true, _) => Some(Ordering::Less),
            (_, true) => Some(Ordering::Greater),
            _ => (self.lo == self.hi && y.lo == y.hi).then_some(Ordering::Equal),
        }
    }

    /// The smallest interval that contains both.
    pub fn hull(&self, y: &Self) -> Self {
        Self::new(self.lo.clone().min(y.lo.clone()), self.hi.clone().max(y.hi.clone()))
    }

    /// ⌊x·2^bits⌋ of the lower end.
    pub fn floor_units(&self, bits: u32) -> BigInt {
        &self.lo >> (w() - bits)
    }

    /// ⌈x·2^bits⌉ of the upper end.
    pub fn ceil_units(&self, bits: u32) -> BigInt {
        ceil_shifted(&self.hi, w() - bits)
    }

    pub fn is_at_most(&self, x: &BigRational) -> bool {
        &self.hi * x.denom() <= x.numer() << w()
    }

    pub fn is_above(&self, x: &BigRational) -> bool {
        &self.lo * x.denom() > x.numer() << w()
    }

    /// e^x. With r = x/2^k, |r| ≤ 2^-8, the terms up to r^n/n! leave out at most 2|r|^(n+1)/(n+1)! < 2^-8(n+1);
    /// then k squarings. Below x = −220, 0 < e^x < 2^-W.
    pub fn exp(&self) -> Result<Self> {
        let limit = BigInt::from(16384) << w();
        if self.hi < -(BigInt::from(220) << w()) {
            return Ok(Self::tiny());
        }
        Reason::Limit.when(self.hi > limit || self.lo < -limit, "an exponent is beyond 16384")?;
        let size = self.lo.bits().max(self.hi.bits());
        let k = u32::try_from((size + 8).saturating_sub(u64::from(w()))).unwrap_or(0);
        let r = Self::new(&self.lo >> k, ceil_shifted(&self.hi, k));
        let n = u64::from(w() / 8);
        spend(10_000)?;
        let mut sum = Self::int(1);
        for i in (1..=n).rev() {
            sum = Self::int(1).plus(&sum.times(&r).over_int(i));
        }
        let mut power = Self::new(sum.lo - 1, sum.hi + 1);
        for _ in 0..k {
            spend(power.digits() * power.digits())?;
            power = power.times(&power);
        }
        Ok(power)
    }

    /// log x for x > 0, which increases: log hi ≤ log lo + (hi − lo)/lo.
    pub fn ln(&self) -> Result<Self> {
        Reason::Unproved.when(!self.lo.is_positive(), "the logarithm of a number not proved to be positive")?;
        let at = ln_point(&self.lo)?;
        let rise = Self::new(BigInt::zero(), &self.hi - &self.lo).over(&Self::units(self.lo.clone()))?;
        Ok(Self::new(at.lo, at.hi + rise.hi))
    }

    /// e^((y² − x²)/2)·P(Z > y), y > 0: φ(x) times Mills' ratio, which is ∫ e^(−yt)·e^(−t²/2) dt over t > 0. The second factor is between any two sums in turn of
    /// its Taylor series, so that the ratio is between those of (1 − 1/y² + 3/y⁴ − 15/y⁶ + …)/y.
    pub fn far_tail(x: &Self, y: &Self) -> Result<Self> {
        let inverse = Self::int(1).over(&y.times(y))?;
        let (mut sum, mut before, mut term) = (Self::int(1), Self::int(0), Self::int(1));
        for k in 0..98 {
            spend(250)?;
            term = term.times(&inverse).times(&Self::int(-2 * k - 1));
            (sum, before) = (sum.plus(&term), sum);
        }
        let density = x.times(x).over_int(2).neg().exp()?.over(&constant(ROOT_OF_TWO_PI)?)?;
        Ok(density.over(y)?.times(&sum.hull(&before)))
    }

    /// P(Z > x) for a standard normal Z. It decreases, by at most 0.4 times the increase of x (its density is below
    /// 0.4), so the value at the upper end encloses it up to 0.4·(hi − lo).
    pub fn normal_tail(&self) -> Result<Self> {
        let at = normal_tail_point(&self.hi)?;
        let spread = (&self.hi - &self.lo) * 2 / 5 + 1;
        Ok(Self::new(at.lo, at.hi + spread))
    }
}

impl Sum for Real {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::int(0), |sum, x| sum.plus(&x))
    }
}

/// log of x units: x = m·2^k with m in [3/4, 3/2), log x = log m + k·log 2, log 2 = 2·atanh(1/3).
fn ln_point(x: &BigInt) -> Result<Real> {
    let bits = i64::try_from(x.bits()).map_err(|_| Rejected::limit("a number is too long"))?;
    let mut k = bits - i64::from(w());
    if x.bits() > 1 && (x >> (x.bits() - 2)) == BigInt::from(2) {
        k -= 1; // leading bits 10: m in [1, 3/2)
    }
    let m = if k <= 0 {
        Real::units(x << u32::try_from(-k).unwrap_or(0))
    } else {
        let k = u32::try_from(k).unwrap_or(0);
        Real::new(x >> k, ceil_shifted(x, k))
    };
    let one = Real::int(1);
    let whole = Real::int(k).times(&constant(HALF_LN_2)?);
    let half = atanh(&m.minus(&one).over(&m.plus(&one))?)?.plus(&whole);
    Ok(half.plus(&half))
}

/// ½
pub fn half() -> Real {
    Real::int(1).over_int(2)
}

/// A constant of which 100 decimals are known: it is between these and one more in the last place.
fn constant(decimals: &str) -> Result<Real> {
    let scale = num_traits::pow(BigInt::from(10), 100);
    let digits: BigInt = decimals.parse().map_err(|_| Rejected::limit("the digits of a constant"))?;
    let next: BigInt = &digits + 1;
    Ok(Real::new((digits << w()).div_floor(&scale), (next << w()).div_ceil(&scale)))
}

/// atanh z = z + z³/3 + z⁵/5 + … for |z| ≤ 1/3; what follows z^(2n−1)/(2n−1) is at most |z|^(2n+1)·9/8/(2n+1). That is below 9^-n ≤ 2^-W
/// for n > W/3, and, where |z| < 2^-b, below 2^(−2bn) ≤ 2^-W for n > W/(2b).
fn atanh(z: &Real) -> Result<Real> {
    let square = z.times(z);
    let b = u64::from(w()).saturating_sub(z.lo.bits().max(z.hi.bits()));
    let n = 1 + u64::from(w()) / (2 * b).max(3);
    spend(20_000)?;
    let mut sum = Real::int(0);
    for i in (0..n).rev() {
        sum = Real::int(1).over_int(2 * i + 1).plus(&sum.times(&square));
    }
    let sum = sum.times(z);
    Ok(Real::new(sum.lo - 1, sum.hi + 1))
}

/// P(Z > x) = 1/2 − S(x)/(√(2π)·e^(x²/2)) with S(x) = x + x³/3 + x⁵/(3·5) + …, all terms of one sign. Once
/// 2k + 3 ≥ 2x² the terms at least halve, so what follows a term t is at most t. Beyond |x| = 21 the tail is below
/// e^(−x²/2) < 2^-W.
fn normal_tail_point(x: &BigInt) -> Result<Real> {
    if x.abs() > BigInt::from(21) << w() {
        return Ok(if x.is_negative() { Real::int(1).minus(&Real::tiny()) } else { Real::tiny() });
    }
    let size = Real::units(x.abs());
    let square = size.times(&size);
    let mut term = size;
    let mut sum = term.clone();
    let mut k: u64 = 0;
    loop {
        spend(250)?;
        term = term.times(&square).over_int(2 * k + 3);
        sum = sum.plus(&term);
        k += 1;
        if term.hi <= BigInt::one() && (BigInt::from(2 * k + 3) << w()) >= &square.hi * 2 {
            break;
        }
    }
    sum.hi += &term.hi;
    let middle = sum.over(&constant(ROOT_OF_TWO_PI)?.times(&square.over_int(2).exp()?))?;
    Ok(if x.is_negative() { half().plus(&middle) } else { half().minus(&middle) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::number;

    /// By mpmath, 90 digits rounded to nearest.
    const VALUES: &str = "
        exp 1 2.71828182845904523536028747135266249775724709369995957496696762772407663035354759457138218
        exp -30 9.35762296884017460491583222337870674495832268893588041641331861996084283376761687366563948e-14
        exp 1/3 1.39561242508608952862812531960258683759790651519940698261751670603173901564595184696978882
        exp 100 2.68811714181613544841262555158001358736111187737419224151916086152802870349095649141588711e+43
        exp -1/100000 9.99990000049999833333749999166668055553571431051584545858134918129711884050555926702999351e-1
        ln 2 6.93147180559945309417232121458176568075500134360255254120680009493393621969694715605863327e-1
        ln 1/1000000 -1.38155105579642741041079487281061852456066089317726378561999674058054356580641148814159832e+1
        ln 1000000007 2.07232658439464111316619232064926106014932500923922705094667354243740995536423227228735051e+1
        ln 3/2 4.05465108108164381978013115464349136571990423462494197614014324144100671248914251267752428e-1
        ln 3/4 -2.87682072451780927439219005993827431503509710897761056506665685349292950720780464338110899e-1
        ln 999999/1000000 -1.00000050000033333358333353333350000014285726785725396835396834487742821075513382656239323e-6
        tail 0 5.0e-1
        tail 1 1.58655253931457051414767454367962077522087033273395609012605549757008558012795170499115082e-1
        tail -2 9.77249868051820792799717362833466562528223776298321566016333999869523709647224251651730848e-1
        tail 6 9.86587645037698140700864132398042018669791249979028722477015216175465674242914168401203527e-10
        tail 13 6.11716439954987968227520977254407114511289152828936748606410334112456949870115200145570248e-39
        tail 41/2 1.07646732587909603353068665020212812467145862114393346013407496665323836440142200359111249e-93
        tail -20 9.99999999999999999999999999999999999999999999999999999999999999999999999999999999999999972e-1
        sqrt 2 1.41421356237309504880168872420969807856967187537694807317667973799073247846210703885038753
        sqrt 1/3 5.77350269189625764509148780501957455647601751270126876018602326483977672302933345693715396e-1
    ";

    const FAR: [(&str, &str, &str, &str); 4] = [
        (
            "1",
            "15",
            "0.016060621931556323662571556021947075622128758905861757880782056514774187916956599431424492510166",
            "1e-45",
        ),
        (
            "-3",
            "17",
            "0.00025980410558621032521897578695388094002235954354909375443460447755164704227164849531104705293261",
            "1e-50",
        ),
        (
            "0.8",
            "20.8",
            "0.01389550734106845677464297187115816912906812323077582639755980296377830619026345542359272081636",
            "1e-60",
        ),
        (
            "0.5",
            "400",
            "0.0008801578159931589178445142927372559891454188689598783020203789674197623526114132777607826056638",
            "1e-80",
        ),
    ];

    /// In units of any size a constant is in one of them, and that is around its decimals.
    #[test]
    fn constants_are_in_one_unit() {
        let scale = num_traits::pow(BigInt::from(10), 100);
        for units in [10, 24, 120, 288] {
            for decimals in [HALF_LN_2, ROOT_OF_TWO_PI] {
                let digits: BigInt = decimals.parse().unwrap();
                let found = crate::coarse::in_units(units, units, || constant(decimals)).unwrap();
                assert_eq!(&found.hi - &found.lo, BigInt::one());
                assert!(&found.lo * &scale <= &digits << units && &digits << units <= &found.hi * &scale);
            }
        }
    }

    #[test]
    fn functions_by_mpmath() {
        for row in VALUES.trim().lines() {
            let row: Vec<&str> = row.split_whitespace().collect();
            let [name, x, truth] = row.as_slice() else { panic!("{row:?}") };
            let x = Real::of(&number(x).unwrap());
            let found = match *name {
                "exp" => x.exp(),
                "ln" => x.ln(),
                "tail" => x.normal_tail(),
                _ => x.sqrt(),
            };
            let found = found.unwrap();
            let truth = number(truth).unwrap();
            // Half a unit of the last of 90 digits of `truth`, which is below 10^44.
            let slack = number("1e-45").unwrap();
            let slack = if truth < number("10").unwrap() { number("1e-88").unwrap() } else { slack };
            assert!(!found.is_above(&(&truth + &slack)), "{name} {x:?}");
            assert!(!found.is_at_most(&(truth - slack)), "{name} {x:?}");
            let width = &found.hi - &found.lo;
            assert!(width.bits() <= 24 || width.bits() + 240 < found.hi.bits(), "{name} {x:?}: {} bits", width.bits());
        }
    }

    /// e^((y² − x²)/2)·P(Z > y), by mpmath; and where tails are computed the same.
    #[test]
    fn far_tails_by_mpmath() {
        let real = |x: &str| Real::of(&number(x).unwrap());
        for (x, y, truth, digits) in FAR {
            let found = Real::far_tail(&real(x), &real(y)).unwrap();
            let (truth, slack) = (number(truth).unwrap(), number(digits).unwrap());
            assert!(!found.is_above(&truth) && !found.is_at_most(&truth), "{x} {y}");
            let width = BigRational::new(&found.hi - &found.lo, BigInt::one() << w());
            assert!(width < slack, "{x} {y}: {width}");
        }
        let (x, y) = (real("15"), real("16"));
        let near = x.minus(&y).times(&x.plus(&y)).over_int(2).neg().exp().unwrap().times(&y.normal_tail().unwrap());
        let far = Real::far_tail(&x, &y).unwrap();
        assert!(far.lo <= near.hi && near.lo <= far.hi);
    }

    /// An interval around a number gives an interval around its image.
    #[test]
    fn wide_arguments() {
        let wide = Real::of(&number("-0.5").unwrap()).hull(&Real::of(&number("0.75").unwrap()));
        for x in ["-0.5", "-0.1", "0", "0.3", "0.75"] {
            let x = Real::of(&number(x).unwrap());
            for (all, one) in [(wide.exp(), x.exp()), (wide.normal_tail(), x.normal_tail())] {
                let (all, one) = (all.unwrap(), one.unwrap());
                assert!(all.lo <= one.hi && one.lo <= all.hi);
                assert!(all.lo <= one.lo && one.hi <= all.hi || (&one.hi - &one.lo).bits() < 30);
            }
        }
    }
}
