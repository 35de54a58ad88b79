//! One representation of a mechanism: its tightest parameter, rounded to the safe side, and the regret of stating that.

use rug::Rational;

use crate::analysis::Answer;
use crate::bounds::{GdpForm, Target};
use crate::kernel::{Failure, InvariantViolation};
use crate::mechanism::{Adjacency, Mechanism, OutOfRange};
use crate::number::{float_up, parse_rational};
use crate::statement::Query;

/// What kind of statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// ε-DP.
    PureDp,
    /// (ε, δ)-DP at this δ.
    ApproxDp {
        /// The δ.
        delta: Rational,
    },
    /// ρ-zCDP.
    Zcdp,
    /// μ-GDP.
    Gdp(GdpForm),
}

/// A representation of one mechanism.
#[derive(Debug, Clone)]
pub struct Representation {
    /// What kind of statement.
    pub kind: Kind,
    /// The tightest parameter of which the statement is true.
    pub parameter: Answer,
    /// The parameter as it may be stated.
    pub stated: Stated,
    /// Δ(M‖all mechanisms with the parameter stated), for μ-GDP up to a tolerance or above an error floor Δ(M‖G_μ); `None` where no
    /// parameter is known.
    pub regret: Option<Answer>,
}

/// A parameter as it may be stated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stated {
    /// This number, rounded up: true of the mechanism.
    Number(Rational),
    /// The statement is true for no finite parameter.
    Nothing,
    /// No number is known for which the statement is true; there may be one.
    Unknown,
}

/// Significant digits of a number stated.
const DIGITS: usize = 6;

impl Kind {
    /// The quantity that is the tightest parameter.
    pub fn query(&self) -> Result<Query, OutOfRange> {
        match self {
            Self::PureDp => Ok(Query::max_loss()),
            Self::ApproxDp { delta } => Query::epsilon(delta),
            Self::Zcdp => Ok(Query::zcdp_rho()),
            Self::Gdp(form) => Query::gdp_mu_as(form.clone()),
        }
    }

    /// The mechanism that dominates all for which the statement with this parameter holds.
    fn class(&self, parameter: Rational) -> Result<Mechanism, OutOfRange> {
        match self {
            Self::PureDp => Mechanism::pure_dp(parameter),
            Self::ApproxDp { delta } => Mechanism::approx_dp(parameter, delta.clone()),
            Self::Zcdp => Mechanism::zcdp(parameter),
            Self::Gdp(_) => Mechanism::gdp(parameter),
        }
    }
}

/// The tightest parameter to the width asked for, and the regret of stating it.
///
/// Ensures: the statement with the parameter stated is true of the mechanism; the regret is of that statement, not of the
/// tightest one. Where no finite parameter will do, nothing is stated, which is blatant non-privacy, and the regret is
/// R* = Δ(M‖blatant non-privacy) (Kaissis et al. 2024, Lemma 4).
///
/// `ask` answers a question about the mechanism to a width.
///
/// # Errors
/// Those of `ask`; or if dpcmp contradicts itself.
pub fn represent(
    kind: Kind,
    widths: &Widths,
    ask: &dyn Fn(&Query, &Target) -> Result<Answer, Failure>,
) -> Result<Representation, Failure> {
    let parameter = ask(&kind.query()?, &widths.parameter)?;
    let stated = stated(&parameter)?;
    let query = match &stated {
        Stated::Number(number) => {
            let class = kind.class(number.clone())?;
            Some(Query::delta_divergence(class, Adjacency::AddRemove))
        }
        Stated::Nothing => Some(Query::minimax_risk()),
        Stated::Unknown => None,
    };
    let regret = query.map(|query| regret(&query, &widths.regret, ask));
    let regret = regret.transpose()?;
    Ok(Representation {
        kind,
        parameter,
        stated,
        regret,
    })
}

/// A regret of at most twice this, a hundredth of what matters, is known as well as one of that size.
const GLANCE: (u32, u32) = (1, 10_000);

/// To the width asked for, of the regret or of a small one, whichever is wider. A large one is known well enough at a glance.
fn regret(
    query: &Query,
    width: &Target,
    ask: &dyn Fn(&Query, &Target) -> Result<Answer, Failure>,
) -> Result<Answer, Failure> {
    let small = Rational::from(GLANCE) * 2u32;
    if let Target::Relative(share) = width {
        let glance = ask(query, &Target::Absolute(Rational::from(GLANCE)))?;
        // Of a large regret the width asked for is wider than that of the glance.
        let least = glance.enclosure.lower().to_rational();
        let is_large = least.is_some_and(|least| least * share >= Rational::from(GLANCE));
        if is_large && glance.enclosure.meets(width) {
            return Ok(glance);
        }
        if *glance.enclosure.upper() <= small {
            return ask(query, &Target::Absolute(small * share));
        }
    }
    ask(query, width)
}

/// How narrow numbers are to be.
#[derive(Debug, Clone)]
pub struct Widths {
    /// Of a parameter.
    pub parameter: Target,
    /// Of its regret; of a small one, as wide as of one of 2e-4.
    pub regret: Target,
}

