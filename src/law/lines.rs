//! The atoms of a finished law as lines: its profile is the largest of them.
//!
//! Line k belongs to the atoms from k on: δ(u) ≥ A_k − u·α_k with A_k their Q-mass and α_k their P-mass. With the
//! atoms in the order of their losses the largest line is the profile of the law. Scaled by e^{y} for the label y
//! of a line it is A − e^{ε − y}·a.

use rug::{Float, Integer, Rational};

use super::mass::{Fraction, Mass, Product};
use super::shells::fine_index;
use super::{Lattice, LowerLaw, UpperLaw, spread};
use crate::kernel::{Interval, InvariantViolation};

/// One line, in units of 2^−[`unit_bits`].
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<const W: usize> {
    /// Index y of its label on the finest lattice.
    pub label: i64,
    /// The first of its atoms, which line k + 1 is without: label, mass and scaled_p mass. Nothing in the last line.
    pub atom: (i64, Mass<W>, Mass<W>),
    /// A.
    pub q_tail: Mass<W>,
    /// At most a.
    pub p_tail_down: Mass<W>,
    /// At least a.
    pub p_tail_up: Mass<W>,
}

/// An atom: label, Q-mass and P-mass times e^y of the label.
#[derive(Debug, Clone, Copy)]
struct Atom<const L: usize> {
    label: i64,
    mass: Mass<L>,
    scaled_p: Mass<L>,
}

/// The lines of a law and where its losses end.
pub(super) struct Table<const W: usize> {
    /// Line k holds right of atom k − 1 and left of atom k; one more line than atoms.
    pub lines: Vec<Line<W>>,
    /// The first and the last atom: label, mass and scaled_p mass.
    pub ends: Option<(End, End)>,
}

/// An atom at an end of the law: it sits at its label + log(mass/scaled_p).
pub(super) struct End {
    pub label: i64,
    pub mass: Integer,
    pub scaled_p: Integer,
}

/// Bits of the unit of lines: sums of a few masses fit above it.
pub(super) fn unit_bits<const W: usize>() -> u32 {
    u32::try_from(W)
        .unwrap_or(64)
        .saturating_mul(64)
        .saturating_sub(6)
}

/// The lines of an upper law, exact but for the rounding of e^{−gap} in both directions.
pub(super) fn of_upper<const L: usize, const W: usize>(
    law: &UpperLaw<L>,
) -> Result<Table<W>, InvariantViolation> {
    let mut atoms = Vec::with_capacity(law.atoms());
    for (s, row) in law.shells().iter().enumerate() {
        for (index, mass) in row.atoms().filter(|(_, mass)| !mass.is_zero()) {
            atoms.push(Atom {
                label: label_of(index, s)?,
                mass: *mass,
                scaled_p: *mass,
            });
        }
    }
    if law.shells().len() > 1 {
        atoms.sort_by_key(|atom| atom.label);
    }
    table(&atoms, law.infinity_mass(), law.lattice(), law.bits())
}

/// The lines of a lower law. Atoms that are not certainly in the order of their losses are merged (S3).
pub(super) fn of_lower<const L: usize, const W: usize>(
    law: &LowerLaw<L>,
) -> Result<Table<W>, InvariantViolation> {
    let mut placed = Vec::with_capacity(law.atoms());
    let mut infinity_mass = *law.infinity_mass();
    for (s, shell) in law.shells().iter().enumerate() {
        for (index, mass, scaled_p) in shell.atoms().filter(|(_, mass, _)| !mass.is_zero()) {
            if scaled_p.is_zero() {
                // No P-mass at all: the loss is infinite.
                infinity_mass = infinity_mass.plus(mass)?;
                continue;
            }
            placed.push(Atom {
                label: label_of(index, s)?,
                mass: *mass,
                scaled_p: *scaled_p,
            });
        }
    }
    if law.shells().len() > 1 {
        let step = Float::with_val(64, law.lattice().step());
        placed.sort_by_cached_key(|atom| place(atom, &step));
    }
    let mut gaps = Gaps::new(law.lattice());
    // Labels must grow with the losses: a scaled_p mass may move to a smaller label.
    let mut ordered: Vec<Atom<L>> = Vec::with_capacity(placed.len());
    for mut atom in placed.into_iter().rev() {
        if let Some(above) = ordered.last()
            && above.label < atom.label
        {
            let gap = atom.label.saturating_sub(above.label);
            atom.scaled_p = atom.scaled_p.times_complement_up(&gaps.over(gap).decline);
            atom.label = above.label;
        }
        while let Some(above) = ordered.last() {
            let gap = above.label.saturating_sub(atom.label);
            let scaled_p = above.scaled_p.times_complement_up(&gaps.over(gap).decline);
            // loss of atom < loss of above: q/a < q'/a' with both a to the same label.
            let is_below = wide_less(
                &Product::new(&atom.mass, &scaled_p),
                &Product::new(&above.mass, &atom.scaled_p),
            );
            if is_below {
                break;
            }
            atom.mass = atom.mass.plus(&above.mass)?;
            atom.scaled_p = atom.scaled_p.plus(&scaled_p)?;
            ordered.pop();
        }
        ordered.push(atom);
    }
    ordered.reverse();
    table(&ordered, &infinity_mass, law.lattice(), law.bits())
}

