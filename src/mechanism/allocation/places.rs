//! Where the points of a measure lie: multiples of 2^shell units, fine around the bulk and coarser farther away.

use rug::Integer;

use crate::kernel::Failure;

/// Entries at consecutive multiples of 2^shell units; none anywhere else.
#[derive(Debug, Clone)]
pub(super) struct Row<T> {
    pub(super) first: u64,
    pub(super) entries: Vec<T>,
}

/// A row is never longer than this.
const MOST_ENTRIES: usize = 1 << 22;

impl<T> Row<T> {
    pub(super) const EMPTY: Self = Self {
        first: 0,
        entries: Vec::new(),
    };

    /// Indices and entries.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, &T)> {
        (self.first..).zip(&self.entries)
    }
}

impl<T: Default> Row<T> {
    /// The row of these entries; those of one index are joined.
    ///
    /// # Errors
    /// If it would be too long, as those of billions of steps are: what is known without the law is the answer, as if the time had ended.
    pub(super) fn of(entries: Vec<(u64, T)>, join: impl Fn(&mut T, T)) -> Result<Self, Failure> {
        let indices = || entries.iter().map(|(index, _)| *index);
        let (Some(first), Some(last)) = (indices().min(), indices().max()) else {
            return Ok(Self::EMPTY);
        };
        let place = |index: u64| usize::try_from(index.saturating_sub(first)).unwrap_or(usize::MAX);
        let length = place(last).saturating_add(1);
        if length > MOST_ENTRIES {
            return Err(Failure::Interrupted);
        }
        let mut dense: Vec<T> = Vec::new();
        dense.resize_with(length, T::default);
        for (index, entry) in entries {
            if let Some(slot) = dense.get_mut(place(index)) {
                join(slot, entry);
            }
        }
        Ok(Self {
            first,
            entries: dense,
        })
    }
}

/// How fine points are to be: shell `finest` around the centre, one shell coarser at each doubling of the distance from it.
#[derive(Debug, Clone)]
pub(super) struct Places {
    /// In units.
    centre: Integer,
    finest: u32,
    /// Points on either side before the next shell.
    reach: u64,
}

impl Places {
    /// Around a bulk from `low` over `centre` to `high`, in units, no finer than shell `finest`.
    pub(super) fn around(centre: Integer, spread: &Integer, finest: u32, reach: u64) -> Self {
        let needed = Integer::from(reach).significant_bits();
        let coarse = spread.significant_bits().saturating_sub(needed);
        Self {
            centre,
            finest: finest.max(coarse),
            reach: reach.max(1),
        }
    }

    /// How many shells coarser the point with this index of a shell is to be put.
    ///
    /// What is chosen here is a matter of width alone.
    pub(super) fn coarser(&self, shell: u32, index: u64) -> u32 {
        let centre = Integer::from(&self.centre >> shell).to_u64();
        let far = index.abs_diff(centre.unwrap_or(u64::MAX));
        self.at_distance(shell, index, far)
    }

    /// The same for many indices of one shell.
    pub(super) fn of_shell(&self, shell: u32) -> impl Fn(u64) -> u32 + '_ {
        let centre = Integer::from(&self.centre >> shell).to_u64();
        let centre = centre.unwrap_or(u64::MAX);
        move |index| self.at_distance(shell, index, index.abs_diff(centre))
    }

    fn at_distance(&self, shell: u32, index: u64, far: u64) -> u32 {
        let least = self.finest.saturating_sub(shell);
        let mut left = far.checked_shr(least).unwrap_or(0);
        let mut more = least;
        while left > self.reach {
            left >>= 1u32;
            more = more.saturating_add(1);
        }
        // Near 0, where the loss in the other order is large, a cell is a small part of its place.
        let near = self.reach.checked_div(16).unwrap_or(0).max(16);
        let room = index.checked_div(near).and_then(u64::checked_ilog2);
        more.min(room.unwrap_or(0)).min(MOST_COARSER)
    }
}

/// A point is never moved by more shells than this at once.
const MOST_COARSER: u32 = 62;

/// The places of a bulk that are of interest, from points in order with their masses.
///
/// The quartiles, or wider quantiles where these are one point.
pub(super) fn bulk(points: &[(Integer, &Integer)]) -> (Integer, Integer) {
    let total: Integer = points.iter().map(|(_, mass)| *mass).sum();
    let quantile = |share: Integer| {
        let mut sum = Integer::new();
        for (place, mass) in points {
            sum += *mass;
            if sum >= share {
                return place.clone();
            }
        }
        points
            .last()
            .map(|(place, _)| place.clone())
            .unwrap_or_default()
    };
    let centre = quantile(Integer::from(&total >> 1u32));
    for shift in [2u32, 4, 8, 16, 32] {
        let share = Integer::from(&total >> shift);
        let (low, high) = (
            quantile(share.clone()),
            quantile(Integer::from(&total - &share)),
        );
        if high > low {
            return (centre, high - low);
        }
    }
    let spread = centre.clone();
    (centre, spread)
}
