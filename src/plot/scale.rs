//! Linear and logarithmic axes: where a value lies, and which values are written beside the axis.

use crate::float::elementary::{exp, ln, log10, pow};

/// How values are spaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Evenly.
    Linear,
    /// By their logarithm; what is not above 0 lies below every axis.
    Log,
}

/// One axis of a panel.
#[derive(Debug, Clone)]
pub struct Axis {
    /// What it shows, with its unit.
    pub label: String,
    /// How it is spaced.
    pub scale: Scale,
    /// The first value.
    pub low: f64,
    /// The last value.
    pub high: f64,
    /// What is written beside it instead of values.
    pub names: Option<Vec<Tick>>,
    /// What is written on its other side.
    pub opposite: Vec<Tick>,
}

/// A value written beside an axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Tick {
    /// The value.
    pub value: f64,
    /// As it is written.
    pub text: String,
}

/// No axis begins below: what is smaller is drawn at its lower end.
pub const LEAST: f64 = 1e-300;

impl Axis {
    /// An axis from `low` to `high`, widened where that is no range, so that a curve that is a point has a place.
    pub fn new(label: &str, scale: Scale, low: f64, high: f64) -> Self {
        let (low, high) = match scale {
            Scale::Linear => widened(low, high),
            Scale::Log => {
                let low = if low.is_finite() {
                    low.max(LEAST)
                } else {
                    LEAST
                };
                let high = if high.is_finite() { high.max(low) } else { low };
                if high / low < 1.5 {
                    (low / 3.0, high * 3.0)
                } else {
                    (low, high)
                }
            }
        };
        Self {
            label: label.to_owned(),
            scale,
            low,
            high,
            names: None,
            opposite: Vec::new(),
        }
    }

    /// An axis with a row for each of these, the first at the top: what stands on its left, and on its right.
    pub fn rows(rows: &[(String, String)]) -> Self {
        let count = rows.len();
        let ticks = |side: fn(&(String, String)) -> &String| {
            let ticks = rows.iter().enumerate().map(|(row, words)| Tick {
                value: Self::row(row, count),
                text: side(words).clone(),
            });
            ticks.collect()
        };
        Self {
            names: Some(ticks(|(name, _)| name)),
            opposite: ticks(|(_, value)| value),
            ..Self::new("", Scale::Linear, 0.0, count.max(1) as f64)
        }
    }

    /// The value at which a row of so many lies.
    pub fn row(row: usize, count: usize) -> f64 {
        count as f64 - row as f64 - 0.5
    }

    /// Makes room for a value and what is written beside it.
    pub fn reach(&mut self, value: f64) {
        if !value.is_finite() || (self.scale == Scale::Log && value <= 0.0) {
            return;
        }
        let share = match self.scale {
            Scale::Linear => (value - self.low) / (self.high - self.low),
            Scale::Log => ln(value / self.low) / ln(self.high / self.low),
        };
        if share > 1.0 {
            self.high = self.at(share * 1.04);
        } else if share < 0.0 {
            self.low = self.at(share - 0.04).max(if self.scale == Scale::Log {
                LEAST
            } else {
                f64::MIN
            });
        }
    }

    /// Where a value lies: 0 at the first, 1 at the last; a little outside for what is beyond.
    pub fn share(&self, value: f64) -> f64 {
        let value = if value.is_nan() { self.low } else { value };
        let share = match self.scale {
            Scale::Linear => (value - self.low) / (self.high - self.low),
            Scale::Log if value <= 0.0 => -1.0,
            Scale::Log => ln(value / self.low) / ln(self.high / self.low),
        };
        if share.is_nan() {
            0.0
        } else {
            share.clamp(-0.08, 1.08)
        }
    }

    /// The value at a share of the axis.
    pub fn at(&self, share: f64) -> f64 {
        match self.scale {
            Scale::Linear => self.low + (self.high - self.low) * share,
            Scale::Log => self.low * exp(ln(self.high / self.low) * share),
        }
    }

    /// At most about `most` round values.
    pub fn ticks(&self, most: usize) -> Vec<Tick> {
        if let Some(names) = &self.names {
            return names.clone();
        }
        match self.scale {
            Scale::Linear => linear_ticks(self.low, self.high, most),
            Scale::Log => log_ticks(self.low, self.high, most),
        }
    }
}

fn widened(low: f64, high: f64) -> (f64, f64) {
    let finite = |x: f64, other: f64| if x.is_finite() { x } else { other };
    let (low, high) = (finite(low, 0.0), finite(high, finite(low, 0.0)));
    if high - low > 1e-9 * low.abs().max(high.abs()) {
        return (low, high);
    }
    if low == 0.0 {
        return (0.0, 1.0);
    }
    let room = low.abs() * 0.5;
    (low - room, low + room)
}

