//! The public surface: what a user of the library can name, held against the listing `docs/public-surface.txt`, so that it
//! changes in no commit unseen. `DPCMP_SURFACE=update cargo test --test architecture surface` writes the listing anew.
//!
//! It is read off the source text: what `src/lib.rs` exports without `#[doc(hidden)]`, followed to where it is defined, with
//! public fields, variants, methods wherever their `impl` stands, traits and derives. What a macro makes
//! is listed by its name alone, and only where it is exported by name.

use std::collections::BTreeSet;
use std::fs;

use super::crate_text::{Crate, Item, Target, Use, one_line};
use super::{root, sources};

const LISTING: &str = "docs/public-surface.txt";
const UPDATE: &str = "DPCMP_SURFACE";
const HEAD: &str = "\
# What a user of the library can name, as path: declaration. Held against the source text by tests/architecture;
# DPCMP_SURFACE=update cargo test --test architecture surface
# writes it anew.
";

#[test]
fn surface_is_the_listed_one() {
    let files: Vec<(String, String)> = sources()
        .into_iter()
        .filter_map(|source| {
            let (_, path) = source.path.rsplit_once("/src/")?;
            Some((path.to_owned(), source.code))
        })
        .collect();
    let found = surface(&Crate::new(&files));
    assert!(!found.is_empty(), "nothing public was found");
    let text = format!("{HEAD}{}\n", found.join("\n"));
    let path = root().join(LISTING);
    if std::env::var(UPDATE).is_ok_and(|value| value == "update") {
        fs::write(&path, &text).unwrap();
    }
    let listed = fs::read_to_string(&path).unwrap_or_default();
    if listed == text {
        return;
    }
    let (then, now): (BTreeSet<&str>, BTreeSet<&str>) =
        (listed.lines().collect(), text.lines().collect());
    let gone = then.difference(&now).map(|line| format!("- {line}"));
    let new = now.difference(&then).map(|line| format!("+ {line}"));
    let changes: Vec<String> = gone.chain(new).collect();
    panic!(
        "the public surface is not that of {LISTING}. If it should change: {UPDATE}=update, and a line in CHANGELOG.md.\n{}",
        changes.join("\n")
    );
}

/// All lines of the listing, sorted.
fn surface(of: &Crate) -> Vec<String> {
    let mut reader = Reader {
        of,
        blocks: of
            .impls()
            .filter_map(|(place, item)| Block::new(of, place, item))
            .collect(),
        lines: BTreeSet::new(),
    };
    reader.module(&[], "");
    reader.lines.into_iter().collect()
}

/// Where something is defined: module and name.
type Place = (Vec<String>, String);

/// An `impl`, and whose it is.
struct Block<'a> {
    text: String,
    is_inherent: bool,
    owners: Vec<Place>,
    item: &'a Item,
}

impl<'a> Block<'a> {
    fn new(of: &Crate, place: &[String], item: &'a Item) -> Option<Self> {
        let header = item.impl_header()?;
        let is_inherent = header.of_trait.is_none();
        let paths = [Some(header.of_type), header.of_trait]
            .into_iter()
            .flatten();
        let owners = paths.filter_map(|path| match of.resolve(place, &path)? {
            Target::Item(module, found) => Some((module, found.defined()?.to_owned())),
            Target::Module(_) => None,
        });
        Some(Self {
            text: one_line(&header.text),
            is_inherent,
            owners: owners.collect(),
            item,
        })
    }
}

struct Reader<'a> {
    of: &'a Crate,
    blocks: Vec<Block<'a>>,
    lines: BTreeSet<String>,
}