/// The index on the finest lattice. A label that does not fit would move the atom; gaps between those that do fit too.
fn label_of(index: i64, s: usize) -> Result<i64, InvariantViolation> {
    const FARTHEST: u64 = 1 << 62;
    let label = fine_index(index, s);
    if label.unsigned_abs() < FARTHEST {
        Ok(label)
    } else {
        Err(InvariantViolation("a lattice index overflows".into()))
    }
}

fn wide_less<const L: usize>(a: &Product<L>, b: &Product<L>) -> bool {
    (a.high, a.low) < (b.high, b.low)
}

/// About where an atom sits, in 2^−16 of the finest step.
fn place<const L: usize>(atom: &Atom<L>, step: &Float) -> Integer {
    let mass = Float::with_val(64, atom.mass.to_integer());
    let rise = (&mass - Float::with_val(64, atom.scaled_p.to_integer())) / mass;
    // −log(1 − x) = x + x²/2 + x³/3 + …
    let square = Float::with_val(64, rise.square_ref());
    let log =
        Float::with_val(64, &square / 2u32) + Float::with_val(64, &square * &rise) / 3u32 + rise;
    let cells = (log / step + atom.label) << 16u32;
    cells.to_integer().unwrap_or_default()
}

fn table<const L: usize, const W: usize>(
    atoms: &[Atom<L>],
    infinity_mass: &Mass<L>,
    lattice: &Lattice,
    bits: u32,
) -> Result<Table<W>, InvariantViolation> {
    let shift = unit_bits::<W>()
        .checked_sub(bits)
        .ok_or_else(|| InvariantViolation("lines too narrow for a law".into()))?;
    let mut gaps = Gaps::new(lattice);
    let (mut down, mut up) = (Mass::ZERO, Mass::ZERO);
    let mut q_tail = infinity_mass.widened(shift)?;
    let mut lines = Vec::with_capacity(atoms.len().saturating_add(1));
    let mut label = atoms.last().map_or(0, |atom| atom.label);
    let mut first = (label, Mass::ZERO, Mass::ZERO);
    for atom in atoms.iter().rev() {
        let shrink: &Gap<W> = gaps.over(label.saturating_sub(atom.label));
        down = down.times_down(&shrink.remain);
        up = up.times_complement_up(&shrink.decline);
        label = atom.label;
        lines.push(Line {
            label,
            atom: first,
            q_tail,
            p_tail_down: down,
            p_tail_up: up,
        });
        let (mass, scaled_p) = (atom.mass.widened(shift)?, atom.scaled_p.widened(shift)?);
        first = (label, mass, scaled_p);
        q_tail = q_tail.plus(&mass)?;
        down = down.plus(&scaled_p)?;
        up = up.plus(&scaled_p)?;
    }
    lines.push(Line {
        label,
        atom: first,
        q_tail,
        p_tail_down: down,
        p_tail_up: up,
    });
    lines.reverse();
    let end = |atom: &Atom<L>| End {
        label: atom.label,
        mass: atom.mass.to_integer(),
        scaled_p: atom.scaled_p.to_integer(),
    };
    let ends = atoms.first().map(end).zip(atoms.last().map(end));
    Ok(Table { lines, ends })
}

/// e^{−gap·step}, rounded.
#[derive(Debug, Clone, Copy)]
struct Gap<const N: usize> {
    /// At most e^{−gap·step}.
    remain: Fraction<N>,
    /// At most 1 − e^{−gap·step}.
    decline: Fraction<N>,
}

/// The constants of gaps met before.
struct Gaps<const N: usize> {
    step: Rational,
    known: std::collections::HashMap<i64, Gap<N>>,
    last: (i64, Gap<N>),
}

impl<const N: usize> Gaps<N> {
    fn new(lattice: &Lattice) -> Self {
        let step = lattice.step().clone();
        let last = (1, Gap::of(&step, 1));
        Self {
            step,
            known: std::collections::HashMap::new(),
            last,
        }
    }

    fn over(&mut self, gap: i64) -> &Gap<N> {
        if self.last.0 != gap {
            let step = &self.step;
            let found = *self.known.entry(gap).or_insert_with(|| Gap::of(step, gap));
            self.last = (gap, found);
        }
        &self.last.1
    }
}

impl<const N: usize> Gap<N> {
    fn of(step: &Rational, gap: i64) -> Self {
        let bits = spread::ratio_bits::<N>();
        let width = Interval::from_rational(&Rational::from(step * gap), bits);
        Self {
            remain: Fraction::below(width.neg().exp().lo()),
            decline: Fraction::below(width.neg().exp_m1().neg().lo()),
        }
    }
}
