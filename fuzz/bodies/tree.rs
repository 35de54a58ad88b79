//! JSON changed as a tree: parts copied, left out, doubled, swapped, nested or put at an extreme, and the hash of a certificate made anew, so that what comes
//! behind the parser is reached.

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::random::Random;

/// Numbers and texts where readers and bounds have their limits.
const EXTREMES: [&str; 22] = [
    "0",
    "-0",
    "1",
    "-1",
    "1/2",
    "1/0",
    "1e-400",
    "1e400",
    "-1e99999",
    "1e-99999",
    "0.9999999999999999999999999",
    "18446744073709551616",
    "9223372036854775807",
    "4294967296",
    "inf",
    "-inf",
    "nan",
    "true",
    "",
    "null",
    "[]",
    "{}",
];

/// The JSON of `bytes` with one to four changes; nothing if it is no JSON.
pub fn changed(bytes: &[u8], random: &mut Random) -> Option<Vec<u8>> {
    let mut tree: Value = serde_json::from_slice(bytes).ok()?;
    for _ in 0..=random.below(4) {
        change(&mut tree, random);
    }
    seal(&mut tree, random);
    Some(tree.to_string().into_bytes())
}

fn change(tree: &mut Value, random: &mut Random) {
    let donor = node(tree, random).clone();
    let place = node(tree, random);
    match (random.below(8), place) {
        (0, place) => *place = donor,
        (1, place) => *place = extreme(random),
        (2, place) => *place = Value::Array(vec![place.clone(), donor]),
        (3, Value::Array(all)) if !all.is_empty() => {
            all.remove(random.below(all.len()));
        }
        (4, Value::Array(all)) if !all.is_empty() => {
            let one = all[random.below(all.len())].clone();
            all.insert(random.below(all.len()), one);
        }
        (5, Value::Array(all)) if !all.is_empty() => {
            let (a, b) = (random.below(all.len()), random.below(all.len()));
            all.swap(a, b);
        }
        (3, Value::Object(all)) => drop(some_key(all, random).and_then(|key| all.remove(&key))),
        (4 | 5, Value::Object(all)) => {
            if let (Some(from), Some(to)) = (some_key(all, random), some_key(all, random))
                && let Some(value) = all.get(&from).cloned()
            {
                all.insert(to, value);
            }
        }
        (_, Value::Object(all)) => {
            if let Some(key) = some_key(all, random) {
                all.insert(key, donor);
            }
        }
        (_, Value::Number(number)) => {
            let text = number.to_string();
            *number = other_number(&text, random)
                .parse()
                .unwrap_or_else(|_| 0.into());
        }
        (_, Value::String(text)) => *text = other_number(text, random),
        (_, place) => *place = extreme(random),
    }
}

/// Any part of the tree, itself too.
fn node<'a>(tree: &'a mut Value, random: &mut Random) -> &'a mut Value {
    let size = match tree {
        Value::Array(all) => all.len(),
        Value::Object(all) => all.len(),
        _ => 0,
    };
    if size == 0 || random.below(6) == 0 {
        return tree;
    }
    let which = random.below(size);
    match tree {
        Value::Array(all) => node(&mut all[which], random),
        Value::Object(all) => match all.values_mut().nth(which) {
            Some(one) => node(one, random),
            None => unreachable!("there are as many values as keys"),
        },
        _ => unreachable!("only lists and tables have parts"),
    }
}

fn some_key(all: &Map<String, Value>, random: &mut Random) -> Option<String> {
    all.keys().nth(random.below(all.len())).cloned()
}

fn extreme(random: &mut Random) -> Value {
    let text = EXTREMES[random.below(EXTREMES.len())];
    match serde_json::from_str(text) {
        Ok(value) if random.below(2) == 0 => value,
        _ => Value::String(text.to_owned()),
    }
}

/// One digit or sign changed, doubled or left out.
fn other_number(text: &str, random: &mut Random) -> String {
    const MARKS: [char; 14] = [
        '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '-', '.', 'e', '/',
    ];
    let mut marks: Vec<char> = text.chars().collect();
    let at = random.below(marks.len());
    let mark = MARKS[random.below(MARKS.len())];
    match random.below(3) {
        0 => marks.insert(at, mark),
        1 if !marks.is_empty() => drop(marks.remove(at)),
        _ => {
            if let Some(one) = marks.get_mut(at) {
                *one = mark;
            }
        }
    }
    marks.into_iter().collect()
}

/// What a certificate is about is changed too, now and then; its hash is right again.
fn seal(tree: &mut Value, random: &mut Random) {
    let Some(file) = tree.get_mut("claim-file") else {
        return;
    };
    let Some(text) = file.get("text").and_then(Value::as_str) else {
        return;
    };
    let mut text = text.to_owned();
    if random.below(2) == 0
        && let Ok(mut inner) = serde_json::from_str::<Value>(&text)
    {
        change(&mut inner, random);
        text = inner.to_string();
    }
    let hash = Sha256::digest(text.as_bytes());
    let hash: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
    if let Some(all) = file.as_object_mut() {
        all.insert("text".to_owned(), Value::String(text));
        all.insert("sha256".to_owned(), Value::String(hash));
    }
}
