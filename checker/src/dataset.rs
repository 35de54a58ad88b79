//! What one dataset does, of a step that is the worst of many at every u, and one of a class (M8 of `proofs/FORMAT.md`).

use crate::*;

/// The pair of a dataset that the numbers name: one of several pairs, two candidates by the probabilities [q, p] of the first, or thresholds from
/// the largest down, which the largest answer passes.
pub fn of_dataset(step: &Step, numbers: &[BigRational]) -> Result<Step> {
    let unknown = || Rejected::new(Reason::WrongKind, "the proof does not name a dataset for this step");
    let one = BigRational::one();
    match (step, numbers) {
        (Step::Worst { of }, [place]) if place.is_integer() => {
            let place = usize::try_from(place.to_integer()).ok().and_then(|place| of.get(place));
            Ok(Step::Worst { of: vec![place.ok_or_else(unknown)?.clone()] })
        }
        (Step::Choice { epsilon, is_flip }, [q, p]) if p.is_positive() && p < q && *q < one => {
            spend_on(&[q, p])?;
            let (quarter, half) = (BigInt::from(4), BigRational::new(1.into(), 2.into()));
            let (miss, rest) = (&one - q, &one - p);
            // The least e^ε for which p and q are those of two candidates.
            let odds = match is_flip {
                false => q * rest / (p * miss),
                true if *q <= half => q / p,
                true if *p <= half => (p * miss * quarter).recip(),
                true => rest / miss,
            };
            let is_more = !Largest::of(Epsilon::LogOf(odds)).is_at_most(epsilon)?;
            Reason::Inequality.when(is_more, "the odds of two candidates change by more than epsilon")?;
            Ok(Power(vec![(p.clone(), q.clone()), (one.clone(), one)]).pair())
        }
        (Step::Largest { square, answers, without }, [_, ..]) => {
            let sigma = Real::of(square).sqrt()?;
            let others = Real::int(BigInt::from(*answers) - 1);
            let mut tests = Vec::new();
            for threshold in numbers {
                // log P(all answers are at most C) = log Φ((C − s)/σ) + (T − 1)·log Φ(C/σ).
                let below = |shift: u64| {
                    let place = Real::of(&(threshold - int(shift))).over(&sigma)?;
                    place.neg().normal_tail()?.ln()
                };
                let rest = others.times(&below(0)?);
                let passes = |shift: u64| Ok::<_, Rejected>(Real::int(1).minus(&below(shift)?.plus(&rest).exp()?));
                let unit = |x: BigInt| units(x, law::bits()).max(BigRational::zero()).min(one.clone());
                let (p, q) = (passes(*without)?.ceil_units(law::bits()), passes(2)?.floor_units(law::bits()));
                tests.push((unit(p), unit(q)));
            }
            let mut corners =
                [vec![(BigRational::zero(), BigRational::zero())], tests, vec![(one.clone(), one)]].concat();
            // Between equal corners is a rise of nothing, which has no slope and would hide its neighbours from each other.
            corners.dedup();
            let pairs = corners.iter().zip(corners.iter().skip(1));
            let rises: Vec<_> = pairs.map(|((p, q), (next_p, next_q))| (next_p - p, next_q - q)).collect();
            let mut pairs = rises.iter().zip(rises.iter().skip(1));
            let is_other = rises.iter().any(|(p, q)| p.is_negative() || q.is_negative())
                || pairs.any(|((p, q), (next_p, next_q))| next_q * p > q * next_p);
            Reason::Points.when(is_other, "the tests of the thresholds are not on a concave curve")?;
            Ok(Power(corners).pair())
        }
        (Step::Zcdp { .. } | Step::Rdp { .. }, []) => Ok(step.clone()),
        // Gaussian noise of this μ² is one of a class of Rényi guarantees.
        (Step::Zcdp { rho }, [square]) if !square.is_negative() && *square <= rho * BigInt::from(2) => {
            Ok(Step::Gaussian { square: square.clone() })
        }
        (Step::Rdp { orders }, [square])
            if !square.is_negative() && orders.iter().all(|(t, most)| square * t <= most * BigInt::from(2)) =>
        {
            Ok(Step::Gaussian { square: square.clone() })
        }
        (Step::Sampled { rate, of }, _) if of.len() == 1 => {
            let of = of.iter().map(|(step, times)| Ok((of_dataset(step, numbers)?, *times)));
            Ok(Step::Sampled { rate: rate.clone(), of: of.collect::<Result<_>>()? })
        }
        // Numbers that do not say which; and what is a pair already.
        (Step::Worst { .. } | Step::Choice { .. } | Step::Largest { .. } | Step::Labelled { .. }, _)
        | (Step::Gaussian { .. } | Step::Laplace { .. } | Step::Response { .. } | Step::ResponseOrUniform { .. }, _)
        | (Step::Finite { .. } | Step::Guarantee { .. } | Step::Zcdp { .. } | Step::Rdp { .. }, _)
        | (Step::Shifted { .. } | Step::Sampled { .. } | Step::Released { .. } | Step::Shuffled { .. }, _)
        | (Step::Selected { .. }, _) => Err(unknown()),
    }
}