/// The upper end rounded up, but not below 0: no statement has a negative parameter.
pub(super) fn stated(parameter: &Answer) -> Result<Stated, InvariantViolation> {
    let enclosure = &parameter.enclosure;
    if enclosure.lower().is_infinite() && !enclosure.lower().is_sign_negative() {
        return Ok(Stated::Nothing);
    }
    if enclosure.upper().is_infinite() {
        return Ok(if enclosure.upper().is_sign_negative() {
            Stated::Number(Rational::new())
        } else {
            Stated::Unknown
        });
    }
    if let Some(exact) = enclosure.exact().filter(|value| is_short(value)) {
        return Ok(Stated::Number(exact.clone().max(Rational::new())));
    }
    let number = parse_rational(&float_up(enclosure.upper(), DIGITS))
        .map_err(|_| InvariantViolation("a rounded number cannot be read back".into()))?;
    if enclosure.upper() > &number {
        return Err(InvariantViolation(
            "a parameter was not rounded up".to_owned(),
        ));
    }
    Ok(Stated::Number(number.max(Rational::new())))
}

/// Is a number written with no more digits than a rounded one?
fn is_short(value: &Rational) -> bool {
    crate::number::decimal_down(value, DIGITS) == crate::number::decimal_up(value, DIGITS)
}

#[cfg(test)]
mod tests {
    use rug::Float;

    use super::*;
    use crate::analysis::{Ending, Goal, Method, Resources, Subject};
    use crate::bounds::Enclosure;
    use crate::kernel::coarse::{Random, few_bits};
    use crate::kernel::{Budget, Pick};
    use crate::summary::{Advice, advise};

    fn found(lower: Float, upper: Float) -> Answer {
        Answer {
            enclosure: Enclosure::new(lower, upper).unwrap(),
            method: Method::ClosedForm,
            ending: Ending::Reached,
            witness: None,
        }
    }

    fn float(x: f64) -> Float {
        Float::with_val(80, x)
    }

    #[test]
    fn parameters_are_rounded_up() {
        let number = |low, high| stated(&found(float(low), float(high))).unwrap();
        let is = |n, d| Stated::Number(Rational::from((n, d)));
        assert_eq!(number(1.0, 1.565_317), is(156_532, 100_000));
        assert_eq!(number(1.0, 1.25), is(5, 4));
        let exact = Answer {
            enclosure: Enclosure::exactly(Rational::from((1, 10)), 64),
            ..found(float(0.0), float(1.0))
        };
        assert_eq!(stated(&exact).unwrap(), is(1, 10));
        assert_eq!(number(-2.0, -1e-5), is(0, 1));
        assert_eq!(number(1.0, f64::INFINITY), Stated::Unknown);
        assert_eq!(number(f64::INFINITY, f64::INFINITY), Stated::Nothing);
        assert_eq!(number(f64::NEG_INFINITY, f64::NEG_INFINITY), is(0, 1));
        // Nothing is said where the upper end is not known, whatever the lower one is.
        assert_eq!(number(f64::NEG_INFINITY, f64::INFINITY), Stated::Unknown);
        assert_eq!(number(-2.0, f64::INFINITY), Stated::Unknown);
        // An exact number with more digits than are stated.
        let third = Answer {
            enclosure: Enclosure::exactly(Rational::from((1, 3)), 64),
            ..found(float(0.0), float(1.0))
        };
        assert_eq!(stated(&third).unwrap(), is(333_334, 1_000_000));
    }

    /// A regret that is only perhaps small is no advice.
    #[test]
    fn a_regret_that_may_be_large_is_not_relied_on() {
        let with = |low, high| Representation {
            kind: Kind::Gdp(GdpForm::Strict),
            parameter: found(float(1.0), float(1.0)),
            stated: Stated::Number(Rational::from(1)),
            regret: Some(found(float(low), float(high))),
        };
        assert!(matches!(advise(&[with(0.001, 0.009)]), Advice::Gdp(_)));
        assert!(matches!(
            advise(&[with(0.001, 0.02)]),
            Advice::Profile(Some(_))
        ));
    }

    /// Every mechanism is 12.8-GDP up to 1e-10.
    #[test]
    fn what_says_nothing_is_no_advice() {
        let up_to = |mu: u32| Representation {
            kind: Kind::Gdp(GdpForm::Tolerance(Rational::from((1, 10_000_000_000u64)))),
            parameter: found(float(1.0), float(1.0)),
            stated: Stated::Number(Rational::from((mu, 10))),
            regret: Some(found(float(0.0), float(0.0))),
        };
        assert!(matches!(advise(&[up_to(127)]), Advice::Gdp(_)));
        assert!(matches!(advise(&[up_to(128)]), Advice::Profile(None)));
    }

