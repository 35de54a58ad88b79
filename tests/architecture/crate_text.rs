//! A crate as text: its modules, their items, and where a name leads. For code as rustfmt leaves it, without comments,
//! strings and tests.

use std::collections::BTreeMap;

/// The items of all modules, by path.
pub(crate) struct Crate(BTreeMap<Vec<String>, Vec<Item>>);

/// An item, or a member of one.
pub(crate) struct Item {
    attributes: String,
    text: String,
    uses: Vec<Use>,
}

/// One name of a `use`.
pub(crate) struct Use {
    pub name: String,
    pub path: Vec<String>,
}

/// Where a path leads.
pub(crate) enum Target<'a> {
    Module(Vec<String>),
    Item(Vec<String>, &'a Item),
}

/// The first line of an `impl`.
pub(crate) struct Header {
    pub text: String,
    pub of_trait: Option<Vec<String>>,
    pub of_type: Vec<String>,
}

impl Crate {
    /// From paths below `src` and code.
    pub fn new(files: &[(String, String)]) -> Self {
        let modules = files.iter().map(|(path, code)| {
            let steps = path.trim_end_matches(".rs").split('/');
            let steps = steps.filter(|step| *step != "mod" && *step != "lib");
            (steps.map(str::to_owned).collect(), items(code, 0, false))
        });
        Self(modules.collect())
    }

    pub fn items(&self, module: &[String]) -> &[Item] {
        self.0.get(module).map_or(&[], Vec::as_slice)
    }

    /// All `impl` blocks, each with its module.
    pub fn impls(&self) -> impl Iterator<Item = (&[String], &Item)> {
        self.0.iter().flat_map(|(module, items)| {
            let blocks = items.iter().filter(|item| item.text.starts_with("impl"));
            blocks.map(|block| (module.as_slice(), block))
        })
    }

    /// Where a path leads that is written in `module`; nowhere if out of the crate.
    pub fn resolve(&self, module: &[String], path: &[String]) -> Option<Target<'_>> {
        self.follow(module, path, 0)
    }

    fn follow(&self, module: &[String], path: &[String], depth: usize) -> Option<Target<'_>> {
        if depth > 20 {
            return None;
        }
        let Some((first, rest)) = path.split_first() else {
            return Some(Target::Module(module.to_vec()));
        };
        if first == "crate" {
            return self.follow(&[], rest, depth + 1);
        }
        if first == "self" || first == "*" {
            return self.follow(module, rest, depth + 1);
        }
        if first == "super" {
            return self.follow(module.split_last()?.1, rest, depth + 1);
        }
        let child = [module, std::slice::from_ref(first)].concat();
        if self.0.contains_key(&child) {
            return self.follow(&child, rest, depth + 1);
        }
        let items = self.items(module);
        if rest.is_empty()
            && let Some(item) = items.iter().find(|item| item.defined() == Some(first))
        {
            return Some(Target::Item(module.to_vec(), item));
        }
        let mut uses = items.iter().flat_map(Item::uses);
        let found = uses.find(|found| found.name == *first && found.path.as_slice() != path)?;
        self.follow(module, &[&found.path, rest].concat(), depth + 1)
    }
}

impl Item {
    fn new(attributes: String, text: String) -> Self {
        let mut item = Self {
            attributes,
            text,
            uses: Vec::new(),
        };
        let mut uses = Vec::new();
        if let Some(tree) = item.bare().strip_prefix("use ") {
            leaves(tree.trim_end_matches(';'), &[], &mut uses);
        }
        item.uses = uses;
        item
    }

    /// For everybody, and in the documentation.
    pub fn is_exported(&self) -> bool {
        self.text.starts_with("pub ")
            && !self.attributes.contains("doc(hidden)")
            && !self.attributes.contains("cfg(doctest)")
    }

    fn bare(&self) -> &str {
        let text = self.text.as_str();
        match text.strip_prefix("pub(") {
            Some(rest) => rest.split_once(") ").map_or(text, |(_, rest)| rest),
            None => text.strip_prefix("pub ").unwrap_or(text),
        }
    }

