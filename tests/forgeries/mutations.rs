//! Random mutations of true certificates: whatever is accepted must be true.
//!
//! `DPCMP_MUTATIONS` is how many are tried.

use serde_json::Value;

use super::random::Random;
use super::{canonical, certificate, check, put_claim_file, put_statement};

/// The number that the claim of a line bounds: its key in the claim, an enclosure of the least (or, for `beta`, the largest) value
/// with which the claim is true.
const TRUTHS: &[(usize, &str, f64, f64)] = &[
    (1, "delta", 0.006829594983107746, 0.006829594983121406),
    (2, "delta", 0.006829594983107746, 0.006829594983121406),
    (3, "delta", 0.0020917779999979082, 0.0020919404000020922),
    (4, "delta", 0.0020917779999979082, 0.0020919404000020922),
    (5, "epsilon", 0.999999999999, 1.000000000001),
    (7, "at-most", 0.33333333333299997, 0.33333333333366666),
    (8, "beta", 0.4999999999995, 0.5000000000005),
    (9, "mu", 0.3429135099996571, 0.34292040000034296),
    (10, "mu", 0.3429135099996571, 0.34292040000034296),
    (11, "mu", 0.9354877868772516, 0.9354877868791227),
    (12, "mu", 4.999999999995, 5.0000000000050004),
    (13, "beta", 0.7284247399992716, 0.7284506500007285),
    (14, "beta", 0.7284247399992716, 0.7284506500007285),
    (16, "beta", 0.6108220899993891, 0.610987450000611),
    (17, "mu", 1.0300639976234038, 1.030063997625464),
    (18, "beta", 0.8337882299991662, 0.8337916400008338),
    (19, "delta", 0.002793040399997207, 0.0027996944000027997),
    (20, "mu", 0.999999999999, 1.0556245000010558),
    (21, "mu", 0.46113551999, 0.46113878001),
    (22, "mu", 0.46113551999, 0.46113878001),
    (23, "beta", 0.2499999999999, 0.2500000000001),
    (24, "mu", 1.0300639976234038, 1.030063997625464),
    (26, "delta", 0.0020917779999979082, 0.0020919404000020922),
    (25, "mu", 0.5890825229160, 0.5890825229170),
    (27, "delta", 0.0091578194443, 0.0091578194444),
    // Of these the engine encloses the worst dataset.
    (28, "delta", 0.0948, 1.0),
    (29, "delta", 0.07, 0.12694),
    (30, "rho", 7.124999999999, 7.125000000001),
    (31, "epsilon", 0.17046329349, 0.1704632935),
    (32, "at-most", 0.0957312306369, 0.0957312306371),
    (33, "at-most", 0.1478896, 0.1478935),
    (34, "at-most", 0.0341385466091, 0.0341385466092),
    // It is dominated without any room.
    (35, "at-most", 0.0, 0.0),
    // Any randomiser: between a member and what is above all of them.
    (37, "delta", 6.2197608e-15, 1.2113723e-9),
    (38, "delta", 6.243375021e-6, 6.243375022e-6),
    (39, "at-most", 0.0337569159024, 0.0337569159025),
    // Twice along one coordinate, and what is proved of every vector.
    (40, "epsilon", 0.149, 0.1519195059825),
    (41, "at-most", 0.0046373782529, 0.004637378253),
    (42, "at-most", 6.46871937015e-7, 6.46871937016e-7),
    (43, "epsilon", 0.23871265863408, 0.23871265863409),
    // At order 1: the divergence e^(−1/2) − 1/2.
    (44, "rho", 0.10653065971263, 0.10653065971264),
    (45, "at-most", 0.0, 0.0),
    (46, "delta", 0.21491114459689, 0.2149111445969),
    (47, "at-most", 4.7137835e-26, 4.7137836e-26),
    (48, "delta", 0.11750309741540459, 0.11750309741540461),
    (49, "at-most", 0.0, 0.0),
    (50, "mu", 2.4277097, 2.4277098),
    (51, "beta", 0.7281718171540954, 0.7281718171540956),
    // G_0.3 is below all of it, and what is the same with and without the record has ρ = 0.
    (52, "at-most", 0.0, 0.0),
    (53, "rho", 0.0, 0.0),
    (54, "epsilon", 2.073060041268536, 2.073060041268537),
    (55, "delta", 0.1979598912423281, 0.1979598912423283),
    (56, "at-most", 0.0, 0.0),
    (57, "epsilon", 7.84, 7.84),
    // Between two candidates and Laplace noise.
    (58, "epsilon", 0.6615, 0.7116),
    (59, "delta", 0.31866726124062, 0.31866726124063),
    // In any order: between an order and what is above all of them.
    (60, "epsilon", 0.2507, 0.7239),
    (61, "delta", 0.1925, 0.5063),
    (62, "beta", 0.06654, 0.6781),
    (63, "epsilon", 0.343376006706128, 0.343376006706129),
    (64, "delta", 0.0951625819640, 0.0951625819641),
    // Between what large datasets come near to and what is above every adversary.
    (65, "delta", 0.286, 0.3036),
    (66, "at-most", 0.44105003, 0.44105014),
    (67, "mu", 1.3, 1.369),
    (68, "epsilon", 7.96008, 7.96116),
    (69, "rho", 1.0204081, 1.0204082),
    (70, "mu", 5.4600582, 5.4600583),
    (71, "beta", 9.622e-29, 1.254e-17),
    (72, "delta", 0.3634067036423, 0.3634067036424),
    (73, "epsilon", 0.0923119459550, 0.0923119459551),
    (74, "epsilon", 0.4832956615835, 0.4832956615836),
    (75, "delta", 0.7576629102985, 0.7576629102987),
    (76, "delta", 0.2075688072377, 0.2075688072378),
    // All steps of a matrix, by sums of rows.
    (77, "at-most", 0.1896571252147, 0.1896571252148),
    (78, "rho", 0.08349765, 0.08349767),
    (79, "epsilon", 0.8494341273990, 0.8494341273991),
    // Nearly the least, and between a Gaussian member and what both errors alike need.
    (80, "mu", 1.2839125401133, 1.2839125401134),
    (81, "mu", 0.36379344, 0.5375519),
    // On samples.
    (83, "delta", 6.72747945965993e-4, 6.72747945965994e-4),
    (84, "at-most", 0.0479098423116, 0.0479098423117),
    (85, "epsilon", 0.0052826287064, 0.0052826287065),
    (86, "epsilon", 0.1226460171849, 0.122646017185),
    (87, "mu", 0.0507511, 0.0507559),
    // Between the Gaussian of a table and what it says.
    (89, "epsilon", 0.1999999, 0.5),
    (90, "epsilon", 0.0, 0.1),
    (91, "at-most", 9.758341628e-7, 9.758341630e-7),
    (92, "at-most", 0.1086860046129, 0.108686004613),
    (93, "at-most", 0.0321952979563, 0.0321952979564),
    (94, "mu", 1.0, 1.046719),
    // From Gaussian members on, and where bounds are proved.
    (95, "delta", 0.1269, 0.2216),
    (96, "at-most", 0.00814869, 0.00815668),
    (97, "epsilon", 0.8892, 1.3673),
    (98, "delta", 0.9999938557876466, 0.9999938557876467),
    // In the order `add`; of replaced records what is proved of all that is stated, from a member on.
    (99, "epsilon", 0.1367569665028, 0.1367569665029),
    (100, "delta", 0.0, 0.0065273),
    (101, "delta", 6.2472e-5, 0.0089703),
    (102, "epsilon", 0.0, 0.0218988),
    // No least number is known.
    (103, "mu", 1.0, f64::INFINITY),
    (104, "mu", 0.9279607, f64::INFINITY),
    // From a sample whose others contribute nothing to two labels; from two candidates on.
    (105, "delta", 8.449659e-7, 9.112733e-7),
    (106, "at-most", 0.0197412513, 0.0197418809),
    (107, "delta", 0.0083602048, 0.0098572611),
    (108, "epsilon", 0.0097309704, 0.72068706),
    // Between the best threshold and E[K]·δ.
    (109, "delta", 0.0371541583, 0.13286),
    (110, "delta", 0.0371541582, 0.13286),
    // From the class alone, or its Gaussian, to all that has the sum of every ρ.
    (111, "delta", 1.79e-11, 1.1e-6),
    (112, "at-most", 0.221741, 0.22197),
    (113, "mu", 0.4472, 0.9987),
    (114, "delta", 0.0025942, 0.00259504),
    (115, "delta", 0.0025942, 0.00259504),
    (116, "delta", 0.001059, 0.07051),
];