    fn all(mechanism: &str) -> Vec<Representation> {
        let file = crate::input::mechanism_from_bytes("test", mechanism.as_bytes()).unwrap();
        let budget = Budget::unlimited();
        let resources = Resources {
            budget: &budget,
            jobs: 1,
            progress: &|_| {},
        };
        let subject = Subject::new(&file.mechanism, file.adjacency, &budget).unwrap();
        let delta = Rational::from((1, 100_000));
        let kinds = [
            Kind::Gdp(GdpForm::Strict),
            Kind::PureDp,
            Kind::ApproxDp { delta },
        ];
        let width = Target::Relative(Rational::from((1, 100_000)));
        let widths = Widths {
            parameter: width.clone(),
            regret: width,
        };
        let ask = |quantity: &Query, width: &Target| {
            subject.answer(quantity, &Goal::Width(width.clone()), &resources)
        };
        kinds
            .into_iter()
            .map(|kind| represent(kind, &widths, &ask).unwrap())
            .collect()
    }

    fn is_near(representation: &Representation, percent: f64) -> bool {
        let regret = &representation.regret.as_ref().unwrap().enclosure;
        (regret.lower().to_f64() * 100.0 - percent).abs() < 0.01
    }

    /// Gomez et al. 2025, Figure 1c: 3.43, 3.42 and 3.70 % for Laplace noise.
    #[test]
    fn laplace_as_in_the_paper() {
        let [gdp, pure, approx] = all(r#"{"kind": "laplace", "scale": 1}"#)
            .try_into()
            .unwrap();
        assert_eq!(pure.stated, Stated::Number(Rational::from(1)));
        assert!(is_near(&gdp, 3.70) && is_near(&pure, 3.43) && is_near(&approx, 3.43));
        let representations = [gdp, pure, approx];
        assert!(matches!(advise(&representations), Advice::Profile(Some(_))));
    }

    /// Propositions 6.1 and 6.2 of Gomez et al. 2025.
    #[test]
    fn where_gdp_is_no_use() {
        let response = all(r#"{"kind": "randomized-response", "epsilon": 1}"#);
        assert!(is_near(&response[0], 5.75));
        assert!(matches!(advise(&response), Advice::Other(r) if r.kind == Kind::PureDp));
        let approx = all(r#"{"kind": "approx-dp", "epsilon": 1, "delta": "1e-6"}"#);
        assert_eq!(approx[0].stated, Stated::Nothing);
        assert_eq!(approx[1].stated, Stated::Nothing);
        // R* = (1 − δ)/(e + 1).
        assert!(is_near(&approx[0], 26.894));
    }

    #[test]
    fn a_gaussian_is_its_own_representation() {
        let gaussian = all(r#"{"kind": "gaussian", "sigma": 2}"#);
        assert_eq!(gaussian[0].stated, Stated::Number(Rational::from((1, 2))));
        assert!(
            matches!(advise(&gaussian), Advice::Gdp(r) if r.kind == Kind::Gdp(GdpForm::Strict))
        );
    }

    /// The number stated is no less than any of the enclosure, nor than 0, and more by a unit of its last digit at most; a short exact one is stated as it is.
    #[test]
    fn parameters_of_few_bits_are_rounded_up() {
        let mut random = Random(61);
        for _ in 0..14_000 {
            let bits = few_bits(&mut random) * 3;
            let (x, y) = (random.float(bits), random.float(bits));
            let below = 1 + random.below(40);
            let exact = x.to_rational().unwrap() / below;
            let (enclosure, most) = match random.below(3) {
                0 => (Enclosure::exactly(exact.clone(), bits), exact.clone()),
                _ => {
                    let enclosure = Enclosure::new(x.clone().smaller(&y), x.larger(&y)).unwrap();
                    let upper = enclosure.upper().to_rational().unwrap();
                    (enclosure, upper)
                }
            };
            let is_known = enclosure.exact().is_some();
            let end = enclosure.upper().to_rational().unwrap();
            let answer = Answer {
                enclosure,
                ..found(float(0.0), float(1.0))
            };
            let Stated::Number(number) = stated(&answer).unwrap() else {
                panic!("{answer:?}")
            };
            assert!(number >= most && number >= 0, "{answer:?} {number}");
            let slack = Rational::from(end.abs_ref()) / 50_000u32;
            assert!(number == 0 || number <= &end + slack, "{answer:?} {number}");
            let is_stated = parse_rational(&float_up(
                &Float::with_val_round(80, &number, rug::float::Round::Down).0,
                DIGITS,
            ));
            assert_eq!(is_stated.unwrap(), number);
            // As many digits as its shortest text has.
            let digits = crate::number::exact(&exact);
            let digits = digits
                .chars()
                .filter(char::is_ascii_digit)
                .skip_while(|c| *c == '0');
            let has_few =
                !crate::number::exact(&exact).contains(['/', 'e']) && digits.count() <= DIGITS;
            assert!(!has_few || is_short(&exact), "{exact}");
            if is_known && is_short(&exact) {
                assert_eq!(number, exact.max(Rational::new()));
            }
        }
    }
}