    pub fn child_module(&self) -> Option<&str> {
        self.bare().strip_prefix("mod ")?.strip_suffix(';')
    }

    /// The name that the item defines, if it is not a module.
    pub fn defined(&self) -> Option<&str> {
        let mut words = self.bare().split_whitespace().peekable();
        loop {
            match words.next()? {
                "const" if words.peek() == Some(&"fn") => {}
                "async" | "unsafe" | "extern" => {}
                "struct" | "enum" | "union" | "trait" | "fn" | "type" | "const" | "static" => break,
                _ => return None,
            }
        }
        words
            .next()?
            .split(|c: char| !(c.is_alphanumeric() || c == '_'))
            .next()
    }

    /// All names of a `use`.
    pub fn uses(&self) -> &[Use] {
        &self.uses
    }

    /// The item without its body, in one line.
    pub fn declaration(&self) -> String {
        let bare = self.bare();
        let end = if bare.starts_with("struct ") {
            self.text.find(['{', '(', ';'])
        } else if bare.starts_with("type ") {
            self.text.find(';')
        } else if bare.starts_with("static ")
            || (bare.starts_with("const ") && !bare.starts_with("const fn"))
        {
            self.text.find(" =").or_else(|| self.text.find(';'))
        } else {
            outside_brackets(&self.text, &['{', ';'])
        };
        one_line(self.text.get(..end.unwrap_or(self.text.len())).unwrap())
    }

    pub fn derives(&self) -> Vec<String> {
        let lists = self.attributes.split("derive(").skip(1);
        lists
            .filter_map(|list| list.split(')').next())
            .flat_map(|list| list.split(','))
            .map(|name| name.trim().to_owned())
            .filter(|name| !name.is_empty())
            .collect()
    }

    /// Public fields, variants, and what a trait asks for.
    pub fn parts(&self) -> Vec<(String, String)> {
        let bare = self.bare();
        let name = |text: &str| {
            let mut words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
            words.next().unwrap_or_default().to_owned()
        };
        if bare.starts_with("struct ") && !self.text.contains('{') {
            let fields = self.text.split_once('(').map_or("", |(_, fields)| fields);
            let fields = fields.trim_end_matches(';').trim().trim_end_matches(')');
            let numbered = split(fields).into_iter().enumerate();
            numbered
                .filter_map(|(place, field)| {
                    let shown = field.strip_prefix("pub ")?;
                    Some((place.to_string(), one_line(shown)))
                })
                .collect()
        } else if bare.starts_with("struct ") {
            let fields = items(self.body(), 4, true);
            let fields = fields.iter().filter(|field| field.is_exported());
            fields
                .filter_map(|field| {
                    let (name, of_type) = field.bare().split_once(':')?;
                    Some((name.to_owned(), one_line(of_type.trim_end_matches(','))))
                })
                .collect()
        } else if bare.starts_with("enum ") {
            let variants = items(self.body(), 4, true);
            let shown = |item: &Item| one_line(item.text.trim_end_matches(','));
            variants
                .iter()
                .map(|item| (name(&item.text), shown(item)))
                .collect()
        } else if bare.starts_with("trait ") {
            let members = self.members();
            let shown = |item: &Item| {
                (
                    item.defined().unwrap_or_default().to_owned(),
                    item.declaration(),
                )
            };
            members.iter().map(shown).collect()
        } else {
            Vec::new()
        }
    }

    pub fn members(&self) -> Vec<Item> {
        items(self.body(), 4, false)
    }

    fn body(&self) -> &str {
        self.text.split_once('{').map_or("", |(_, body)| body)
    }

    pub fn impl_header(&self) -> Option<Header> {
        let text = self
            .text
            .split_once('{')
            .map_or(self.text.as_str(), |(head, _)| head);
        let mut rest = text.strip_prefix("impl")?;
        if rest.starts_with('<') {
            rest = rest.get(end_of_generics(rest)..)?;
        }
        let rest = one_line(rest);
        let rest = rest.split(" where ").next().unwrap_or_default();
        let (of_trait, of_type) = match rest.split_once(" for ") {
            Some((of_trait, of_type)) => (Some(head(of_trait)), head(of_type)),
            None => (None, head(rest)),
        };
        let text = text.to_owned();
        Some(Header {
            text,
            of_trait,
            of_type,
        })
    }
}

