//! The words that `kind` may be, as a type: a match over them has all, so that a forgotten kind does not compile.

/// An enum with the word of each variant in files; a variant may have several.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $($word:literal)|+,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum $name {
            $($variant,)*
        }

        impl $name {
            /// All words, in the order of the manual.
            pub const WORDS: &'static [(&'static str, Self)] = &[$($(($word, Self::$variant),)+)*];

            /// The kind of a table with its word and its place. `owner` is what the table describes.
            pub fn of(
                table: &$crate::input::node::Table,
                owner: &str,
                anchor: &std::ops::Range<usize>,
            ) -> Result<(Self, &'static str, std::ops::Range<usize>), $crate::input::problem::Problem> {
                let words: Vec<&'static str> = Self::WORDS.iter().map(|(word, _)| *word).collect();
                let (found, place) = $crate::input::fields::kind(table, owner, anchor, &words)?;
                match Self::WORDS.iter().find(|(word, _)| *word == found) {
                    Some((word, kind)) => Ok((*kind, word, place)),
                    None => Err($crate::input::fields::unknown_kind(found, &place, owner, &words)),
                }
            }
        }
    };
}

pub(super) use words;
