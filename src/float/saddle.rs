//! Where vertical lines in the complex plane must stand to know a law at all its scales.

use super::factor::Cumulants;

/// A value of Re s with what the law tilted by it says.
pub(crate) type Tilt = (f64, Cumulants);

/// The last is centred at this share of the farthest.
const FAR_SHARE: f64 = 5.0 / 9.0;
/// Resources of Q and P at least this many standard deviations apart have lines between.
const APART: f64 = 4.0;
const MOST_LINES: usize = 40;

/// Where both lines know equally much; 0 between the lines on both sides of the poles.
pub(crate) fn seam(a: Tilt, b: Tilt) -> f64 {
    if a.0 < -1.0 && b.0 > 0.0 {
        // ε = 0 is served from above.
        return -f64::MIN_POSITIVE;
    }
    (b.1.log_total - a.1.log_total) / (b.0 - a.0)
}

/// Lines for all losses of probability above e^{−farthest}, in increasing order, each losing a relative accuracy of at most e^loss at
/// the ends of its stretch; `nearest` is −log of the tail mass at which the first line on either side is centred.
pub(crate) fn tilts(
    total: &dyn Fn(f64) -> Cumulants,
    (nearest, farthest): (f64, f64),
    loss: f64,
) -> Option<Vec<Tilt>> {
    let (under_q, under_p) = (total(0.0), total(-1.0));
    let sd = under_q.variance.min(under_p.variance).sqrt();
    if !(sd > 1e-100 && under_q.variance.max(under_p.variance) < 1e100) {
        return None;
    }
    let mut tilts = outward(total, -1.0, under_p, -1.0, (nearest, farthest));
    tilts.reverse();
    if (under_q.mean - under_p.mean) / sd > APART {
        tilts.push((-0.5, total(-0.5)));
    }
    tilts.extend(outward(total, 0.0, under_q, 1.0, (nearest, farthest)));
    let mut here = 0;
    while let (Some(a), Some(b)) = (tilts.get(here), tilts.get(here + 1)) {
        match between(total, (*a, *b), sd, (farthest, loss)) {
            Some(middle) if tilts.len() < MOST_LINES => tilts.insert(here + 1, middle),
            _ => here += 1,
        }
    }
    let are_both = tilts.first().is_some_and(|(c, _)| *c < -1.0)
        && tilts.last().is_some_and(|(c, _)| *c > 0.0);
    (are_both && tilts.len() < MOST_LINES).then_some(tilts)
}

/// A line between two that would lose too much where they meet.
fn between(
    total: &dyn Fn(f64) -> Cumulants,
    (a, b): (Tilt, Tilt),
    sd: f64,
    (farthest, loss): (f64, f64),
) -> Option<Tilt> {
    if a.0 < -1.0 && b.0 > 0.0 {
        return None;
    }
    let epsilon = seam(a, b);
    let c = (a.0 + b.0) / 2.0;
    if c.abs().min((c + 1.0).abs()) < 0.5 / sd {
        return None;
    }
    let at = total(c);
    let exponent = |c: f64, at: Cumulants| at.log_total - c * epsilon;
    let (meeting, best) = (exponent(a.0, a.1), exponent(c, at));
    let counts = meeting.max(meeting - epsilon) > -farthest;
    (meeting - best > loss && counts).then_some((c, at))
}

/// The tilts at which the mean lies where the law tilted by `from` has a tail of e^{−level}, in one direction.
fn outward(
    total: &dyn Fn(f64) -> Cumulants,
    from: f64,
    start: Cumulants,
    direction: f64,
    (nearest, farthest): (f64, f64),
) -> Vec<Tilt> {
    let mut found = Vec::new();
    for wanted in [nearest, farthest * FAR_SHARE] {
        let level = |distance: f64| {
            let c = from + direction * distance;
            let at = total(c);
            let level = (c - from) * at.mean - (at.log_total - start.log_total);
            (level, (c, at))
        };
        let (mut low, mut high) = (0.0, f64::INFINITY);
        let mut distance = f64::sqrt(2.0 * wanted / start.variance);
        for _ in 0..80 {
            let (reached, tilt) = level(distance);
            if reached > 0.8 * wanted && reached < 1.25 * wanted {
                found.push(tilt);
                break;
            }
            if reached < wanted {
                low = distance;
            } else {
                // Too far, or beyond f64.
                high = distance;
            }
            distance = if high < f64::INFINITY {
                if low > 0.0 {
                    (low * high).sqrt()
                } else {
                    high / 2.0
                }
            } else {
                2.0 * low
            };
        }
    }
    found
}
