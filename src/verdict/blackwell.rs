//! Which of two mechanisms is the more private, if either.

use crate::bounds::Enclosure;

/// The Blackwell order of two mechanisms: "A dominates B" says f_A ≤ f_B everywhere, so A is the more informative and the
/// **less private** (Kaissis et al. 2024, Theorem 1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blackwell {
    /// f_A ≤ f_B everywhere: B is at least as private everywhere.
    ADominates,
    /// f_B ≤ f_A everywhere: A is at least as private everywhere.
    BDominates,
    /// f_A = f_B.
    Equal,
    /// Each is the more private somewhere.
    Incomparable,
    /// The enclosures do not tell.
    Undecided,
}

/// Whether a divergence, which is never negative, is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// It is 0.
    Zero,
    /// It is not.
    Positive,
    /// Its enclosure begins at 0 and does not end there.
    Unknown,
}

impl Sign {
    /// What an enclosure says.
    pub fn of(divergence: &Enclosure) -> Self {
        if *divergence.upper() == 0 {
            Self::Zero
        } else if *divergence.lower() > 0 {
            Self::Positive
        } else {
            Self::Unknown
        }
    }
}

impl Blackwell {
    /// What is known of Δ(A‖B) and Δ(B‖A) says: A dominates B if and only if Δ(A‖B) = 0 (Kaissis et al. 2024,
    /// Corollary 1).
    pub fn of(a_to_b: Sign, b_to_a: Sign) -> Self {
        match (a_to_b, b_to_a) {
            (Sign::Zero, Sign::Zero) => Self::Equal,
            (Sign::Zero, _) => Self::ADominates,
            (_, Sign::Zero) => Self::BDominates,
            (Sign::Positive, Sign::Positive) => Self::Incomparable,
            _ => Self::Undecided,
        }
    }

    /// The word in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ADominates => "a-dominates",
            Self::BDominates => "b-dominates",
            Self::Equal => "equal",
            Self::Incomparable => "incomparable",
            Self::Undecided => "undecided",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rug::Float;

    #[test]
    fn an_end_at_zero_is_not_yet_zero() {
        let between = |low: f64, high: f64| {
            Enclosure::new(Float::with_val(53, low), Float::with_val(53, high)).unwrap()
        };
        let (zero, open, positive) = (between(0.0, 0.0), between(0.0, 1e-300), between(0.1, 0.2));
        for (there, back, expected) in [
            (&zero, &zero, Blackwell::Equal),
            (&zero, &positive, Blackwell::ADominates),
            (&zero, &open, Blackwell::ADominates),
            (&open, &zero, Blackwell::BDominates),
            (&positive, &positive, Blackwell::Incomparable),
            (&positive, &open, Blackwell::Undecided),
            (&open, &open, Blackwell::Undecided),
        ] {
            assert_eq!(Blackwell::of(Sign::of(there), Sign::of(back)), expected);
        }
    }
}
