//! The composition of pairs as one pair.

use super::Unsupported;
use super::atoms::{Step, multiplied_out};
use super::contour::Contour;
use super::elementary::{exp_m1, ln, ln_1p};
use super::grid::{Grid, Listing};
use super::law::{Atom, Law};
use super::pair::Pair;
use super::spectrum::{Copy, Transforms};
use super::tilt::{Tilt, tilts, total};
use crate::kernel::Budget;

/// Atoms that planning looks at.
const PLANNED: usize = 1_024;

/// Composes pairs with their numbers of copies.
///
/// # Errors
/// If the law is too wide for any grid, or the budget ends.
pub(super) fn compose(
    mut pairs: Vec<(Pair, f64)>,
    listing: Listing,
    budget: &Budget,
) -> Result<Pair, Unsupported> {
    match pairs.as_slice() {
        [] => return Ok(Pair::Law(Law::certain(0.0, 0.0).into())),
        [(_, 1.0)] => {
            let only = pairs.pop().map(|(pair, _)| pair);
            return Ok(only.unwrap_or_else(|| Pair::Law(Law::certain(0.0, 0.0).into())));
        }
        _ => {}
    }
    Ok(match Contour::new(&pairs) {
        Some(contour) => Pair::Contour(contour.into()),
        None => Pair::Law(law(&pairs, listing, budget)?.into()),
    })
}

/// The composition as losses with masses.
///
/// # Errors
/// If the law is too wide for any grid, or the budget ends.
pub(super) fn law(
    pairs: &[(Pair, f64)],
    listing: Listing,
    budget: &Budget,
) -> Result<Law, Unsupported> {
    let count = pairs.len();
    let step = |(pair, times): &(Pair, f64)| {
        in_time(budget)?;
        Ok(Step::new(pair, *times, count))
    };
    let steps = pairs
        .iter()
        .map(step)
        .collect::<Result<Vec<Step>, Unsupported>>()?;
    let together = |mass: fn(&Step) -> f64| {
        let log: f64 = steps.iter().map(|s| s.times * ln_1p(-mass(s))).sum();
        -exp_m1(log)
    };
    let (infinite, null_only) = (together(|s| s.infinite), together(|s| s.null_only));
    if steps.iter().any(|step| step.atoms.is_empty()) {
        return Ok(Law::certain(1.0, 1.0));
    }
    let end = |of: fn(&Step) -> f64| steps.iter().map(|s| s.times * of(s)).sum::<f64>();
    let support = (end(|s| s.support.0), end(|s| s.support.1));
    let law = |atoms| Law::new(atoms, infinite, null_only, support);
    if steps.iter().all(|step| step.is_discrete)
        && let Some(atoms) = multiplied_out(&steps)
    {
        return Ok(law(atoms));
    }
    let most = (PLANNED / count).max(16);
    let coarse: Vec<Step> = steps.iter().map(|step| step.coarse(most)).collect();
    in_time(budget)?;
    let tilts = tilts(&coarse);
    match Grid::new(&steps, &tilts, listing) {
        Some(grid) => {
            let atoms = transformed(&steps, &grid, &tilts, support, budget)?;
            Ok(law(atoms).of_a_grid())
        }
        None => {
            let at = total(&steps, 0.0);
            if !at.mean.is_finite() {
                return Err(Unsupported::TooLarge("the privacy loss"));
            }
            Ok(law(vec![Atom {
                loss: at.mean,
                log_mass: at.log_total,
            }]))
        }
    }
}

/// # Errors
/// If the budget ends.
pub(super) fn in_time(budget: &Budget) -> Result<(), Unsupported> {
    let late = |_| Unsupported::TooLarge("it takes more than its time");
    budget.check().map_err(late)
}

/// Each copy contributes the stretch of losses around its mean.
///
/// # Errors
/// If the budget ends.
fn transformed(
    steps: &[Step],
    grid: &Grid,
    tilts: &[Tilt],
    support: (f64, f64),
    budget: &Budget,
) -> Result<Vec<Atom>, Unsupported> {
    let transforms = Transforms::new(grid.size);
    let copies: f64 = steps.iter().map(|step| step.times).sum();
    let mut atoms: Vec<Atom> = Vec::new();
    let mut low = f64::NEG_INFINITY;
    for (i, tilt) in tilts.iter().enumerate() {
        let high = tilts
            .get(i + 1)
            .map_or(f64::INFINITY, |next| seam(tilt, next));
        // Interpolation carries an atom at an end of the support beyond it, by two points a step.
        let slack = 2.5 * copies.min(100.0) * grid.step;
        let stretch = (low.max(support.0 - slack), high.min(support.1 + slack));
        low = high;
        if stretch.0 >= stretch.1 {
            continue;
        }
        in_time(budget)?;
        let middle = (tilt.window.0 + tilt.window.1) / 2.0;
        let start = middle - grid.step * (grid.size / 2) as f64;
        let copy = transforms.copy(steps, grid, tilt.t, start);
        collect(&mut atoms, &copy, grid, tilt.t, stretch);
    }
    Ok(atoms)
}