impl Reader<'_> {
    fn line(&mut self, line: String) {
        self.lines.insert(line);
    }

    /// What a module exports, with `shown` before every name.
    fn module(&mut self, path: &[String], shown: &str) {
        for item in self.of.items(path).iter().filter(|item| item.is_exported()) {
            if let Some(name) = item.child_module() {
                let child = [path, &[name.to_owned()]].concat();
                self.line(format!("{shown}{name}: pub mod"));
                self.module(&child, &format!("{shown}{name}::"));
            } else if let Some(name) = item.defined() {
                self.item(path, item, &format!("{shown}{name}"));
            }
            for exported in item.uses() {
                self.reexport(path, exported, shown);
            }
        }
    }

    fn reexport(&mut self, path: &[String], exported: &Use, shown: &str) {
        let name = format!("{shown}{}", exported.name);
        match self.of.resolve(path, &exported.path) {
            Some(Target::Module(target)) if exported.name == "*" => self.module(&target, shown),
            Some(Target::Module(target)) => {
                self.line(format!("{name}: pub mod"));
                self.module(&target, &format!("{name}::"));
            }
            Some(Target::Item(place, item)) => self.item(&place, item, &name),
            // Of another crate, or made by a macro.
            None => self.line(format!("{name}: pub use {}", exported.path.join("::"))),
        }
    }

    fn item(&mut self, path: &[String], item: &Item, shown: &str) {
        self.line(format!("{shown}: {}", item.declaration()));
        for name in item.derives() {
            self.line(format!("{shown}: derive {name}"));
        }
        for (name, what) in item.parts() {
            self.line(format!("{shown}.{name}: {what}"));
        }
        let place = (path.to_vec(), item.defined().unwrap_or_default().to_owned());
        for block in self
            .blocks
            .iter()
            .filter(|block| block.owners.contains(&place))
        {
            if !block.is_inherent {
                self.lines.insert(format!("{shown}: {}", block.text));
                continue;
            }
            for member in block
                .item
                .members()
                .iter()
                .filter(|member| member.is_exported())
            {
                let name = member.defined().unwrap_or_default();
                self.lines
                    .insert(format!("{shown}::{name}: {}", member.declaration()));
            }
        }
    }
}

mod tests {
    use super::*;

    const LIB: &str = "\
pub use door::{Claim, Shape as Form};
pub use rug;
#[doc(hidden)]
pub mod inner;
mod door;
#[doc(hidden)]
pub use inner::Secret;
";
    const DOOR: &str = "\
mod claim;
pub use claim::Claim;
#[derive(Debug, Clone)]
pub enum Shape {
    Round,
    Square { side: u32 },
}
impl From<u32> for Shape {
    fn from(side: u32) -> Self {
        Self::Square { side }
    }
}
";
    const CLAIM: &str = "\
use crate::inner;
pub struct Claim {
    pub epsilon: u32,
    inner: inner::Claim,
}
impl Claim {
    pub fn new(
        epsilon: u32,
        inner: inner::Claim,
    ) -> Self {
        Self { epsilon, inner }
    }
    pub(crate) fn shut(&self) {}
    fn private(&self) {}
    #[doc(hidden)]
    pub fn hidden(&self) {}
}
impl inner::Claim {
    pub fn of_the_other(&self) {}
}
";
    const INNER: &str = "\
use crate::door::Claim as Outer;
pub struct Claim;
pub struct Secret;
impl Claim {
    pub fn not_this(&self) {}
}
impl Outer {
    pub fn from_elsewhere(&self) -> bool {
        true
    }
}
";

    fn listed(lib: &str, claim: &str) -> Vec<String> {
        let files = [
            ("lib.rs", lib),
            ("door/mod.rs", DOOR),
            ("door/claim.rs", claim),
            ("inner.rs", INNER),
        ];
        surface(&Crate::new(
            &files.map(|(path, code)| (path.to_owned(), code.to_owned())),
        ))
    }

    #[test]
    fn what_is_exported_is_listed_and_nothing_else() {
        assert_eq!(
            listed(LIB, CLAIM),
            [
                "Claim.epsilon: u32",
                "Claim: pub struct Claim",
                "Claim::from_elsewhere: pub fn from_elsewhere(&self) -> bool",
                "Claim::new: pub fn new(epsilon: u32, inner: inner::Claim) -> Self",
                "Form.Round: Round",
                "Form.Square: Square { side: u32 }",
                "Form: derive Clone",
                "Form: derive Debug",
                "Form: impl From<u32> for Shape",
                "Form: pub enum Shape",
                "rug: pub use rug",
            ]
        );
    }

    #[test]
    fn every_change_is_seen() {
        let before = listed(LIB, CLAIM);
        for (from, to) in [
            ("pub epsilon: u32", "pub epsilon: u64"),
            (
                "    inner: inner::Claim,\n}",
                "    pub inner: inner::Claim,\n}",
            ),
            ("fn private", "pub fn private"),
            ("pub(crate) fn shut", "pub fn shut"),
            ("    #[doc(hidden)]\n", ""),
            ("-> Self", "-> Option<Self>"),
        ] {
            let changed = CLAIM.replace(from, to);
            assert_ne!(changed, CLAIM, "{from}");
            assert_ne!(listed(LIB, &changed), before, "{from}");
        }
        let open = listed(&LIB.replace("#[doc(hidden)]\npub mod", "pub mod"), CLAIM);
        assert!(
            open.contains(&"inner::Claim::of_the_other: pub fn of_the_other(&self)".to_owned())
        );
        assert!(open.contains(&"inner::Secret: pub struct Secret".to_owned()));
    }
}
