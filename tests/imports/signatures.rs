//! No function takes more than six values, no parameter is a tuple of more than two, and few are tuples of values of
//! different types: these are parameters of their own, or the fields of a struct.

use syn::visit::{self, Visit};
use syn::{FnArg, Ident, Lifetime, Signature, Type, TypeReference, TypeSlice, TypeTuple};

use crate::exceptions::{Exception, Violations, check};
use crate::sources::{CRATES, Crate};

/// The most values that a function takes: the receiver is not counted, and a tuple counts as its members.
const VALUES_MAX: usize = 6;
/// The most members of a tuple that is a parameter.
const MEMBERS_MAX: usize = 2;

/// The functions that exceed the bounds: `FILE FUNCTION`.
const EXCEPTIONS: &[Exception] = &[];
/// The functions with a parameter that is a tuple of values of different types: `FILE FUNCTION`.
const MIXED_TUPLES: &[Exception] = &[
    ("core", "config/load.rs of_directory", "a file is a pair of its path and its text wherever settings are read"),
    ("fleet", "nats/connection.rs header_len", "an iterator passes it the entries of a map"),
    ("report", "sections/responses.rs depth_row", "an iterator passes it the entries of a map"),
];

/// What a function takes.
#[derive(Debug)]
pub struct Function {
    pub name: String,
    pub values: usize,
    pub largest_tuple: usize,
    /// Whether a parameter is a tuple of values of different types.
    pub mixes_types: bool,
}

impl Function {
    pub fn of(signature: &Signature) -> Self {
        let mut function = Self { name: signature.ident.to_string(), values: 0, largest_tuple: 0, mixes_types: false };
        for parameter in &signature.inputs {
            if let FnArg::Typed(parameter) = parameter {
                function.add(&parameter.ty);
            }
        }
        function
    }

    /// Counts a parameter, or a member of one.
    fn add(&mut self, of: &Type) {
        match of {
            Type::Reference(reference) => self.add(&reference.elem),
            Type::Paren(inner) => self.add(&inner.elem),
            Type::Group(inner) => self.add(&inner.elem),
            Type::Tuple(tuple) if !tuple.elems.is_empty() => {
                self.largest_tuple = self.largest_tuple.max(tuple.elems.len());
                let mut types = tuple.elems.iter().map(spelt);
                let first = types.next();
                self.mixes_types |= types.any(|other| Some(other) != first);
                tuple.elems.iter().for_each(|member| self.add(member));
            }
            _ => self.values += 1,
        }
    }
}

/// Returns the words of a type, in order. Lifetimes do not count.
fn spelt(of: &Type) -> Vec<String> {
    let mut words = Words::default();
    words.visit_type(of);
    words.0
}

#[derive(Default)]
struct Words(Vec<String>);

impl Words {
    fn add(&mut self, word: impl ToString) {
        self.0.push(word.to_string());
    }
}

impl<'ast> Visit<'ast> for Words {
    fn visit_ident(&mut self, name: &'ast Ident) {
        self.add(name);
    }

