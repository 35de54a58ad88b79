//! Tail sums of a composition by integrals along one vertical line of the complex plane.
//!
//! With M(s) = E_Q e^{sL} the integral of M(s)·e^{−sε}/(s(s+1)) ds/(2πi) along Re s = c is δ(ε) for c > 0, δ(ε) − 1
//! for −1 < c < 0 and δ(ε) − 1 + e^ε for c < −1 (inverse Laplace transform; the poles have residues 1 and −e^ε); with
//! 1/s and 1/(s+1) in place of 1/(s(s+1)), it gives Q(L > ε) and e^ε·P(L > ε) in the same way.

use std::f64::consts::PI;

use num_complex::Complex;

use super::elementary::{cosh, exp, exp_m1, exp_of, norm, sin_cos, sinh};
use super::factor::{Cumulants, Factor, Transform};
use super::pair::ProfilePoint;

/// One node Im s of the trapezoidal rule, with the integrand at the mean for its three kernels.
#[derive(Debug, Clone, Copy)]
struct Node {
    omega: f64,
    /// Relative error from rounding.
    error: f64,
    /// 1/(s(s+1)).
    both: Complex<f64>,
    /// 1/s.
    mass: Complex<f64>,
    /// 1/(s+1).
    null: Complex<f64>,
}

/// The transform along Re s = c.
#[derive(Debug, Clone)]
pub(super) struct Ray {
    c: f64,
    at: Cumulants,
    transforms: Vec<Transform>,
    /// ω = scale·sinh(v).
    scale: f64,
    /// log M(c + iω)/M(c) − iω·mean at v = 0, FIRST_STEP, …, up to where nothing is left.
    logs: Vec<Complex<f64>>,
}

/// The line Re s = c, ready for the losses of one stretch.
#[derive(Debug, Clone)]
pub(super) struct Line {
    c: f64,
    at: Cumulants,
    nodes: Vec<Node>,
    /// Distance of neighbouring nodes in v.
    step: f64,
    /// What the three integrals may be wrong by.
    error: [f64; 3],
    is_settled: bool,
}

/// The integrand is 0 where it is smaller than e^{−NOTHING}.
const NOTHING: f64 = 38.0;
/// The rule is halved until halving changes no integral by more than this, relatively; its error is then the square.
const CHANGE: f64 = 1e-6;
const FIRST_STEP: f64 = 0.25;
/// A line with more nodes than this is not settled.
const MOST_NODES: usize = 2_048;
/// Radians that the fastest part of an integrand may turn before the loss is smoothed.
const TURNS: f64 = 150.0;
/// Distance from the bulk of the law in standard deviations of the noise that smooths.
const BULK_AWAY: f64 = 10.0;

impl Ray {
    /// `None` if the law is next to having atoms, or beyond f64.
    pub(super) fn new(factors: &[Factor], c: f64, at: Cumulants) -> Option<Self> {
        let sd = at.variance.sqrt();
        let scale = c.abs().min((c + 1.0).abs()).min(1.0 / sd);
        if !(scale > 0.0 && scale.is_finite() && sd.is_finite()) {
            return None;
        }
        // The fastest frequency is known only afterwards.
        let guess = 9.0 / sd;
        let ray = Self {
            c,
            at,
            transforms: factors.iter().map(|f| f.along(c, guess)).collect(),
            scale,
            logs: Vec::new(),
        };
        let ray = ray.marched()?;
        let fastest = ray.fastest();
        if fastest <= 1.5 * guess {
            return Some(ray);
        }
        let transforms = factors.iter().map(|f| f.along(c, fastest)).collect();
        Self { transforms, ..ray }.marched()
    }

    /// Finds where nothing is left, and nothing returns.
    fn marched(mut self) -> Option<Self> {
        const FARTHEST: usize = 200;
        const SILENT: usize = 4;
        self.logs.clear();
        let mut silent = 0;
        for i in 0..FARTHEST {
            let log = self.log(FIRST_STEP * i as f64);
            if log.re.is_nan() {
                return None;
            }
            silent = if log.re < -NOTHING { silent + 1 } else { 0 };
            self.logs.push(log);
            if silent == SILENT {
                self.logs.truncate(i + 2 - SILENT);
                return Some(self);
            }
        }
        None
    }

    fn log(&self, v: f64) -> Complex<f64> {
        let omega = self.omega(v);
        self.transforms.iter().map(|one| one.at(omega)).sum()
    }

    fn omega(&self, v: f64) -> f64 {
        self.scale * sinh(v)
    }

    fn fastest(&self) -> f64 {
        self.omega(FIRST_STEP * (self.logs.len() - 1) as f64)
    }

