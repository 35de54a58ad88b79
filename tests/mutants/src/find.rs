//! The places of a source file where something can be broken.

use std::collections::HashMap;
use std::ops::Range;

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Expr, Item, Stmt};

use crate::operators;

/// How the choice between the code and its mutants is written, so that it compiles; tried one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// `(if on(1) { mutant } else { code })`
    Value,
    /// `(*(if on(1) { &mutant } else { &code }))`, for fields and variables that are not moved.
    Place,
    /// `(match receiver { ref it => if on(1) { it.mutant() } else { it.code() } })`, for answers that borrow from a temporary.
    Receiver,
    /// `if !on(1) { code }`, for statements.
    Statement,
    /// `{ if on(1) { mutant } else { code } }`, for an operator that assigns.
    Assignment,
}

/// One break.
#[derive(Debug, Clone)]
pub struct Mutant {
    /// What kind of break: `direction`, `comparison`, `term`, `swap`, `operator`, `constant`, `negation`, `statement`.
    pub operator: &'static str,
    /// The whole expression as it would stand.
    pub text: String,
    /// The same with the receiver called `it`; for [`Shape::Receiver`].
    pub of_it: String,
}

/// All breaks of one expression or statement.
#[derive(Debug, Clone)]
pub struct Site {
    pub range: Range<usize>,
    pub line: usize,
    pub function: String,
    pub shapes: Vec<Shape>,
    /// The receiver of a method call.
    pub receiver: Option<Range<usize>>,
    pub mutants: Vec<Mutant>,
}

/// All sites of a source file, outer before inner.
///
/// # Errors
/// If the text is no Rust.
pub fn sites(source: &str) -> Result<Vec<Site>, String> {
    let file = syn::parse_file(source).map_err(|e| e.to_string())?;
    let mut finder = Finder {
        source,
        function: Vec::new(),
        sites: HashMap::new(),
    };
    finder.visit_file(&file);
    let mut sites: Vec<Site> = finder.sites.into_values().collect();
    sites.sort_by_key(|s| (s.range.start, std::cmp::Reverse(s.range.end)));
    Ok(sites)
}

struct Finder<'s> {
    source: &'s str,
    function: Vec<String>,
    sites: HashMap<(usize, usize), Site>,
}

