//! The command-line form of claims and queries: `kind` or `kind:key=value,key=value`.

use super::{
    json::{read_json_prefix, shown},
    node::{Entry, Node, Table, Value},
    problem::{ErrorCode, Problem},
};

/// The table that an argument stands for: `kind` and the keys. A value that starts with `{`, `[` or `"` is
/// JSON, so that `other={"kind":"gaussian","sigma":2}` works; any other value ends at the next comma.
pub(crate) fn read_argument(text: &str) -> Result<Node, Problem> {
    let (kind, has_keys) = match text.split_once(':') {
        None => (text, false),
        Some((kind, _)) => (kind, true),
    };
    let kind_node = Node::new(Value::String(kind.trim().to_owned()), 0..kind.len());
    let mut table = Table {
        entries: vec![Entry {
            key: "kind".to_owned(),
            key_span: 0..kind.len(),
            node: kind_node,
        }],
    };
    let mut at = kind.len().saturating_add(1);
    let mut more = has_keys;
    while more {
        let entry = key_and_value(text, &mut at)?;
        if table.has(&entry.key) {
            let message = format!("duplicate key `{}`", shown(&entry.key));
            return Err(
                Problem::new(ErrorCode::DuplicateKey, &entry.key_span, message)
                    .help("keep one of them"),
            );
        }
        table.entries.push(entry);
        more = take_comma(text, &mut at)?;
    }
    Ok(Node::new(Value::Table(table), 0..text.len()))
}

fn key_and_value(text: &str, at: &mut usize) -> Result<Entry, Problem> {
    let rest = text.get(*at..).unwrap_or_default();
    let end = rest.find(['=', ',']).unwrap_or(rest.len());
    let key = rest.get(..end).unwrap_or_default();
    let key_span = *at..at.saturating_add(end);
    if !rest.get(end..).is_some_and(|after| after.starts_with('=')) {
        return Err(
            Problem::new(ErrorCode::Syntax, &key_span, "there is no `key=value` here")
                .help("queries and claims look like `kind` or `kind:key=value,key=value`"),
        );
    }
    *at = key_span.end.saturating_add(1);
    let node = value(text, at)?;
    Ok(Entry {
        key: key.trim().to_owned(),
        key_span,
        node,
    })
}

fn value(text: &str, at: &mut usize) -> Result<Node, Problem> {
    let rest = text.get(*at..).unwrap_or_default();
    if rest.trim_start().starts_with(['{', '[', '"']) {
        let (node, end) = read_json_prefix(text, *at)?;
        *at = end;
        return Ok(node);
    }
    let start = *at;
    *at = start.saturating_add(rest.find(',').unwrap_or(rest.len()));
    let value = text.get(start..*at).unwrap_or_default();
    Ok(Node::new(
        Value::String(value.trim().to_owned()),
        start..*at,
    ))
}

/// Whether another `key=value` follows.
fn take_comma(text: &str, at: &mut usize) -> Result<bool, Problem> {
    let rest = text.get(*at..).unwrap_or_default();
    let trimmed = rest.trim_start();
    *at = text.len().saturating_sub(trimmed.len());
    match trimmed.chars().next() {
        None => Ok(false),
        Some(',') => {
            *at = at.saturating_add(1);
            Ok(true)
        }
        Some(found) => {
            let span = *at..at.saturating_add(found.len_utf8());
            let message = format!("found `{}` where `,` should be", shown(&found.to_string()));
            Err(Problem::new(ErrorCode::Syntax, &span, message))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(text: &str) -> Vec<(String, Value)> {
        let node = read_argument(text).unwrap();
        let table = node.as_table().unwrap().clone();
        table
            .entries
            .into_iter()
            .map(|entry| (entry.key, entry.node.value))
            .collect()
    }

    #[test]
    fn forms() {
        let string = |text: &str| Value::String(text.to_owned());
        assert_eq!(
            pairs("advantage"),
            [("kind".to_owned(), string("advantage"))]
        );
        assert_eq!(
            pairs("delta: epsilon = -1/2 ,x=\"a,b\" , y=[1]"),
            [
                ("kind".to_owned(), string("delta")),
                ("epsilon".to_owned(), string("-1/2")),
                ("x".to_owned(), string("a,b")),
                (
                    "y".to_owned(),
                    Value::Array(vec![Node::new(Value::Number("1".into()), 36..37)])
                ),
            ]
        );
    }

    #[test]
    fn refusals() {
        for text in [
            "delta:",
            "delta:epsilon",
            "delta:a=1,",
            "delta:a=[1]b=2",
            "delta:a={",
            "d:a=1,a=2",
        ] {
            assert!(read_argument(text).is_err(), "{text}");
        }
    }

    quickcheck::quickcheck! {
        fn arbitrary_text_never_panics(text: String) -> bool {
            let _ = read_argument(&text);
            let _ = read_argument(&format!("a:b={text},c={text}"));
            true
        }
    }
}
