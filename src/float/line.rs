//! Tail sums of a composition by integrals along one vertical line of the complex plane.
//!
//! With M(s) = E_Q e^{sL} the integral of M(s)·e^{−sε}/(s(s+1)) ds/(2πi) along Re s = c is δ(ε) for c > 0, δ(ε) − 1
//! for −1 < c < 0 and δ(ε) − 1 + e^ε for c < −1 (inverse Laplace transform; the poles have residues 1 and −e^ε); with
//! 1/s and 1/(s+1) in place of 1/(s(s+1)), it gives Q(L > ε) and e^ε·P(L > ε) in the same way.

use rustfft::num_complex::Complex;

use super::factor::{Cumulants, Factor, Transform};
use super::pair::Knot;

/// One node Im s of the trapezoidal rule, with the integrand at the mean for its three kernels.
#[derive(Debug, Clone, Copy)]
struct Node {
    omega: f64,
    /// 1/(s(s+1)).
    both: Complex<f64>,
    /// 1/s.
    mass: Complex<f64>,
    /// 1/(s+1).
    null: Complex<f64>,
}

/// The line Re s = c, ready for every ε not too far from the mean of the law tilted by e^{cL}.
#[derive(Debug, Clone)]
pub(super) struct Line {
    c: f64,
    at: Cumulants,
    nodes: Vec<Node>,
    /// Distance of neighbouring nodes in v, where ω = scale·sinh(v).
    step: f64,
    /// What rounding leaves of the three integrals.
    rounding: [f64; 3],
}

/// The integrand is 0 where it is smaller than e^{−NOTHING}.
const NOTHING: f64 = 38.0;
/// The rule is halved until halving changes no integral by more than this, relatively; its error is then the square.
const CHANGE: f64 = 1e-6;
const FIRST_STEP: f64 = 0.25;
/// More nodes than this are left to the grid.
const MOST_NODES: usize = 4_096;

impl Line {
    /// The line that serves the losses of a stretch. `None` if it would take too many nodes.
    pub(super) fn new(
        factors: &[Factor],
        c: f64,
        at: Cumulants,
        stretch: (f64, f64),
    ) -> Option<Self> {
        let sd = at.variance.sqrt();
        let scale = c.abs().min((c + 1.0).abs()).min(1.0 / sd);
        if !(scale > 0.0 && scale.is_finite() && sd.is_finite()) {
            return None;
        }
        let transforms = |fastest: f64| -> Vec<Transform> {
            factors.iter().map(|f| f.along(c, fastest)).collect()
        };
        // The fastest frequency is known only afterwards.
        let guess = 9.0 / sd;
        let nodes = integrand(&transforms(guess), c, scale)?;
        let fastest = nodes.last().map_or(0.0, |node| node.omega);
        let slow_enough = 1.5 * guess;
        let chosen = transforms(fastest.max(guess));
        let nodes = if fastest <= slow_enough {
            nodes
        } else {
            integrand(&chosen, c, scale)?
        };
        let mut line = Self {
            c,
            at,
            nodes,
            step: FIRST_STEP,
            rounding: [0.0; 3],
        };
        let middle = at.mean.clamp(stretch.0, stretch.1);
        let places = [stretch.0, middle, stretch.1];
        loop {
            line.halve(&chosen, scale);
            line.settle();
            if places.iter().all(|epsilon| line.is_settled(*epsilon)) {
                return Some(line);
            }
            if line.nodes.len() > MOST_NODES / 2 {
                return None;
            }
        }
    }

    /// Puts a node between every two.
    fn halve(&mut self, transforms: &[Transform], scale: f64) {
        let step = self.step / 2.0;
        let mut nodes = Vec::with_capacity(2 * self.nodes.len());
        for (i, old) in self.nodes.iter().enumerate() {
            nodes.push(*old);
            nodes.push(node(transforms, self.c, scale, step * (2 * i + 1) as f64));
        }
        (self.nodes, self.step) = (nodes, step);
    }

    fn settle(&mut self) {
        const ROUNDING: f64 = 3e-16;
        let size = |of: fn(&Node) -> &Complex<f64>| -> f64 {
            let sum: f64 = self.nodes.iter().map(|node| of(node).norm()).sum();
            ROUNDING * self.step * sum
        };
        self.rounding = [size(|n| &n.both), size(|n| &n.mass), size(|n| &n.null)];
    }

