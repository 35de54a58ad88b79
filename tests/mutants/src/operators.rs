//! What is put in place of what.

use syn::BinOp;

/// Words of a name that stand for a direction of rounding or an end, and their opposites.
const OPPOSITES: &[(&str, &str)] = &[
    ("up", "down"),
    ("lo", "hi"),
    ("low", "high"),
    ("lower", "upper"),
    ("min", "max"),
    ("least", "most"),
    ("least", "largest"),
    ("smallest", "largest"),
    ("floor", "ceil"),
    ("above", "below"),
    ("below", "up"),
    ("left", "right"),
    ("first", "last"),
    ("Up", "Down"),
    ("Lower", "Upper"),
    ("Low", "High"),
    ("Floor", "Ceil"),
    ("Min", "Max"),
    ("Less", "Greater"),
];

/// The names that turn the direction of `name` round: `add_up` for `add_down`, `hi` for `lo`.
pub fn turned(name: &str) -> Vec<String> {
    let words: Vec<&str> = name.split('_').collect();
    let mut found = Vec::new();
    for (place, word) in words.iter().enumerate() {
        for (a, b) in OPPOSITES {
            let other = if word == a {
                b
            } else if word == b {
                a
            } else {
                continue;
            };
            let mut changed = words.clone();
            if let Some(slot) = changed.get_mut(place) {
                *slot = other;
            }
            found.push(changed.join("_"));
        }
    }
    found
}

/// Another name for an arithmetic method: no direction, a wrong operation.
pub fn another_operation(name: &str) -> Option<&'static str> {
    Some(match name {
        "add" => "sub",
        "sub" => "add",
        "mul" => "div",
        "div" => "mul",
        "add_up" => "sub_up",
        "add_down" => "sub_down",
        "sub_up" => "add_up",
        "sub_down" => "add_down",
        "mul_up" => "div_up",
        "mul_down" => "div_down",
        "div_up" => "mul_up",
        "div_down" => "mul_down",
        "exp" => "exp_m1",
        "is_some" => "is_none",
        "is_none" => "is_some",
        "any" => "all",
        "all" => "any",
        _ => return None,
    })
}

/// Is the argument of this method a term that could be forgotten?
pub fn adds_a_term(name: &str) -> bool {
    let stem = name.split('_').next().unwrap_or(name);
    matches!(stem, "add" | "sub" | "widen" | "plus" | "minus" | "hull")
}

/// What is put for a binary operator, and whether only the direction of a comparison's end changes.
pub fn binary(op: &BinOp) -> &'static [(&'static str, bool)] {
    match op {
        BinOp::Lt(_) => &[("<=", true), (">", false)],
        BinOp::Le(_) => &[("<", true), (">=", false)],
        BinOp::Gt(_) => &[(">=", true), ("<", false)],
        BinOp::Ge(_) => &[(">", true), ("<=", false)],
        BinOp::Eq(_) => &[("!=", false)],
        BinOp::Ne(_) => &[("==", false)],
        BinOp::And(_) => &[("||", false)],
        BinOp::Or(_) => &[("&&", false)],
        BinOp::Add(_) => &[("-", false)],
        BinOp::Sub(_) => &[("+", false)],
        BinOp::Mul(_) => &[("+", false)],
        BinOp::Div(_) => &[("*", false)],
        BinOp::Shl(_) => &[(">>", false)],
        BinOp::Shr(_) => &[("<<", false)],
        BinOp::AddAssign(_) => &[("-=", false)],
        BinOp::SubAssign(_) => &[("+=", false)],
        BinOp::MulAssign(_) => &[("+=", false)],
        BinOp::ShlAssign(_) => &[(">>=", false)],
        BinOp::ShrAssign(_) => &[("<<=", false)],
        _ => &[],
    }
}

/// Can the right side of this operator be a term that is forgotten?
pub fn right_side_is_a_term(op: &BinOp) -> bool {
    matches!(op, BinOp::Add(_) | BinOp::Sub(_))
}

/// Functions of two things whose order does not matter.
pub fn is_symmetric(name: &str) -> bool {
    let name = name.split("::<").next().unwrap_or(name);
    let last = name.rsplit("::").next().unwrap_or(name);
    let stem = last.split('_').next().unwrap_or(last);
    let by_stem = matches!(
        stem,
        "add"
            | "mul"
            | "plus"
            | "times"
            | "product"
            | "convolve"
            | "max"
            | "min"
            | "hull"
            | "intersect"
            | "gcd"
            | "lcm"
    );
    // Products by other names, their checks, the size of their errors; and whether, or that, two change places.
    let by_name = matches!(
        last,
        "wide_product"
            | "high_product"
            | "way"
            | "by_transform"
            | "by_primes"
            | "slot_words"
            | "transform_length"
            | "verify"
            | "verify_at"
            | "convolution"
            | "products"
            | "sum_of_keys"
            | "sine_of_sum"
            | "error_of_product_up"
            | "ptr_eq"
    );
    by_stem || by_name || name.ends_with("Product::new") || name.ends_with("ptr::eq")
}