/// Between two means, nearer to the narrower copy.
fn seam(a: &Tilt, b: &Tilt) -> f64 {
    let (a, b) = (a.moments, b.moments);
    let sds = a.sd + b.sd;
    if sds > 0.0 {
        a.mean + (b.mean - a.mean) * a.sd / sds
    } else {
        (a.mean + b.mean) / 2.0
    }
}

/// The masses of the stretch, no longer tilted.
fn collect(atoms: &mut Vec<Atom>, copy: &Copy, grid: &Grid, t: f64, stretch: (f64, f64)) {
    let last = atoms.last().map(|atom| atom.loss);
    for (i, mass) in without_negative(&copy.masses).iter().enumerate() {
        let loss = copy.origin + grid.step * (copy.first + i as f64);
        let is_inside = loss > stretch.0 && loss <= stretch.1;
        if is_inside && *mass > 0.0 && last.is_none_or(|last| loss > last) {
            atoms.push(Atom {
                loss,
                log_mass: ln(*mass) + copy.log_total - t * loss,
            });
        }
    }
}

/// Negative masses, from interpolation and rounding, are made up for by the nearest positive ones: evenly from both
/// sides where possible, so that the mean stays.
fn without_negative(masses: &[f64]) -> Vec<f64> {
    const ROUNDING: f64 = 1e-16;
    const EVENLY: usize = 4;
    const FARTHEST: usize = 64;
    let largest = masses.iter().fold(0.0, |most: f64, m| most.max(*m));
    let is_real = |mass: &f64| mass.abs() > ROUNDING * largest;
    let mut settled: Vec<f64> = masses
        .iter()
        .map(|mass| if is_real(mass) { *mass } else { 0.0 })
        .collect();
    let on = |settled: &[f64], at: Option<usize>| {
        let mass = at.and_then(|at| settled.get(at)).copied();
        mass.unwrap_or(0.0).max(0.0)
    };
    let take = |settled: &mut [f64], at: Option<usize>, amount: f64| {
        if let Some(mass) = at.and_then(|at| settled.get_mut(at)) {
            *mass -= amount;
        }
    };
    for here in 0..settled.len() {
        let mut owed = settled.get(here).map_or(0.0, |mass| -mass);
        if owed <= 0.0 {
            continue;
        }
        take(&mut settled, Some(here), -owed);
        let sides = |distance| (here.checked_sub(distance), here.checked_add(distance));
        for (left, right) in (1..=EVENLY).map(sides) {
            let share = on(&settled, left).min(on(&settled, right)).min(owed / 2.0);
            take(&mut settled, left, share);
            take(&mut settled, right, share);
            owed -= 2.0 * share;
        }
        // What both sides cannot pay evenly, the nearest pay as they can.
        let mut distance = 1;
        while owed > 0.0 && distance <= FARTHEST {
            let (left, right) = sides(distance);
            for side in [right, left] {
                let share = on(&settled, side).min(owed);
                take(&mut settled, side, share);
                owed -= share;
            }
            distance += 1;
        }
    }
    settled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negative_masses_are_settled_evenly() {
        let settled = without_negative(&[0.0, 0.3, -0.1, 0.5, 0.2, -0.05, 0.15]);
        assert!(settled.iter().all(|mass| *mass >= 0.0));
        let mean = |masses: &[f64]| -> f64 {
            let terms = masses.iter().enumerate();
            terms.map(|(i, mass)| i as f64 * mass).sum()
        };
        assert!((settled.iter().sum::<f64>() - 1.0).abs() < 1e-15);
        assert!((mean(&settled) - mean(&[0.0, 0.3, -0.1, 0.5, 0.2, -0.05, 0.15])).abs() < 1e-15);
    }

    /// A law on a grid is not made when the time is over, however far it is.
    #[test]
    fn a_law_takes_no_more_than_its_time() {
        let parts = [(Pair::Laplace(0.5), 1e6), (Pair::Laplace(1e-9), 1e3)];
        let spent = Budget::new(std::time::Duration::ZERO, std::sync::Arc::default());
        let steps = parts
            .clone()
            .map(|(pair, times)| Step::new(&pair, times, 2));
        let tilts = tilts(&steps);
        let grid = Grid::new(&steps, &tilts, Listing::Usual).unwrap();
        let support = (f64::NEG_INFINITY, f64::INFINITY);
        for (budget, is_over) in [(Budget::unlimited(), false), (spent, true)] {
            assert_eq!(law(&parts, Listing::Usual, &budget).is_err(), is_over);
            let atoms = transformed(&steps, &grid, &tilts, support, &budget);
            assert_eq!(atoms.is_err(), is_over);
        }
    }
}
