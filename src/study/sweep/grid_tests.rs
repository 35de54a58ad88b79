//! Values of sweeps, and their products.

use super::*;

fn texts(argument: &str, whole: bool) -> Vec<String> {
    let axis = Axis::from_argument(argument).unwrap();
    axis.texts(whole).unwrap()
}

#[test]
fn lists_are_kept_as_they_are_written() {
    assert_eq!(texts("steps=400,1000,2000", true), ["400", "1000", "2000"]);
    assert_eq!(
        texts("q = 1e-5, 1/3 ,0.10,1/3", false),
        ["1e-5", "1/3", "0.10"]
    );
    // Only ranges are rounded: 1.5 steps are an error of that point.
    assert_eq!(texts("steps=1.5", true), ["1.5"]);
}

#[test]
fn ranges_are_logarithmic_unless_told_otherwise() {
    assert_eq!(texts("s=1..1000:4", false), ["1", "10", "100", "1000"]);
    assert_eq!(texts("s=1..256", false).len(), DEFAULT_COUNT);
    assert_eq!(
        texts("s=1..256", false),
        ["1", "2", "4", "8", "16", "32", "64", "128", "256"]
    );
    assert_eq!(texts("s=1..2:3", false), ["1", "1.41421", "2"]);
    assert_eq!(texts("s=1e-3..1e-5:3", false), ["1e-3", "0.0001", "1e-5"]);
}

#[test]
fn linear_ranges() {
    assert_eq!(texts("s=-1..1:3:linear", false), ["-1", "0", "1"]);
    assert_eq!(
        texts("s=0..1:4:linear", false),
        ["0", "0.333333", "0.666667", "1"]
    );
    assert_eq!(
        texts("s=1..9:linear", false),
        ["1", "2", "3", "4", "5", "6", "7", "8", "9"]
    );
}

#[test]
fn close_points_get_the_digits_they_need() {
    let exact = |text: &String| parse_rational(text).unwrap();
    for argument in [
        "s=1000000..1000001:11:linear",
        "s=1000000..1000001:11",
        "s=1..2:1000",
    ] {
        let points: Vec<Rational> = texts(argument, false).iter().map(exact).collect();
        let gaps: Vec<Rational> = points
            .windows(2)
            .map(|pair| Rational::from(&pair[1] - &pair[0]))
            .collect();
        for pair in gaps.windows(2) {
            let quotient = Rational::from(&pair[1] / &pair[0]);
            assert!(
                quotient > Rational::from((99, 100)) && quotient < Rational::from((101, 100)),
                "{argument}"
            );
        }
    }
    assert_eq!(texts("s=1000000..1000001:11:linear", false)[1], "1000000.1");
}

#[test]
fn whole_keys_get_whole_numbers_once_each() {
    assert_eq!(texts("k=1..4:9", true), ["1", "2", "3", "4"]);
    assert_eq!(texts("k=10..1000:3", true), ["10", "100", "1000"]);
    assert_eq!(texts("k=1.2..2.9:2", true), ["1", "3"]);
    assert_eq!(texts("k=5..5", true), ["5"]);
    assert_eq!(texts("k=3..1:3:linear", true), ["3", "2", "1"]);
    let axis = Axis::from_argument("k=1..1e300").unwrap();
    assert!(axis.texts(true).is_err());
    assert_eq!(axis.texts(false).unwrap().len(), DEFAULT_COUNT);
}

#[test]
fn refusals() {
    for argument in [
        "steps",
        "=1,2",
        "s=",
        "s=1,,2",
        "s=one",
        "s=1..",
        "s=..2",
        "s=0..1",
        "s=-1..1",
        "s=1..2:1",
        "s=1..2:0",
        "s=1..2:100001",
        "s=1..2:3:cubic",
        "s=1..2:3:linear:4",
        "s=1..2:log:3",
        "s=1..2,3",
        "s=1e999999999",
        "s=1/0",
        "s=nan",
    ] {
        assert!(Axis::from_argument(argument).is_err(), "{argument}");
    }
}

#[test]
fn hostile_ranges_take_bounded_time() {
    for argument in [
        "s=1e-20000..1e20000:1000",
        "s=1e-20000..1e20000:1000:linear",
        "s=1..1:1000",
        "s=1/3..1/3:linear",
    ] {
        let axis = Axis::from_argument(argument).unwrap();
        for text in axis.texts(false).unwrap() {
            assert!(parse_rational(&text).is_ok(), "{argument}: {text}");
        }
    }
}

fn axis(key: &str, values: &[&str]) -> (String, Vec<String>) {
    let values = values.iter().map(|text| (*text).to_owned()).collect();
    (key.to_owned(), values)
}

#[test]
fn the_last_axis_varies_fastest() {
    let grid = Grid::new(vec![axis("a", &["1", "2"]), axis("b", &["x", "y", "z"])]).unwrap();
    let points: Vec<String> = (0..grid.len())
        .map(|index| {
            let point = grid.point(index);
            point.into_iter().map(|(_, value)| value).collect()
        })
        .collect();
    assert_eq!(points, ["1x", "1y", "1z", "2x", "2y", "2z"]);
    assert_eq!(grid.point(0)[1].0, "b");
}

#[test]
fn products_are_bounded() {
    let many: Vec<String> = (0..400).map(|value| value.to_string()).collect();
    let product =
        |keys: [&str; 2]| Grid::new(keys.map(|key| (key.to_owned(), many.clone())).to_vec());
    assert!(
        product(["a", "b"])
            .unwrap_err()
            .to_string()
            .contains("100000")
    );
    let few = vec![axis("a", &["1"]), axis("a", &["2"])];
    assert!(Grid::new(few).unwrap_err() == SweepError::Twice("a".to_owned()));
}

proptest::proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "[a-z0-9.,:=/e-]{0,24}") {
        if let Ok(axis) = Axis::from_argument(&text) {
            for whole in [false, true] {
                for value in axis.texts(whole).unwrap_or_default() {
                    proptest::prop_assert!(parse_rational(&value).is_ok());
                }
            }
        }
    }
}
