//! `--shard K/N`: one of N pieces of the work, for as many machines.
//!
//! Pieces are contiguous and in order, so that what they print, put one after the other, is what one run prints.

use std::ops::Range;

/// The Kth of N pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// From 1.
    piece: u64,
    /// At least 1.
    pieces: u64,
}

impl Shard {
    /// `K/N`, 1 ≤ K ≤ N.
    ///
    /// # Errors
    /// Says what it must be.
    pub fn from_argument(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/');
        let numbers = numbers.and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?)));
        match numbers {
            Some((piece, pieces)) if 1 <= piece && piece <= pieces => Ok(Self { piece, pieces }),
            _ => Err("a shard is K/N, piece K of N, counted from 1".to_owned()),
        }
    }

    /// Which of so many jobs are in this piece, counted from 0. Every job is in exactly one piece, and the lengths of two pieces differ by at most one.
    pub fn of(self, jobs: u64) -> Range<u64> {
        let end = |pieces: u64| {
            let product = u128::from(jobs).saturating_mul(u128::from(pieces));
            let end = product.checked_div(u128::from(self.pieces)).unwrap_or(0);
            u64::try_from(end).unwrap_or(jobs)
        };
        end(self.piece.saturating_sub(1))..end(self.piece)
    }
}

/// Counts jobs as they come, and says which are to be done.
#[derive(Debug, Clone, Default)]
pub struct Turns {
    /// All of them, if it is none.
    wanted: Option<Range<u64>>,
    next: u64,
}

impl Turns {
    /// Those of a piece of so many jobs; all of them without a piece.
    pub fn new(shard: Option<Shard>, jobs: impl FnOnce() -> u64) -> Self {
        Self {
            wanted: shard.map(|shard| shard.of(jobs())),
            next: 0,
        }
    }

    /// Is the next job to be done?
    pub fn take(&mut self) -> bool {
        let number = self.next;
        self.next = self.next.saturating_add(1);
        self.wanted
            .as_ref()
            .is_none_or(|wanted| wanted.contains(&number))
    }

    /// Is any of the next jobs to be done?
    pub fn take_some(&mut self, jobs: impl FnOnce() -> u64) -> bool {
        let Some(wanted) = self.wanted.clone() else {
            return true;
        };
        let first = self.next;
        self.next = first.saturating_add(jobs());
        wanted.start < self.next && first < wanted.end && !wanted.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_job_is_in_one_piece_in_order() {
        for jobs in [0, 1, 2, 7, 100, u64::MAX] {
            for pieces in [1, 2, 3, 7, 8, 1000] {
                let mut next = 0;
                let mut lengths = Vec::new();
                for piece in 1..=pieces {
                    let text = format!("{piece}/{pieces}");
                    let range = Shard::from_argument(&text).unwrap().of(jobs);
                    assert_eq!(range.start, next, "{text} of {jobs}");
                    next = range.end;
                    lengths.push(range.end - range.start);
                }
                assert_eq!(next, jobs);
                let (least, most) = (lengths.iter().min(), lengths.iter().max());
                assert!(most.unwrap() - least.unwrap() <= 1);
            }
        }
    }

    #[test]
    fn turns_are_those_of_the_piece() {
        let shard = Shard::from_argument("2/3").unwrap();
        let mut turns = Turns::new(Some(shard), || 7);
        let taken: Vec<bool> = (0..8).map(|_| turns.take()).collect();
        let expected = [false, false, true, true, false, false, false, false];
        assert_eq!(taken, expected);
        let mut turns = Turns::new(Some(shard), || 7);
        let some: Vec<bool> = [2, 1, 1, 2].map(|jobs| turns.take_some(|| jobs)).to_vec();
        assert_eq!(some, [false, true, true, false]);
        let mut all = Turns::new(None, || unreachable!());
        assert!(all.take() && all.take_some(|| unreachable!()));
    }

    #[test]
    fn what_is_no_piece() {
        for text in [
            "", "1", "0/3", "4/3", "1/0", "-1/3", "a/b", "1/2/3", "1.0/2",
        ] {
            assert!(Shard::from_argument(text).is_err(), "{text}");
        }
    }
}