    fn visit_lifetime(&mut self, _: &'ast Lifetime) {}

    fn visit_type_reference(&mut self, of: &'ast TypeReference) {
        self.add(if of.mutability.is_some() { "&mut" } else { "&" });
        visit::visit_type_reference(self, of);
    }

    fn visit_type_slice(&mut self, of: &'ast TypeSlice) {
        self.add("[");
        visit::visit_type_slice(self, of);
    }

    fn visit_type_tuple(&mut self, of: &'ast TypeTuple) {
        self.add("(");
        visit::visit_type_tuple(self, of);
        self.add(")");
    }
}

fn violations(of: &Crate) -> Violations {
    let functions = of.modules().flat_map(|(file, module)| module.functions.iter().map(move |it| (file, it)));
    let over = functions.filter(|(_, it)| it.values > VALUES_MAX || it.largest_tuple > MEMBERS_MAX);
    let describe = |(file, it): (&str, &Function)| {
        let detail = format!("{} values, tuples of up to {}", it.values, it.largest_tuple);
        (format!("{file} {}", it.name), detail)
    };
    over.map(describe).collect()
}

/// The functions with tuples of values of different types: `FILE FUNCTION`.
fn mixed_tuples(of: &Crate) -> Vec<String> {
    let functions = of.modules().flat_map(|(file, module)| module.functions.iter().map(move |it| (file, it)));
    functions.filter(|(_, it)| it.mixes_types).map(|(file, it)| format!("{file} {}", it.name)).collect()
}

#[test]
fn functions_take_few_values() {
    check(EXCEPTIONS, CRATES.iter().map(|of| (of, violations(of))));
}

#[test]
fn values_of_different_types_are_parameters_of_their_own() {
    let detail = || "a parameter is a tuple of values of different types".to_owned();
    check(
        MIXED_TUPLES,
        CRATES.iter().map(|of| (of, mixed_tuples(of).into_iter().map(|key| (key, detail())).collect())),
    );
}

#[test]
fn functions_of_many_values_are_found() {
    let sample = Crate::sample(&[
        ("lib.rs", "mod a;"),
        (
            "a.rs",
            r##"
            fn six(a: A, (b, c): (B, C), d: &mut (D, E), _: ()) {}
            fn one(call: impl Fn(A, B, C, D, E, F, G) -> (H, I, J), ) {}
            fn generic<F: Fn((A, B, C)) -> D, const N: usize>(a: HashMap<A, (B, C, D)>, b: [u8; { (1, 2, 3); N }]) {
                let closure = |a: A, b: B, c: C, d: D, e: E, f: F, g: G| (a, b, c, d, e, f, g);
                let text = "fn text(a: A, b: B, c: C, d: D, e: E, f: F, g: G)";
                let raw = r#"fn raw(a: (A, B, C)) "#; // fn comment(a: (A, B, C))
            }
            #[cfg(test)]
            fn in_tests(a: (A, B, C)) {}
            impl A {
                fn method(self: &mut Self, a: A, b: B, c: C, d: D, e: E, f: fn(A, B) -> C) {}
                fn seven(&self, a: A, b: B, c: C, d: D, e: E, f: F, g: G) {
                    fn nested(a: &'static mut (A, B, C)) {}
                }
            }
            trait T { fn deep(a: ((A, B), (C, D)), ((e, f), g): ((E, F), G)); }
            macro_rules! m { ($name:ident) => { fn $name(a: (A, $b, C)) {} fn list($($a: $b),*) {} } }
            mod inline { mod innermost { async unsafe extern "C" fn inner(a: ((A, B, C))) {} } }
            "##,
        ),
    ]);
    let found: Vec<String> = violations(&sample).into_keys().collect();
    assert_eq!(found, ["a.rs deep", "a.rs inner", "a.rs name", "a.rs nested", "a.rs seven"]);
}

#[test]
fn tuples_of_different_types_are_found() {
    let sample = Crate::sample(&[(
        "lib.rs",
        "
        fn same((a, b): (&'a str, &str), c: (&[u8], &[u8]), d: Option<(A, B)>, e: impl Fn((A, B)), f: ()) -> (A, B) {}
        fn names(a: (A, B)) {}
        fn generics(&(a, b): &(Vec<A>, Vec<B>)) {}
        fn slices(&self, a: A, b: (&A, &[A])) {}
        fn references(a: (&A, &mut A)) {}
        fn pairs(a: (((A, B), A), (A, (B, A)))) {}
        fn nested(a: [A; 2], b: ((A, A), A)) {}
        fn closure() { x.map(|(a, b): (A, B)| a); }
        ",
    )]);
    assert_eq!(
        mixed_tuples(&sample),
        ["names", "generics", "slices", "references", "pairs", "nested"].map(|name| format!("lib.rs {name}"))
    );
}
