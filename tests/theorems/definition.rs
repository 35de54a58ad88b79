//! A finite pair of laws and its curve, straight from the definitions: no line is shared with the crate under test.

use std::cmp::Ordering;

use dpcmp::bounds::exact::ExactCurve;
use dpcmp::mechanism::Adjacency;
use rug::Rational;

/// P without the record, Q with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    pub p: Vec<Rational>,
    pub q: Vec<Rational>,
}

/// Errors of the likelihood-ratio tests, in the order in which outcomes join the rejection region.
#[derive(Debug, Clone)]
pub struct Polygon {
    points: Vec<(Rational, Rational)>,
}

pub fn fraction(n: i64, m: i64) -> Rational {
    Rational::from((n, m))
}

impl Pair {
    pub fn of(p: &[(i64, i64)], q: &[(i64, i64)]) -> Self {
        let vector = |v: &[(i64, i64)]| v.iter().map(|(n, m)| fraction(*n, *m)).collect();
        Self {
            p: vector(p),
            q: vector(q),
        }
    }

    /// f = 1 − α.
    pub fn perfectly_private() -> Self {
        Self::of(&[(1, 1)], &[(1, 1)])
    }

    /// f = 0.
    pub fn blatantly_non_private() -> Self {
        Self::of(&[(1, 1), (0, 1)], &[(0, 1), (1, 1)])
    }

    /// The crate's curve for (P, Q).
    pub fn curve(&self) -> ExactCurve {
        ExactCurve::new(&self.p, &self.q, Adjacency::Remove)
    }

    pub fn swapped(&self) -> Self {
        Self {
            p: self.q.clone(),
            q: self.p.clone(),
        }
    }

    /// Independent outcomes of both, seen together.
    pub fn product(&self, other: &Self) -> Self {
        let cross = |a: &[Rational], b: &[Rational]| {
            a.iter()
                .flat_map(|x| b.iter().map(move |y| Rational::from(x * y)))
                .collect()
        };
        Self {
            p: cross(&self.p, &other.p),
            q: cross(&self.q, &other.q),
        }
    }

    /// What is seen when outcome i is replaced by outcome j with probability `kernel[i][j]`.
    pub fn processed(&self, kernel: &[Vec<Rational>]) -> Self {
        let push = |mass: &[Rational]| {
            let mut out = vec![Rational::new(); kernel[0].len()];
            for (mass, row) in mass.iter().zip(kernel) {
                for (out, share) in out.iter_mut().zip(row) {
                    *out += Rational::from(mass * share);
                }
            }
            out
        };
        Self {
            p: push(&self.p),
            q: push(&self.q),
        }
    }

    fn outcomes(&self) -> impl Iterator<Item = (&Rational, &Rational)> {
        self.p.iter().zip(&self.q)
    }

    /// δ(u) = Σ (q − u·p)⁺.
    pub fn delta(&self, u: &Rational) -> Rational {
        let mut sum = Rational::new();
        for (p, q) in self.outcomes() {
            let gain = q - Rational::from(u * p);
            if gain > 0 {
                sum += gain;
            }
        }
        sum
    }

    /// R(π) = Σ min(π·p, (1 − π)·q), π the prior that the record is absent.
    pub fn bayes_error(&self, prior: &Rational) -> Rational {
        let rest = Rational::from(1 - prior);
        let mut sum = Rational::new();
        for (p, q) in self.outcomes() {
            sum += Rational::from(prior * p).min(Rational::from(&rest * q));
        }
        sum
    }

    /// ½ Σ |q − p|.
    pub fn total_variation(&self) -> Rational {
        let gaps = self.outcomes().map(|(p, q)| Rational::from(q - p).abs());
        gaps.sum::<Rational>() / 2
    }

    /// The likelihood ratios in (0, ∞): δ is linear between them.
    pub fn ratios(&self) -> Vec<Rational> {
        self.outcomes()
            .filter(|(p, q)| **p > 0 && **q > 0)
            .map(|(p, q)| Rational::from(q / p))
            .collect()
    }

    /// The priors u/(1 + u) of the likelihood ratios: R is linear between them.
    pub fn kinks(&self) -> Vec<Rational> {
        self.outcomes()
            .filter(|(p, q)| **p > 0 && **q > 0)
            .map(|(p, q)| q / Rational::from(p + q))
            .collect()
    }

    pub fn polygon(&self) -> Polygon {
        let mut outcomes: Vec<(&Rational, &Rational)> = self
            .outcomes()
            .filter(|(p, q)| **p > 0 || **q > 0)
            .collect();
        outcomes.sort_by(|(p, q), (r, s)| falling_ratio((p, q), (r, s)));
        let mut points = vec![(Rational::new(), Rational::from(1))];
        let (mut alpha, mut beta) = points[0].clone();
        for (p, q) in outcomes {
            alpha += p;
            beta -= q;
            points.push((alpha.clone(), beta.clone()));
        }
        Polygon { points }
    }
}

fn falling_ratio((p, q): (&Rational, &Rational), (r, s): (&Rational, &Rational)) -> Ordering {
    Rational::from(s * p).cmp(&Rational::from(q * r))
}

impl Polygon {
    /// f(α), 1 to the left of 0 and 0 to the right of 1.
    pub fn at(&self, alpha: &Rational) -> Rational {
        if *alpha < 0 {
            return Rational::from(1);
        }
        let edge = self
            .points
            .windows(2)
            .find(|edge| edge[0].0 <= *alpha && *alpha < edge[1].0);
        edge.map_or_else(Rational::new, |edge| {
            let run = Rational::from(&edge[1].0 - &edge[0].0);
            let fall = Rational::from(&edge[0].1 - &edge[1].1);
            let share = Rational::from(alpha - &edge[0].0) / run;
            &edge[0].1 - share * fall
        })
    }

    /// Every α at which the slope may change.
    pub fn alphas(&self) -> impl Iterator<Item = &Rational> {
        self.points.iter().map(|(alpha, _)| alpha)
    }

    /// The errors of each likelihood-ratio test.
    pub fn points(&self) -> &[(Rational, Rational)] {
        &self.points
    }
}