    /// Splits a stretch of losses by their distance from the part of the law that turns fastest, into pieces
    /// (from, to, standard deviation of the noise that may smooth the loss there).
    pub(super) fn pieces(&self, (from, to): (f64, f64)) -> Vec<(f64, f64, f64)> {
        let last = |back: usize| {
            let i = self.logs.len().saturating_sub(back);
            let phase = self.logs.get(i).map_or(0.0, |log| log.im);
            (self.omega(FIRST_STEP * i as f64), phase)
        };
        let ((omega, phase), (before, earlier)) = (last(1), last(2));
        let core = self.at.mean + (phase - earlier) / (omega - before);
        let near = TURNS / self.fastest();
        let mut ends = vec![from, to];
        if core.is_finite() {
            for sign in [-1.0, 1.0] {
                let mut distance = near;
                while distance < (from - core).abs().max((to - core).abs()) {
                    ends.push(core + sign * distance);
                    distance *= 2.0;
                }
            }
        }
        ends.retain(|end| *end >= from && *end <= to);
        ends.sort_unstable_by(f64::total_cmp);
        let pairs = ends.iter().zip(ends.iter().skip(1));
        pairs
            .map(|(from, to)| {
                let distance = (from - core).abs().min((to - core).abs());
                let noise =
                    (distance / BULK_AWAY).min(0.5 / self.c.abs().max((self.c + 1.0).abs()));
                let is_near = (from + to) / 2.0 - core;
                (*from, *to, if is_near.abs() < near { 0.0 } else { noise })
            })
            .collect()
    }

    fn node(&self, v: f64, log: Complex<f64>, noise: f64) -> Node {
        // Both halves of the line, but the point between them once.
        let density = self.scale * cosh(v) / PI * if v == 0.0 { 0.5 } else { 1.0 };
        let omega = self.omega(v);
        let s = Complex::new(self.c, omega);
        let t = Complex::new(self.c + 1.0, omega);
        let value = exp_of(log) * smoothing(s * noise) * density;
        let error = self.transforms.iter().map(|one| one.rounding(omega));
        Node {
            omega,
            error: f64::EPSILON + error.sum::<f64>(),
            both: value / (s * t),
            mass: value / s,
            null: value / t,
        }
    }
}

/// The transform of a noise of mean 0 with standard deviation 1, changed so that its next moments vanish too: it
/// smooths a law without moving its first seven moments.
fn smoothing(s: Complex<f64>) -> Complex<f64> {
    let x = -s * s / 2.0;
    exp_of(-x) * (x * (x * (x / 3.0 + 1.0) / 2.0 + 1.0) + 1.0)
}

impl Line {
    /// The line that serves a piece of the losses, smoothed by noise.
    pub(super) fn new(ray: &Ray, (from, to): (f64, f64), noise: f64) -> Self {
        let first = |(i, log): (usize, &Complex<f64>)| ray.node(FIRST_STEP * i as f64, *log, noise);
        let mut nodes: Vec<Node> = ray.logs.iter().enumerate().map(first).collect();
        let is_something = |node: &Node| norm(node.mass) > largest(&nodes) * exp(-NOTHING);
        let kept = nodes
            .iter()
            .rposition(is_something)
            .map_or(1, |last| last + 2);
        nodes.truncate(kept);
        let mut line = Self {
            c: ray.c,
            at: ray.at,
            nodes,
            step: FIRST_STEP,
            error: [0.0; 3],
            is_settled: false,
        };
        let middle = ray.at.mean.clamp(from, to);
        let places = [from, middle, to];
        while !line.is_settled && line.nodes.len() <= MOST_NODES / 2 {
            line.halve(ray, noise);
            line.is_settled = line.settle(places);
        }
        line
    }

    /// Do all integrals agree with those from half of the nodes?
    pub(super) fn is_settled(&self) -> bool {
        self.is_settled
    }

    /// Puts a node between every two.
    fn halve(&mut self, ray: &Ray, noise: f64) {
        let step = self.step / 2.0;
        let mut nodes = Vec::with_capacity(2 * self.nodes.len());
        for (i, old) in self.nodes.iter().enumerate() {
            let v = step * (2 * i + 1) as f64;
            nodes.push(*old);
            nodes.push(ray.node(v, ray.log(v), noise));
        }
        (self.nodes, self.step) = (nodes, step);
    }

