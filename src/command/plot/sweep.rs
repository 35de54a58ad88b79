//! The picture of a sweep: each query over the parameter with the most values, a line for each value of the others.

use std::collections::HashSet;

use crate::plot::{Picture, Series, knots, series_picture};
use crate::report::{SweepPoint, sweep_provided};

/// A panel for each query.
pub fn sweep(
    keys: &[String],
    queries: &[String],
    points: &[&SweepPoint],
    is_estimate: bool,
) -> Picture {
    let values = |key: &String| {
        let texts: HashSet<&str> = points
            .iter()
            .filter_map(|point| value(point, key))
            .collect();
        texts.len()
    };
    // The first of those with the most values.
    let main = keys
        .iter()
        .rev()
        .max_by_key(|key| values(key))
        .cloned()
        .unwrap_or_default();
    let series: Vec<Series> = queries
        .iter()
        .map(|query| Series {
            x: main.clone(),
            y: query.clone(),
            lines: lines(keys, &main, query, points),
            limit: None,
        })
        .collect();
    let note = if is_estimate {
        "estimates of the float engine, without guarantee; lines only join them"
    } else {
        "certified at each value of the parameter; lines only join these"
    };
    let title = format!("Sweep over {}", keys.join(", "));
    let notes = std::iter::once(note.to_owned()).chain(sweep_provided(points));
    series_picture(&title, Vec::new(), &series, notes.collect())
}

fn value<'p>(point: &'p SweepPoint, key: &str) -> Option<&'p str> {
    let found = point.parameters.iter().find(|(name, _)| name == key);
    found.map(|(_, text)| text.as_str())
}

/// The points of one query by the values of the other parameters.
fn lines(
    keys: &[String],
    main: &str,
    query: &str,
    points: &[&SweepPoint],
) -> Vec<(String, Vec<crate::plot::ProfilePoint>)> {
    let mut lines: Vec<(String, Vec<crate::plot::ProfilePoint>)> = Vec::new();
    for point in points {
        let others: Vec<String> = keys
            .iter()
            .filter(|key| *key != main)
            .filter_map(|key| Some(format!("{key} = {}", value(point, key)?)))
            .collect();
        let label = others.join(", ");
        let found = point.results.iter().find(|(name, _)| name == query);
        let (Some(place), Some((_, found))) = (value(point, main), found) else {
            continue;
        };
        let here = knots([(place, found)]);
        match lines.iter_mut().find(|(name, _)| *name == label) {
            Some((_, line)) => line.extend(here),
            None => lines.push((label, here)),
        }
    }
    for (_, line) in &mut lines {
        line.sort_unstable_by(|a, b| a.x.total_cmp(&b.x));
    }
    lines
}