const WITHOUT_A_NUMBER: [usize; 5] = [6, 15, 36, 82, 88];

fn fraction(random: &mut Random) -> f64 {
    f64::from(u32::try_from(random.below(1 << 24)).unwrap()) / f64::from(1 << 24)
}

/// Changes something small somewhere in the proof.
fn mutate(value: &mut Value, random: &mut Random) {
    match value {
        Value::Object(entries) if !entries.is_empty() => {
            let place = random.below(entries.len());
            mutate(entries.values_mut().nth(place).unwrap(), random);
        }
        Value::Array(items) if !items.is_empty() => {
            let (place, other) = (random.below(items.len()), random.below(items.len()));
            match random.below(8) {
                0 => drop(items.remove(place)),
                1 => items.insert(place, items[other].clone()),
                2 => items.swap(place, other),
                _ => mutate(&mut items[place], random),
            }
        }
        Value::Number(number) => {
            let number = number.as_i64().unwrap_or(0);
            let choices = [number + 1, number - 1, number * 2, -number, number / 2, 0];
            *value = Value::from(choices[random.below(choices.len())]);
        }
        Value::String(text) => {
            let mut bytes = text.clone().into_bytes();
            let place = random.below(bytes.len().max(1));
            match random.below(4) {
                0 if !bytes.is_empty() => drop(bytes.remove(place)),
                1 => bytes.insert(place.min(bytes.len()), b"0123456789./-e"[random.below(14)]),
                2 if !bytes.is_empty() => {
                    bytes[place] = b'0' + u8::try_from(random.below(10)).unwrap()
                }
                _ => bytes.reverse(),
            }
            *text = String::from_utf8(bytes).unwrap();
        }
        _ => (),
    }
}

