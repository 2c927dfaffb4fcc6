//! No function takes more than six values, and no parameter is a tuple of more than two.

use syn::{FnArg, Signature, Type};

use crate::exceptions::{Exception, Violations, check};
use crate::sources::{CRATES, Crate};

/// The most values that a function takes: the receiver is not counted, and a tuple counts as its members.
const VALUES_MAX: usize = 6;
/// The most members of a tuple that is a parameter.
const MEMBERS_MAX: usize = 2;

/// The functions that exceed the bounds: `FILE FUNCTION`.
const EXCEPTIONS: &[Exception] = &[];

/// What a function takes.
#[derive(Debug)]
pub struct Function {
    pub name: String,
    pub values: usize,
    pub largest_tuple: usize,
}

impl Function {
    pub fn of(signature: &Signature) -> Self {
        let mut function = Self { name: signature.ident.to_string(), values: 0, largest_tuple: 0 };
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
                tuple.elems.iter().for_each(|member| self.add(member));
            }
            _ => self.values += 1,
        }
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

#[test]
fn functions_take_few_values() {
    check(EXCEPTIONS, CRATES.iter().map(|of| (of, violations(of))));
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
