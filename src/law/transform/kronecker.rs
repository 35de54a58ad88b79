//! The product as one product of large integers: Kronecker substitution on GMP.
//!
//! Each sequence is written into one large integer with a slot of whole limbs per element, wide enough that no
//! element of the product can overflow into the next; the product of the two integers holds the convolution.

use rug::Integer;
use rug::integer::Order;

use crate::kernel::InvariantViolation;
use crate::law::{Mass, Product};

/// c_k = Σ a_i·b_{k−i}.
///
/// # Errors
/// If an element does not fit 2L limbs.
pub(super) fn convolve<const L: usize>(
    a: &[Mass<L>],
    b: &[Mass<L>],
) -> Result<Vec<Product<L>>, InvariantViolation> {
    let words = slot_words(a, b);
    let product = if a == b {
        pack(a, words).square()
    } else {
        pack(a, words) * pack(b, words)
    };
    let length = a.len().saturating_add(b.len()).saturating_sub(1);
    unpack(&product, words, length)
}

/// Limbs that a slot needs: an element is at most min(len) · max a · max b.
fn slot_words<const L: usize>(a: &[Mass<L>], b: &[Mass<L>]) -> usize {
    let largest = |masses: &[Mass<L>]| {
        masses
            .iter()
            .max()
            .map_or(Integer::new(), |m| m.to_integer())
    };
    let bound = largest(a) * largest(b) * Integer::from(a.len().min(b.len()));
    bound.significant_digits::<u64>().max(1)
}

fn pack<const L: usize>(masses: &[Mass<L>], words: usize) -> Integer {
    let mut limbs = vec![0; masses.len().saturating_mul(words)];
    for (slot, mass) in limbs.chunks_mut(words).zip(masses) {
        // An element of a factor that does not fit its slot meets only zeros of the other, and the product is 0.
        for (limb, value) in slot.iter_mut().zip(mass.limbs()) {
            *limb = *value;
        }
    }
    Integer::from_digits(&limbs, Order::Lsf)
}

fn unpack<const L: usize>(
    product: &Integer,
    words: usize,
    length: usize,
) -> Result<Vec<Product<L>>, InvariantViolation> {
    let limbs = product.to_digits::<u64>(Order::Lsf);
    let mut elements = limbs
        .chunks(words)
        .map(to_product)
        .collect::<Result<Vec<_>, _>>()?;
    elements.resize(length, Product::ZERO);
    Ok(elements)
}

fn to_product<const L: usize>(slot: &[u64]) -> Result<Product<L>, InvariantViolation> {
    let mut source = slot.iter().copied();
    let mut next = || Mass::from_limbs([(); L].map(|()| source.next().unwrap_or(0)));
    let (low, high) = (next(), next());
    if source.any(|limb| limb != 0) {
        return Err(InvariantViolation(
            "a coefficient of a product of laws does not fit".into(),
        ));
    }
    Ok(Product { high, low })
}
