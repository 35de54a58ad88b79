//! How libFuzzer changes inputs that are JSON: as a tree three times of four, else their bytes.

#[path = "../../tests/random/mod.rs"]
mod random;
#[path = "tree.rs"]
mod tree;

pub fn mutate(data: &mut [u8], size: usize, most: usize, seed: u32) -> usize {
    let mut random = random::Random(seed.into());
    let changed = match random.below(4) {
        0 => None,
        _ => tree::changed(&data[..size], &mut random).filter(|all| all.len() <= most),
    };
    match changed {
        Some(all) => {
            data[..all.len()].copy_from_slice(&all);
            all.len()
        }
        None => libfuzzer_sys::fuzzer_mutate(data, size, most),
    }
}