impl Finder<'_> {
    fn text(&self, span: Span) -> &str {
        self.source.get(span.byte_range()).unwrap_or_default()
    }

    fn add(
        &mut self,
        span: Span,
        shapes: &[Shape],
        receiver: Option<Range<usize>>,
        mutants: Vec<Mutant>,
    ) {
        if mutants.is_empty() {
            return;
        }
        let range = span.byte_range();
        let site = self
            .sites
            .entry((range.start, range.end))
            .or_insert_with(|| Site {
                range,
                line: span.start().line,
                function: self.function.join("::"),
                shapes: shapes.to_vec(),
                receiver,
                mutants: Vec::new(),
            });
        site.mutants.extend(mutants);
    }

    fn method_call(&mut self, call: &syn::ExprMethodCall) {
        let receiver = call.receiver.span().byte_range();
        let before = self.text(call.receiver.span()).to_owned();
        let (from, to) = (
            call.method.span().byte_range(),
            call.span().byte_range().end,
        );
        let (after_receiver, after_name) = (
            self.source
                .get(receiver.end..from.start)
                .unwrap_or_default()
                .to_owned(),
            self.source.get(from.end..to).unwrap_or_default().to_owned(),
        );
        let name = call.method.to_string();
        let with = |operator, name: &str, after_name: &str| {
            let rest = format!("{after_receiver}{name}{after_name}");
            Mutant {
                operator,
                text: format!("{before}{rest}"),
                of_it: format!("it{rest}"),
            }
        };
        let mut mutants: Vec<Mutant> = operators::turned(&name)
            .iter()
            .map(|other| with("direction", other, &after_name))
            .collect();
        mutants.extend(
            operators::another_operation(&name).map(|other| with("operator", other, &after_name)),
        );
        if operators::adds_a_term(&name) && call.args.len() == 1 {
            mutants.push(Mutant {
                operator: "term",
                text: format!("({before}).clone()"),
                of_it: "it.clone()".to_owned(),
            });
        }
        let arguments: Vec<&str> = call.args.iter().map(|a| self.text(a.span())).collect();
        if let [first, second, rest @ ..] = arguments.as_slice()
            && first != second
            && !operators::is_symmetric(&name)
        {
            let swapped = swapped(first, second, rest);
            mutants.push(with("swap", &name, &format!("({swapped})")));
        }
        if let ([one], true) = (arguments.as_slice(), can_be_swapped(&name)) {
            mutants.push(Mutant {
                operator: "swap",
                text: format!("({one}).{name}(&({before}))"),
                of_it: format!("({one}).{name}(&it)"),
            });
        }
        self.add(
            call.span(),
            &[Shape::Value, Shape::Receiver],
            Some(receiver),
            mutants,
        );
    }

    fn binary(&mut self, e: &syn::ExprBinary) {
        if binds(&e.left) || binds(&e.right) {
            return;
        }
        let (left, right) = (
            self.text(e.left.span()).to_owned(),
            self.text(e.right.span()).to_owned(),
        );
        let plain = |operator, text: String| Mutant {
            operator,
            of_it: String::new(),
            text,
        };
        let mut mutants: Vec<Mutant> = operators::binary(&e.op)
            .iter()
            .map(|(op, end)| {
                let kind = if *end { "comparison" } else { "operator" };
                plain(kind, format!("{left} {op} {right}"))
            })
            .collect();
        if operators::right_side_is_a_term(&e.op) {
            mutants.push(plain("term", left.clone()));
        }
        if matches!(e.op, syn::BinOp::Sub(_) | syn::BinOp::Div(_)) {
            mutants.push(plain(
                "swap",
                format!("({right}) {} ({left})", self.text(e.op.span())),
            ));
        }
        let assigns =
            self.text(e.op.span()).ends_with('=') && self.text(e.op.span()).len() > 1 && {
                !matches!(
                    e.op,
                    syn::BinOp::Le(_) | syn::BinOp::Ge(_) | syn::BinOp::Eq(_) | syn::BinOp::Ne(_)
                )
            };
        let shape = if assigns {
            Shape::Assignment
        } else {
            Shape::Value
        };
        self.add(e.span(), &[shape], None, mutants);
    }

    /// A variable, a constant or a function by its path.
    fn path(&mut self, e: &syn::ExprPath, called: bool) {
        let Some(last) = e.path.segments.last().filter(|s| s.arguments.is_empty()) else {
            return;
        };
        let text = self.text(e.span());
        let Some(stem) = text.strip_suffix(&last.ident.to_string()) else {
            return;
        };
        let stem = stem.to_owned();
        let mutants = operators::turned(&last.ident.to_string())
            .into_iter()
            .map(|other| Mutant {
                operator: "direction",
                text: format!("{stem}{other}"),
                of_it: String::new(),
            })
            .collect();
        let shapes: &[Shape] = if called || e.path.segments.len() > 1 {
            &[Shape::Value]
        } else {
            &[Shape::Place, Shape::Value]
        };
        self.add(e.span(), shapes, None, mutants);
    }
}

/// Does the condition bind names, as `x && let Some(y) = z` does?
fn binds(e: &Expr) -> bool {
    match e {
        Expr::Let(_) => true,
        Expr::Binary(b) => binds(&b.left) || binds(&b.right),
        _ => false,
    }
}

fn swapped(first: &str, second: &str, rest: &[&str]) -> String {
    let mut all = vec![second, first];
    all.extend(rest);
    all.join(", ")
}

/// Methods of two like things whose order matters.
fn can_be_swapped(name: &str) -> bool {
    matches!(
        name.split('_').next(),
        Some("sub" | "div" | "cmp" | "partial")
    )
}

