//! What questions to come are expected to want of laws.

use rug::Rational;

use crate::plan::Wanted;

/// The narrowest of it.
#[derive(Clone)]
pub(super) struct Expected {
    pub(super) tail: Rational,
    pub(super) width: Rational,
    /// As [`Wanted`] has it, of the width.
    pub(super) spare: bool,
}

impl Expected {
    /// The narrower of both.
    pub(super) fn with(self, other: Self) -> Self {
        let narrower = if self.width < other.width {
            &self
        } else {
            &other
        };
        Self {
            spare: narrower.spare,
            width: narrower.width.clone(),
            tail: self.tail.clone().min(other.tail.clone()),
        }
    }

    /// What is wanted with what is expected, if a width is.
    pub(super) fn with_wanted(self, wanted: Wanted) -> Wanted {
        let Some(width) = wanted.width.clone() else {
            return wanted;
        };
        let all = self.with(Self {
            width,
            tail: wanted.tail.clone(),
            spare: wanted.spare,
        });
        Wanted {
            width: Some(all.width),
            tail: all.tail,
            spare: all.spare,
            ..wanted
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expected(tail: u32, width: u32, spare: bool) -> Expected {
        Expected {
            tail: Rational::from((1, tail)),
            width: Rational::from((1, width)),
            spare,
        }
    }

    /// What is to spare goes with the width that it was taken off.
    #[test]
    fn the_narrower_width_and_the_narrower_tail() {
        for (a, b) in [
            (expected(5, 100, false), expected(7, 90, true)),
            (expected(7, 90, true), expected(5, 100, false)),
        ] {
            let both = a.with(b);
            assert_eq!((both.tail, both.width), ((1, 7).into(), (1, 100).into()));
            assert!(!both.spare);
        }
        let wanted = |width: Option<u32>| Wanted {
            tail: Rational::from((1, 9)),
            width: width.map(|width| Rational::from((1, width))),
            spare: true,
            excess: None,
            steps: 3,
        };
        let tail = |n: u32| Rational::from((1, n));
        let found = expected(8, 100, false).with_wanted(wanted(Some(200)));
        assert!(found.spare && found.width == Some((1, 200).into()) && found.tail == tail(9));
        let found = expected(10, 300, false).with_wanted(wanted(Some(200)));
        assert!(!found.spare && found.width == Some((1, 300).into()) && found.tail == tail(10));
        let found = expected(10, 300, false).with_wanted(wanted(None));
        assert!(found.spare && found.width.is_none() && found.tail == tail(9));
    }
}