/// Multiples of 1, 2 or 5 times a power of ten.
fn linear_ticks(low: f64, high: f64, most: usize) -> Vec<Tick> {
    let rough = (high - low) / most.max(1) as f64;
    let power = pow(10f64, log10(rough).floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|factor| factor * power)
        .find(|step| *step >= rough * 0.999)
        .unwrap_or(10.0 * power);
    let first = (low / step - 1e-6).ceil() as i64;
    let last = (high / step + 1e-6).floor() as i64;
    (first..=last.min(first.saturating_add(100)))
        .map(|count| {
            let value = count as f64 * step;
            Tick {
                value,
                text: fixed(value, step, low.abs().max(high.abs())),
            }
        })
        .collect()
}

/// A multiple of a step, with as many digits as the step needs.
fn fixed(value: f64, step: f64, size: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let place = log10(step).floor();
    if !(1e-4..1e6).contains(&size) {
        let digits = (log10(value.abs()).floor() - place).clamp(0.0, 15.0) as usize;
        return format!("{value:.digits$e}").replace('-', "−");
    }
    let digits = (-place).clamp(0.0, 12.0) as usize;
    format!("{value:.digits$}").replace('-', "−")
}

/// Powers of ten, as many as fit; within less than two decades their multiples too.
fn log_ticks(low: f64, high: f64, most: usize) -> Vec<Tick> {
    let (first, last) = (log10(low), log10(high));
    let decades = last - first;
    if decades < 0.7 {
        return linear_ticks(low, high, most);
    }
    let factors: &[f64] = if decades <= 2.0 {
        &[1.0, 2.0, 5.0]
    } else {
        &[1.0]
    };
    let stride = [1i64, 2, 5, 10, 20, 50, 100]
        .into_iter()
        .find(|stride| decades / *stride as f64 <= most as f64)
        .unwrap_or(100);
    let mut ticks = Vec::new();
    for exponent in (first.floor() as i64)..=(last.ceil() as i64) {
        if exponent.rem_euclid(stride) != 0 {
            continue;
        }
        for factor in factors {
            let log = exponent as f64 + log10(*factor);
            if log >= first - 1e-9 && log <= last + 1e-9 {
                ticks.push(Tick {
                    value: pow(10f64, log),
                    text: power(*factor, exponent),
                });
            }
        }
    }
    ticks
}

fn power(factor: f64, exponent: i64) -> String {
    match exponent {
        -2..=3 => {
            let digits = (-exponent).max(0) as usize;
            format!("{:.digits$}", factor * pow(10f64, exponent as f64))
        }
        _ if factor == 1.0 => format!("10{}", superscript(exponent)),
        _ => format!("{factor}·10{}", superscript(exponent)),
    }
}

/// A whole number as an exponent.
fn superscript(number: i64) -> String {
    let raised = |c: char| match c {
        '-' => '⁻',
        '0' => '⁰',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '4' => '⁴',
        '5' => '⁵',
        '6' => '⁶',
        '7' => '⁷',
        '8' => '⁸',
        '9' => '⁹',
        other => other,
    };
    number.to_string().chars().map(raised).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(axis: &Axis) -> Vec<String> {
        axis.ticks(6).into_iter().map(|tick| tick.text).collect()
    }

    #[test]
    fn ticks_are_round() {
        let axis = |scale, low, high| texts(&Axis::new("", scale, low, high));
        assert_eq!(
            axis(Scale::Linear, 0.0, 1.0),
            ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]
        );
        assert_eq!(axis(Scale::Linear, 0.0, 10.5).first().unwrap(), "0");
        assert_eq!(axis(Scale::Linear, 0.0, 1e-30)[1], "2e−31");
        assert_eq!(
            axis(Scale::Log, 1e-10, 1.0),
            ["10⁻¹⁰", "10⁻⁸", "10⁻⁶", "10⁻⁴", "0.01", "1"]
        );
        assert_eq!(axis(Scale::Log, 1e-2, 1.0).len(), 7);
    }

    #[test]
    fn nothing_is_not_a_number_and_no_range_is_empty() {
        let strange = [
            0.0,
            1.0,
            -1.0,
            1e-30,
            1e300,
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
        ];
        for scale in [Scale::Linear, Scale::Log] {
            for low in strange {
                for high in strange {
                    let axis = Axis::new("", scale, low, high);
                    assert!(axis.low < axis.high, "{scale:?} {low} {high}: {axis:?}");
                    assert!(axis.ticks(6).len() <= 101);
                    for value in strange {
                        assert!(axis.share(value).is_finite());
                    }
                }
            }
        }
    }
}
