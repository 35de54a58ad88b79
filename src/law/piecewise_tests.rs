//! Which line is the largest, where atoms of no mass hide what is beyond them.

use super::super::Offset;
use super::*;

/// Atoms as label, mass and scaled P-mass.
struct Atoms(Vec<(i64, u32, u32)>);

impl Values for Atoms {
    fn line(&self, _: usize) -> Option<(Float, Interval)> {
        None
    }

    fn atom(&self, k: usize) -> Option<(i64, Float, Float)> {
        let (label, mass, scaled_p) = *self.0.get(k)?;
        let exact = |n: u32| Float::with_val(BITS, n);
        Some((label, exact(mass), exact(scaled_p)))
    }
}

fn lines(atoms: &[(i64, u32, u32)]) -> Lines {
    let lattice = Lattice::new(Offset::rational(Rational::new()), Rational::from(1));
    Lines {
        offset: lattice.offset().enclose(BITS),
        lattice,
        labels: [0]
            .into_iter()
            .chain(atoms.iter().map(|(label, ..)| *label))
            .collect(),
        table: Box::new(Atoms(atoms.to_vec())),
        q_total: Float::new(BITS),
        infinity_mass: Float::new(BITS),
        ends: None,
        on_lattice: true,
    }
}

#[test]
fn lines_beyond_those_that_are_undecided() {
    let at = |n: i64| Interval::from_rational(&Rational::from((n, 2)), BITS);
    // Both sides fall away from what is undecided.
    let plain = lines(&[(0, 1, 1), (1, 0, 0), (2, 1, 1)]);
    assert_eq!(plain.largest(&at(3)), Some(1..=2));
    assert_eq!(plain.largest(&at(1)), Some(1..=2));
    assert_eq!(plain.largest(&at(5)), Some(3..=3));
    assert_eq!(plain.largest(&at(-1)), Some(0..=0));
    // The line before or after them is larger: the largest cannot be told.
    let before = lines(&[(0, 1, 0), (1, 0, 0), (2, 1, 1)]);
    assert_eq!(before.largest(&at(3)), None);
    let after = lines(&[(0, 1, 1), (1, 0, 0), (2, 0, 1)]);
    assert_eq!(after.largest(&at(1)), None);
    // More than a few of them are too many.
    let many: Vec<(i64, u32, u32)> = (0..9).map(|label| (label, 0, 0)).collect();
    assert_eq!(lines(&many).largest(&at(5)), None);
}
