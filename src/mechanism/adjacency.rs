//! The neighbouring relation, and the directions of a pair that it is made of.

/// Which neighbouring relation a statement is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Adjacency {
    /// Both directions: δ is the larger of the two, the trade-off curve the convex hull below both.
    #[default]
    AddRemove,
    /// The pair (P, Q) as written.
    Remove,
    /// The swapped pair (Q, P).
    Add,
    /// One record is replaced by another one: symmetric, so both directions of the pair of the two.
    ReplaceOne,
    /// One record is replaced by a special one that contributes nothing (zero-out), both directions.
    ReplaceSpecial,
}

/// What happens to a record, whichever of the two datasets comes first.
///
/// The pair of a mechanism depends on it: a sum of records of norm at most c moves by c where one is added, removed or
/// zeroed, and by 2c where one is replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Relation {
    /// It is there, or it is not.
    #[default]
    Presence,
    /// It is one or another.
    ReplaceOne,
    /// It is one, or a special one that contributes nothing.
    ReplaceSpecial,
}

/// The directions of a pair that a neighbouring relation is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Orders {
    /// (P, Q), the pair as written.
    Remove,
    /// (Q, P).
    Add,
    /// Both: δ is the larger of the two, the trade-off curve the convex hull below both.
    Both,
}

/// One direction of a pair: P is the law without the record, Q the law with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// (P, Q), the pair as written: the loss is log dQ/dP under Q, the Rényi divergence D_t(Q‖P).
    Remove,
    /// (Q, P): the loss is log dP/dQ under P, the Rényi divergence D_t(P‖Q).
    Add,
}

impl Adjacency {
    /// The directions that it is made of.
    pub fn directions(self) -> &'static [Direction] {
        match self {
            Self::AddRemove | Self::ReplaceOne | Self::ReplaceSpecial => {
                &[Direction::Remove, Direction::Add]
            }
            Self::Remove => &[Direction::Remove],
            Self::Add => &[Direction::Add],
        }
    }

    /// The same, as one value.
    pub fn orders(self) -> Orders {
        match self {
            Self::AddRemove | Self::ReplaceOne | Self::ReplaceSpecial => Orders::Both,
            Self::Remove => Orders::Remove,
            Self::Add => Orders::Add,
        }
    }

    /// Both directions of what happens to a record.
    #[must_use]
    pub fn both_directions(self) -> Self {
        match self {
            Self::AddRemove | Self::Remove | Self::Add => Self::AddRemove,
            Self::ReplaceOne => Self::ReplaceOne,
            Self::ReplaceSpecial => Self::ReplaceSpecial,
        }
    }

    /// What happens to a record.
    pub fn relation(self) -> Relation {
        match self {
            Self::AddRemove | Self::Remove | Self::Add => Relation::Presence,
            Self::ReplaceOne => Relation::ReplaceOne,
            Self::ReplaceSpecial => Relation::ReplaceSpecial,
        }
    }

    /// All of them, in the order of the manual.
    pub const ALL: [Self; 5] = [
        Self::AddRemove,
        Self::Remove,
        Self::Add,
        Self::ReplaceOne,
        Self::ReplaceSpecial,
    ];

    /// The word in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AddRemove => "add-remove",
            Self::Remove => "remove",
            Self::Add => "add",
            Self::ReplaceOne => "replace-one",
            Self::ReplaceSpecial => "replace-special",
        }
    }
}

impl Direction {
    /// The other direction.
    #[must_use]
    pub fn reversed(self) -> Self {
        match self {
            Self::Remove => Self::Add,
            Self::Add => Self::Remove,
        }
    }

    /// The word in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Remove => "remove",
            Self::Add => "add",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_directions_are_those_of_either_relation() {
        let one = [Adjacency::Remove, Adjacency::Add].map(Adjacency::directions);
        assert_eq!(one.concat(), Adjacency::AddRemove.directions());
        assert_eq!(Direction::Remove.reversed(), Direction::Add);
        assert_eq!(Direction::Add.reversed(), Direction::Remove);
    }
}