/// Tests, and what only prints.
fn is_passed_over(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|a| {
        let text = match &a.meta {
            syn::Meta::List(list) => list.tokens.to_string(),
            _ => String::new(),
        };
        a.path().is_ident("test") || (a.path().is_ident("cfg") && text.contains("test"))
    })
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            Item::Const(_) | Item::Static(_) | Item::Macro(_) => {}
            Item::Mod(m) if is_passed_over(&m.attrs) => {}
            Item::Fn(f) if is_passed_over(&f.attrs) || f.sig.constness.is_some() => {}
            Item::Fn(f) => {
                self.function.push(f.sig.ident.to_string());
                visit::visit_block(self, &f.block);
                self.function.pop();
            }
            Item::Impl(i) if is_passed_over(&i.attrs) || prints(i) => {}
            Item::Impl(i) => {
                self.function.push(self.text(i.self_ty.span()).to_owned());
                visit::visit_item_impl(self, i);
                self.function.pop();
            }
            Item::Trait(t) => {
                self.function.push(t.ident.to_string());
                visit::visit_item_trait(self, t);
                self.function.pop();
            }
            other => visit::visit_item(self, other),
        }
    }

    fn visit_impl_item(&mut self, item: &'ast syn::ImplItem) {
        match item {
            syn::ImplItem::Fn(f) if f.sig.constness.is_none() && !is_passed_over(&f.attrs) => {
                self.function.push(f.sig.ident.to_string());
                visit::visit_block(self, &f.block);
                self.function.pop();
            }
            _ => {}
        }
    }

    fn visit_trait_item(&mut self, item: &'ast syn::TraitItem) {
        if let syn::TraitItem::Fn(syn::TraitItemFn {
            sig,
            default: Some(block),
            ..
        }) = item
        {
            self.function.push(sig.ident.to_string());
            visit::visit_block(self, block);
            self.function.pop();
        }
    }

    // Patterns, types and the lengths of arrays are no places for a choice.
    fn visit_pat(&mut self, _: &'ast syn::Pat) {}
    fn visit_type(&mut self, _: &'ast syn::Type) {}
    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}
    fn visit_expr_repeat(&mut self, e: &'ast syn::ExprRepeat) {
        self.visit_expr(&e.expr);
    }

    fn visit_stmt(&mut self, statement: &'ast Stmt) {
        if let Stmt::Expr(e @ (Expr::MethodCall(_) | Expr::Binary(_)), Some(_)) = statement {
            let assigns = match e {
                Expr::Binary(b) => {
                    operators::binary(&b.op)
                        .iter()
                        .any(|(op, _)| op.len() > 1 && op.ends_with('='))
                        && {
                            !matches!(
                                b.op,
                                syn::BinOp::Lt(_)
                                    | syn::BinOp::Gt(_)
                                    | syn::BinOp::Eq(_)
                                    | syn::BinOp::Ne(_)
                                    | syn::BinOp::Le(_)
                                    | syn::BinOp::Ge(_)
                            )
                        }
                }
                _ => true,
            };
            if assigns {
                let gone = Mutant {
                    operator: "statement",
                    text: String::new(),
                    of_it: String::new(),
                };
                self.add(statement.span(), &[Shape::Statement], None, vec![gone]);
            }
        }
        visit::visit_stmt(self, statement);
    }

    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        let arguments: Vec<&str> = call.args.iter().map(|a| self.text(a.span())).collect();
        let function = self.text(call.func.span());
        if let [first, second, rest @ ..] = arguments.as_slice()
            && first != second
            && !operators::is_symmetric(function)
        {
            let text = format!("{function}({})", swapped(first, second, rest));
            let mutant = Mutant {
                operator: "swap",
                of_it: String::new(),
                text,
            };
            self.add(call.span(), &[Shape::Value], None, vec![mutant]);
        }
        if let Expr::Path(p) = &*call.func {
            self.path(p, true);
        } else {
            self.visit_expr(&call.func);
        }
        for argument in &call.args {
            self.visit_expr(argument);
        }
    }

    fn visit_expr_assign(&mut self, e: &'ast syn::ExprAssign) {
        self.visit_expr(&e.right);
    }

    fn visit_expr_struct(&mut self, e: &'ast syn::ExprStruct) {
        for field in &e.fields {
            // `Self { lo, hi }` has no place for a choice.
            if field.colon_token.is_some() {
                self.visit_expr(&field.expr);
            }
        }
        // Two bounds put the wrong way round.
        let named: Vec<_> = e.fields.iter().collect();
        for (place, field) in named.iter().enumerate() {
            let syn::Member::Named(name) = &field.member else {
                continue;
            };
            for other in operators::turned(&name.to_string()) {
                let partner = named
                    .iter()
                    .skip(place + 1)
                    .find(|f| matches!(&f.member, syn::Member::Named(n) if *n == other));
                if let Some(partner) = partner {
                    let mut text = self.text(e.span()).to_owned();
                    let start = e.span().byte_range().start;
                    let (a, b) = (field.span().byte_range(), partner.span().byte_range());
                    let (x, y) = (
                        self.text(field.expr.span()).to_owned(),
                        self.text(partner.expr.span()).to_owned(),
                    );
                    text.replace_range(b.start - start..b.end - start, &format!("{other}: {x}"));
                    text.replace_range(a.start - start..a.end - start, &format!("{name}: {y}"));
                    let mutant = Mutant {
                        operator: "direction",
                        text,
                        of_it: String::new(),
                    };
                    self.add(e.span(), &[Shape::Value], None, vec![mutant]);
                }
            }
        }
    }

    fn visit_expr(&mut self, e: &'ast Expr) {
        match e {
            Expr::MethodCall(call) => self.method_call(call),
            Expr::Binary(binary) => self.binary(binary),
            Expr::Path(path) => self.path(path, false),
            Expr::Field(field) => {
                if let syn::Member::Named(name) = &field.member {
                    let stem = self
                        .text(e.span())
                        .strip_suffix(&name.to_string())
                        .map(str::to_owned);
                    let mutants = stem.map_or_else(Vec::new, |stem| {
                        operators::turned(&name.to_string())
                            .into_iter()
                            .map(|other| Mutant {
                                operator: "direction",
                                text: format!("{stem}{other}"),
                                of_it: String::new(),
                            })
                            .collect()
                    });
                    self.add(e.span(), &[Shape::Place, Shape::Value], None, mutants);
                }
            }
            Expr::Unary(unary) => {
                let operator = match unary.op {
                    syn::UnOp::Not(_) => Some("negation"),
                    syn::UnOp::Neg(_) => Some("operator"),
                    _ => None,
                };
                if let Some(operator) = operator {
                    let mutant = Mutant {
                        operator,
                        text: format!("({})", self.text(unary.expr.span())),
                        of_it: String::new(),
                    };
                    self.add(e.span(), &[Shape::Value], None, vec![mutant]);
                }
            }
            Expr::Lit(lit) => {
                if let syn::Lit::Int(n) = &lit.lit
                    && let Ok(value) = n.base10_parse::<u64>()
                {
                    let mutant = Mutant {
                        operator: "constant",
                        text: format!("{}{}", value.saturating_add(1), n.suffix()),
                        of_it: String::new(),
                    };
                    self.add(e.span(), &[Shape::Value], None, vec![mutant]);
                }
            }
            _ => {}
        }
        visit::visit_expr(self, e);
    }
}

/// Implementations that make text for people.
fn prints(item: &syn::ItemImpl) -> bool {
    item.trait_.as_ref().is_some_and(|t| {
        let path = t.0.segments.last().map(|s| s.ident.to_string());
        matches!(path.as_deref(), Some("Display" | "Debug" | "Describe"))
    })
}