/// The items whose first line is indented by so much. Fields and variants end with a comma.
fn items(code: &str, indent: usize, commas: bool) -> Vec<Item> {
    let mut found = Vec::new();
    let mut attributes = String::new();
    let mut lines = code.lines();
    while let Some(line) = lines.next() {
        let trimmed = line.trim_start();
        if line.len() - trimmed.len() != indent || trimmed.is_empty() || trimmed.starts_with('}') {
            continue;
        }
        let is_attribute = trimmed.starts_with('#');
        let mut text = trimmed.trim_end().to_owned();
        while !is_complete(&text, is_attribute, commas) {
            let Some(next) = lines.next() else { break };
            text.push('\n');
            text.push_str(next.trim_end());
        }
        if is_attribute {
            attributes.push_str(&text);
        } else {
            found.push(Item::new(std::mem::take(&mut attributes), text));
        }
    }
    found
}

fn is_complete(text: &str, is_attribute: bool, commas: bool) -> bool {
    let depth: i64 = text
        .chars()
        .map(|c| match c {
            '(' | '[' | '{' => 1,
            ')' | ']' | '}' => -1,
            _ => 0,
        })
        .sum();
    depth == 0 && (is_attribute || text.ends_with([';', '}']) || (commas && text.ends_with(',')))
}

/// The names at the ends of `a::{b, c::d as e}`.
fn leaves(tree: &str, before: &[String], found: &mut Vec<Use>) {
    let tree = tree.trim();
    if let Some((path, list)) = tree.split_once('{') {
        let steps = path
            .split("::")
            .map(str::trim)
            .filter(|step| !step.is_empty());
        let path: Vec<String> = before
            .iter()
            .cloned()
            .chain(steps.map(str::to_owned))
            .collect();
        let list = list.trim_end().strip_suffix('}').unwrap_or(list);
        for part in split(list) {
            leaves(&part, &path, found);
        }
        return;
    }
    let (path, alias) = match tree.split_once(" as ") {
        Some((path, alias)) => (path, Some(alias.trim().to_owned())),
        None => (tree, None),
    };
    let steps = path.split("::").map(|step| step.trim().to_owned());
    let mut path: Vec<String> = before.iter().cloned().chain(steps).collect();
    if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
        path.pop();
    }
    if let Some(name) = alias.or_else(|| path.last().cloned()) {
        found.push(Use { name, path });
    }
}

/// The parts between commas that are in no bracket.
fn split(list: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut depth = 0;
    for character in list.chars() {
        match character {
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' | '>' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        parts.last_mut().unwrap().push(character);
    }
    let parts = parts.iter().map(|part| part.trim().to_owned());
    parts.filter(|part| !part.is_empty()).collect()
}

/// Where the first of these characters is that is in no round or square bracket.
fn outside_brackets(text: &str, wanted: &[char]) -> Option<usize> {
    let mut depth = 0;
    for (place, character) in text.char_indices() {
        match character {
            _ if depth == 0 && wanted.contains(&character) => return Some(place),
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            _ => {}
        }
    }
    None
}

fn end_of_generics(text: &str) -> usize {
    let mut depth = 0;
    for (place, character) in text.char_indices() {
        match character {
            '<' => depth += 1,
            '>' if !text[..place].ends_with('-') => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return place + 1;
        }
    }
    text.len()
}

/// The path of a type without its parameters.
fn head(of_type: &str) -> Vec<String> {
    let path = of_type.trim().trim_start_matches('&');
    let path = path.split(['<', ' ']).next().unwrap_or_default();
    path.split("::").map(str::to_owned).collect()
}

/// On one line, the same whether rustfmt has broken it or not.
pub(crate) fn one_line(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = text
        .replace("( ", "(")
        .replace(", )", ")")
        .replace(" )", ")");
    text.replace("< ", "<").replace(", >", ">")
}