    fn is_settled(&self, epsilon: f64) -> bool {
        let (fine, coarse) = (self.integrals(epsilon, 1), self.integrals(epsilon, 2));
        let all = fine.iter().zip(&coarse).zip(&self.rounding);
        all.into_iter().all(|((fine, coarse), rounding)| {
            (fine - coarse).abs() <= CHANGE * fine.abs() + 4.0 * rounding
        })
    }

    /// The three integrals divided by e^{K(c) − cε}, from every node or every second one.
    fn integrals(&self, epsilon: f64, stride: usize) -> [f64; 3] {
        let away = self.at.mean - epsilon;
        let (mut both, mut mass, mut null) = (0.0, 0.0, 0.0);
        for node in self.nodes.iter().step_by(stride) {
            let (sin, cos) = (node.omega * away).sin_cos();
            both += node.both.re * cos - node.both.im * sin;
            mass += node.mass.re * cos - node.mass.im * sin;
            null += node.null.re * cos - node.null.im * sin;
        }
        let step = self.step * stride as f64;
        [both * step, mass * step, null * step]
    }

    /// The point of the curve at ε ≥ 0 if c > 0, at ε < 0 if c < −1.
    pub(super) fn at(&self, epsilon: f64) -> Knot {
        let mut integrals = self.integrals(epsilon, 1);
        for (integral, rounding) in integrals.iter_mut().zip(&self.rounding) {
            if integral.abs() <= 4.0 * rounding {
                *integral = 0.0;
            }
        }
        let [both, mass, null] = integrals;
        let under_q = (self.at.log_total - self.c * epsilon).exp();
        let under_p = (self.at.log_total - (self.c + 1.0) * epsilon).exp();
        let knot = if self.c > 0.0 {
            let delta = under_q * both;
            Knot {
                delta,
                dual: under_p * both - (-epsilon).exp_m1(),
                alpha: under_p * null,
                beta: 1.0 - under_q * mass,
            }
        } else if self.c > -1.0 {
            Knot {
                delta: 1.0 + under_q * both,
                dual: 1.0 + under_p * both,
                alpha: under_p * null,
                beta: -under_q * mass,
            }
        } else {
            Knot {
                delta: under_q * both - epsilon.exp_m1(),
                dual: under_p * both,
                alpha: 1.0 + under_p * null,
                beta: -under_q * mass,
            }
        };
        let probability = |x: f64| if x > 0.0 { x.min(1.0) } else { 0.0 };
        Knot {
            delta: probability(knot.delta),
            dual: probability(knot.dual),
            alpha: probability(knot.alpha),
            beta: probability(knot.beta),
        }
    }
}

/// Nodes at the first distance, up to where nothing is left and nothing returns.
fn integrand(transforms: &[Transform], c: f64, scale: f64) -> Option<Vec<Node>> {
    const FARTHEST: usize = 200;
    const SILENT: usize = 4;
    let mut nodes = Vec::new();
    let mut silent = 0;
    for i in 0..FARTHEST {
        let v = FIRST_STEP * i as f64;
        let log = log_ratio(transforms, scale * v.sinh());
        if log.re.is_nan() {
            return None;
        }
        silent = if log.re < -NOTHING { silent + 1 } else { 0 };
        nodes.push(node_of(log, c, scale, v));
        if silent == SILENT {
            nodes.truncate(nodes.len() - (SILENT - 1));
            return Some(nodes);
        }
    }
    None
}

fn log_ratio(transforms: &[Transform], omega: f64) -> Complex<f64> {
    transforms.iter().map(|transform| transform.at(omega)).sum()
}

fn node(transforms: &[Transform], c: f64, scale: f64, v: f64) -> Node {
    node_of(log_ratio(transforms, scale * v.sinh()), c, scale, v)
}

fn node_of(log: Complex<f64>, c: f64, scale: f64, v: f64) -> Node {
    // Both halves of the line, but the point between them once.
    let density = scale * v.cosh() / std::f64::consts::PI * if v == 0.0 { 0.5 } else { 1.0 };
    let omega = scale * v.sinh();
    let (s, t) = (Complex::new(c, omega), Complex::new(c + 1.0, omega));
    let value = log.exp() * density;
    Node {
        omega,
        both: value / (s * t),
        mass: value / s,
        null: value / t,
    }
}