#[test]
fn what_is_accepted_is_true() {
    let count = std::env::var("DPCMP_MUTATIONS").map_or(400, |text| text.parse().unwrap());
    let lines = include_str!("claims.jsonl").lines().count();
    let originals: Vec<Value> = (1..=lines).map(certificate).collect();
    let mut random = Random(20_231_130);
    let (mut accepted, mut shifted) = (0, 0);
    for trial in 0..count {
        let line = 1 + random.below(lines);
        let mut mutated = originals[line - 1].clone();
        let mut is_true = mutated["verdict"] == "verified";
        let mut is_known = true;
        if random.below(2) == 0
            && let Some((_, key, low, high)) = TRUTHS.iter().find(|(of, ..)| *of == line)
        {
            // Close to the truth, on either side.
            let size = 10f64.powf(-5.0 * fraction(&mut random));
            let number = low * (1.0 + if random.below(2) == 0 { size } else { -size });
            let mut file: Value =
                serde_json::from_str(mutated["claim-file"]["text"].as_str().unwrap()).unwrap();
            file["claim"][*key] = Value::from(format!("{number:e}"));
            put_claim_file(&mut mutated, &file.to_string());
            is_true = if *key == "beta" {
                number <= *low
            } else {
                number >= *high
            };
            is_known = number < *low || number > *high;
            shifted += 1;
        }
        if random.below(3) == 0 {
            let flipped = if mutated["verdict"] == "verified" {
                "refuted"
            } else {
                "verified"
            };
            mutated["verdict"] = Value::from(flipped);
        }
        put_statement(&mut mutated);
        for _ in 0..random.below(3) {
            mutate(&mut mutated["proof"], &mut random);
        }
        let answer = check(&canonical(&mutated));
        assert!(
            [0, 1, 2].contains(&answer.code),
            "trial {trial}: {}",
            answer.text
        );
        if answer.code == 0 && is_known {
            accepted += 1;
            assert_eq!(
                mutated["verdict"] == "verified",
                is_true,
                "trial {trial}, line {line}: {}",
                answer.text
            );
        }
    }
    println!(
        "{count} mutations, {shifted} of them with another number in the claim, {accepted} accepted"
    );
    assert_eq!(TRUTHS.len() + WITHOUT_A_NUMBER.len(), lines);
}
