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
            Self::AddRemove => &[Direction::Remove, Direction::Add],
            Self::Remove => &[Direction::Remove],
            Self::Add => &[Direction::Add],
        }
    }

    /// The word in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AddRemove => "add-remove",
            Self::Remove => "remove",
            Self::Add => "add",
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
