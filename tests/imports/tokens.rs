//! Reads macro bodies, macro calls and attributes: their tokens have no syntax tree.
//!
//! `$` is dropped, so that `$name: $type` reads as a parameter. Parameters in a repetition (`$(…)*`) are not read.

use std::collections::BTreeSet;

use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Ident, LitFloat, LitInt, Signature, Token, Visibility, token};

use crate::items::is_visible;
use crate::signatures::Function;

/// The findings in a list of tokens.
#[derive(Default)]
pub struct Found {
    /// The paths of more than one name.
    pub paths: BTreeSet<Vec<String>>,
    pub functions: Vec<Function>,
    pub public_types: Vec<String>,
    pub words: BTreeSet<String>,
    /// The names that are followed by `.0`.
    pub opened: BTreeSet<String>,
}

/// Reads tokens from their text.
pub fn scan(tokens: &impl ToString) -> Found {
    let mut found = Found::default();
    let text = tokens.to_string().replace('$', " ");
    (|input: ParseStream| found.scan(input)).parse_str(&text).expect("tokens of a file that was parsed");
    found
}

impl Found {
    fn scan(&mut self, input: ParseStream) -> syn::Result<()> {
        while !input.is_empty() {
            let inside;
            if input.peek(token::Paren) {
                syn::parenthesized!(inside in input);
                self.scan(&inside)?;
            } else if input.peek(token::Brace) {
                syn::braced!(inside in input);
                self.scan(&inside)?;
            } else if input.peek(token::Bracket) {
                syn::bracketed!(inside in input);
                self.scan(&inside)?;
            } else if input.peek(Ident::peek_any) {
                self.declaration(&input.fork());
                self.name(input)?;
            } else {
                input.step(|at| at.token_tree().map(|(_, after)| ((), after)).ok_or_else(|| at.error("no token")))?;
            }
        }
        Ok(())
    }

    /// Reads a function or a type, if one begins here. Its parts are read again as names.
    fn declaration(&mut self, input: ParseStream) {
        if input.peek(Token![fn]) {
            let function = input.parse::<Signature>().map(|signature| Function::of(&signature));
            self.functions.extend(function);
        } else if input.peek(Token![pub]) {
            let visible = input.parse::<Visibility>().is_ok_and(|visibility| is_visible(&visibility));
            let keyword = input.call(Ident::parse_any).map(|keyword| keyword.to_string()).unwrap_or_default();
            let name = input.parse::<Ident>().map(|name| name.to_string());
            if visible && ["struct", "enum", "trait", "type", "union"].contains(&keyword.as_str()) {
                self.public_types.extend(name);
            }
        }
    }

    /// Reads a name, or a path.
    fn name(&mut self, input: ParseStream) -> syn::Result<()> {
        let mut path = vec![input.call(Ident::parse_any)?.to_string()];
        while input.peek(Token![::]) {
            input.parse::<Token![::]>()?;
            if !input.peek(Ident::peek_any) {
                break;
            }
            path.push(input.call(Ident::parse_any)?.to_string());
        }
        self.words.extend(path.iter().cloned());
        let after = input.fork();
        if path.len() > 1 {
            self.paths.insert(path);
        } else if after.parse::<Token![.]>().is_ok() && is_zero(&after) {
            self.opened.extend(path);
        }
        Ok(())
    }
}

/// Whether `0` follows, or `0.1` as the tokens of `pair.0.1` are.
fn is_zero(input: ParseStream) -> bool {
    let whole = input.fork().parse::<LitInt>().is_ok_and(|number| number.base10_digits() == "0");
    whole || input.parse::<LitFloat>().is_ok_and(|number| number.base10_digits().starts_with("0."))
}

#[test]
fn macros_are_read() {
    let tokens = syn::parse_str::<syn::Macro>(
        r##"m! {
            // crate::comment::a
            "crate::text::a" => { $crate::a::b($x, [super::c::<D>()]) }, use crate::e::{f, g};
            fn $name<T: Fn(u8) -> u8, const N: usize>(&self, a: ($b, T), c: impl Fn(A, B) -> C) -> $out {
                self.lines.0.1
            }
            pub struct Seen; pub(self) enum Unseen {} pub(crate) type Also = u8; r#"fn text(a: u8)"#
        }"##,
    );
    let found = scan(&tokens.expect("a macro").tokens);
    let paths: Vec<String> = found.paths.iter().map(|path| path.join("::")).collect();
    assert_eq!(paths, ["crate::a::b", "crate::e", "super::c"]);
    let functions: Vec<_> = found.functions.iter().map(|it| (it.name.as_str(), it.values, it.largest_tuple)).collect();
    assert_eq!(functions, [("name", 3, 2)]);
    assert_eq!(found.public_types, ["Seen", "Also"]);
    assert!(found.words.contains("Unseen") && !found.words.contains("text") && !found.words.contains("comment"));
    assert_eq!(found.opened.iter().collect::<Vec<_>>(), ["lines"]);
}
