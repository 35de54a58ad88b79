//! Fourier transforms whose size is a power of two, in steps of four.

use num_complex::Complex;

use super::elementary::sin_cos;

/// Transforms of one size.
pub(super) struct Transform {
    /// e^{−2πik/size} for all k of three quarters of a turn.
    roots: Vec<Complex<f64>>,
    size: usize,
}

impl Transform {
    /// `size` is a power of two.
    pub(super) fn new(size: usize) -> Self {
        let roots = (0..size * 3 / 4).map(|k| root(k, size)).collect();
        Self { roots, size }
    }

    /// Σ_j x_j e^{−2πijk/size} for every k.
    pub(super) fn of(&self, mut from: Vec<Complex<f64>>) -> Vec<Complex<f64>> {
        let mut to = vec![Complex::default(); from.len()];
        // `side` transforms of `left` numbers each are yet to be made, those of one beside those of the next.
        let (mut left, mut side) = (self.size, 1);
        while left > 2 {
            self.four(&from, &mut to, side);
            std::mem::swap(&mut from, &mut to);
            (left, side) = (left / 4, side * 4);
        }
        if left == 2 {
            let (a, b) = from.split_at(side);
            let (first, second) = to.split_at_mut(side);
            let pairs = a.iter().zip(b).zip(first.iter_mut().zip(second));
            for ((a, b), (first, second)) in pairs {
                (*first, *second) = (a + b, a - b);
            }
            std::mem::swap(&mut from, &mut to);
        }
        from
    }

    /// Makes four transforms of each, a quarter as long, turned as those of the whole take them up.
    fn four(&self, from: &[Complex<f64>], to: &mut [Complex<f64>], side: usize) {
        let (front, back) = from.split_at(from.len() / 2);
        let (a, b) = front.split_at(front.len() / 2);
        let (c, d) = back.split_at(back.len() / 2);
        let turned = |times: usize| self.roots.iter().step_by(side * times);
        let roots = turned(1).zip(turned(2)).zip(turned(3));
        let front = a.chunks_exact(side).zip(b.chunks_exact(side));
        let back = c.chunks_exact(side).zip(d.chunks_exact(side));
        let blocks = to.chunks_exact_mut(4 * side).zip(front.zip(back));
        for ((block, ((a, b), (c, d))), ((one, two), three)) in blocks.zip(roots) {
            let (low, high) = block.split_at_mut(2 * side);
            let (y0, y1) = low.split_at_mut(side);
            let (y2, y3) = high.split_at_mut(side);
            let here = (a.iter().zip(b)).zip(c.iter().zip(d));
            let there = (y0.iter_mut().zip(y1)).zip(y2.iter_mut().zip(y3));
            for (((a, b), (c, d)), ((y0, y1), (y2, y3))) in here.zip(there) {
                let (even, other) = (a + c, b + d);
                let (odd, turned) = (a - c, b - d);
                // −i times it.
                let turned = Complex::new(turned.im, -turned.re);
                *y0 = even + other;
                *y1 = (odd + turned) * one;
                *y2 = (even - other) * two;
                *y3 = (odd - turned) * three;
            }
        }
    }
}

/// e^{−2πik/size}, from an angle of an eighth of a turn at most.
fn root(k: usize, size: usize) -> Complex<f64> {
    let quarter = (size / 4).max(1);
    let (turns, rest) = (k / quarter, k % quarter);
    let angle = |k: usize| std::f64::consts::TAU * (k as f64 / size as f64);
    let (sin, cos) = if 2 * rest > quarter {
        let (cos, sin) = sin_cos(angle(quarter - rest));
        (sin, cos)
    } else {
        sin_cos(angle(rest))
    };
    match turns {
        0 => Complex::new(cos, -sin),
        1 => Complex::new(-sin, -cos),
        2 => Complex::new(-cos, sin),
        _ => Complex::new(sin, cos),
    }
}

#[cfg(test)]
mod tests {
    use rug::Float;
    use rug::float::Constant;

    use super::*;

    fn drawn(size: usize, mut state: u64) -> Vec<Complex<f64>> {
        let mut draw = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1);
            (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        };
        (0..size).map(|_| Complex::new(draw(), draw())).collect()
    }

    /// Against the sum in 200 bits.
    #[test]
    fn sums_term_by_term() {
        for size in [1, 2, 4, 8, 16, 32, 64, 128] {
            let input = drawn(size, 1);
            let output = Transform::new(size).of(input.clone());
            assert_eq!(output.len(), size);
            for (k, found) in output.iter().enumerate() {
                let (mut re, mut im) = (Float::new(200), Float::new(200));
                for (j, x) in input.iter().enumerate() {
                    let mut angle = Float::with_val(200, Constant::Pi) * (2 * ((j * k) % size));
                    angle /= -(size as f64);
                    let (sin, cos) = angle.sin_cos(Float::new(200));
                    re += Float::with_val(200, &cos * x.re) - Float::with_val(200, &sin * x.im);
                    im += Float::with_val(200, &sin * x.re) + Float::with_val(200, &cos * x.im);
                }
                let missed = (re - found.re).to_f64().abs() + (im - found.im).to_f64().abs();
                assert!(missed < 4e-15, "{size} {k} {missed}");
            }
        }
    }

    /// Against rustfft, where the sum takes too long.
    #[test]
    fn transforms_of_rustfft() {
        let mut planner = rustfft::FftPlanner::new();
        for log in 8..17u64 {
            let size = 1usize << log;
            let input = drawn(size, log);
            let output = Transform::new(size).of(input.clone());
            let mut other = input;
            planner.plan_fft_forward(size).process(&mut other);
            for (found, other) in output.iter().zip(&other) {
                assert!(
                    (found - other).norm() < 1e-14 * (size as f64).sqrt(),
                    "{size}"
                );
            }
        }
    }

    /// Far around and at corners as exactly as f64 can.
    #[test]
    fn roots_of_unity() {
        for size in [4usize, 64, 4096] {
            for k in 0..size {
                let mut angle = Float::with_val(200, Constant::Pi) * (2 * k);
                angle /= -(size as f64);
                let (sin, cos) = angle.sin_cos(Float::new(200));
                let found = root(k, size);
                assert!((cos - found.re).to_f64().abs() < 2e-16, "{k} of {size}");
                assert!((sin - found.im).to_f64().abs() < 2e-16, "{k} of {size}");
            }
        }
        assert_eq!(root(3, 4), Complex::new(0.0, 1.0));
    }
}