    /// Compares with the integrals from half of the nodes.
    fn settle(&mut self, places: [f64; 3]) -> bool {
        let rounding = |of: fn(&Node) -> &Complex<f64>| -> f64 {
            let errors = self.nodes.iter().map(|node| node.error * norm(*of(node)));
            4.0 * self.step * errors.sum::<f64>()
        };
        let mut error = [
            rounding(|node| &node.both),
            rounding(|node| &node.mass),
            rounding(|node| &node.null),
        ];
        let mut is_settled = true;
        for epsilon in places {
            let (fine, coarse) = (self.integrals(epsilon, 1), self.integrals(epsilon, 2));
            for ((fine, coarse), error) in fine.iter().zip(&coarse).zip(&mut error) {
                let change = (fine - coarse).abs();
                if change > CHANGE * fine.abs() + *error {
                    is_settled = false;
                    *error = change;
                }
            }
        }
        self.error = error;
        is_settled
    }

    /// The three integrals divided by e^{K(c) − cε}, from every node or every second one.
    fn integrals(&self, epsilon: f64, stride: usize) -> [f64; 3] {
        let away = self.at.mean - epsilon;
        let (mut both, mut mass, mut null) = (0.0, 0.0, 0.0);
        for node in self.nodes.iter().step_by(stride) {
            let (sin, cos) = sin_cos(node.omega * away);
            both += node.both.re * cos - node.both.im * sin;
            mass += node.mass.re * cos - node.mass.im * sin;
            null += node.null.re * cos - node.null.im * sin;
        }
        let step = self.step * stride as f64;
        [both * step, mass * step, null * step]
    }

    /// The point of the curve at ε ≥ 0 if c > 0, at ε < 0 if c < −1.
    pub(super) fn at(&self, epsilon: f64) -> ProfilePoint {
        let mut integrals = self.integrals(epsilon, 1);
        for (integral, error) in integrals.iter_mut().zip(&self.error) {
            if integral.abs() <= *error {
                *integral = 0.0;
            }
        }
        let [both, mass, null] = integrals;
        let under_q = exp(self.at.log_total - self.c * epsilon);
        let under_p = exp(self.at.log_total - (self.c + 1.0) * epsilon);
        let knot = if self.c > 0.0 {
            let delta = under_q * both;
            ProfilePoint {
                delta,
                dual: under_p * both - exp_m1(-epsilon),
                alpha: under_p * null,
                beta: 1.0 - under_q * mass,
            }
        } else if self.c > -1.0 {
            ProfilePoint {
                delta: 1.0 + under_q * both,
                dual: 1.0 + under_p * both,
                alpha: under_p * null,
                beta: -under_q * mass,
            }
        } else {
            ProfilePoint {
                delta: under_q * both - exp_m1(epsilon),
                dual: under_p * both,
                alpha: 1.0 + under_p * null,
                beta: -under_q * mass,
            }
        };
        let probability = |x: f64| if x > 0.0 { x.min(1.0) } else { 0.0 };
        ProfilePoint {
            delta: probability(knot.delta),
            dual: probability(knot.dual),
            alpha: probability(knot.alpha),
            beta: probability(knot.beta),
        }
    }
}

fn largest(nodes: &[Node]) -> f64 {
    nodes.iter().map(|node| norm(node.mass)).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::super::pair::Pair;
    use super::*;

    /// On every side of the poles, each number of a Gaussian against its closed form.
    #[test]
    fn lines_know_the_gaussian_curve() {
        let mu = 3.0;
        let factors = [Factor::Gaussian(mu * mu)];
        for (c, epsilons) in [
            (0.7, [1.0, 9.0, 20.0]),
            (-0.4, [-6.0, 0.5, 7.0]),
            (-1.6, [-20.0, -9.0, -1.0]),
        ] {
            let ray = Ray::new(&factors, c, factors[0].cumulants(c)).unwrap();
            let line = Line::new(&ray, (epsilons[0], epsilons[2]), 0.0);
            for epsilon in epsilons {
                let (found, truth) = (line.at(epsilon), Pair::Gaussian(mu).at(epsilon));
                for (x, y) in [
                    (found.delta, truth.delta),
                    (found.dual, truth.dual),
                    (found.alpha, truth.alpha),
                    (found.beta, truth.beta),
                ] {
                    assert!(
                        (x - y).abs() < 1e-9 * y,
                        "{c} {epsilon} {found:?} {truth:?}"
                    );
                }
            }
        }
    }

    /// Noise of a tenth of the distance between two losses keeps the tail sums between them.
    #[test]
    fn smoothing_keeps_moments() {
        let step = 1e-2;
        let at = |s: f64| smoothing(Complex::new(s, 0.0)).re;
        assert!((at(step) - 1.0).abs() < 1e-16);
        assert!((at(0.5) - 1.0).abs() < 1.2e-5 && (at(0.5) - 1.0).abs() > 1e-6);
        assert!(norm(smoothing(Complex::new(0.0, 10.0))) < 1e-16);
    }
}
