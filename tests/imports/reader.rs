//! Reads from the syntax tree of a file what the checks need.

use std::collections::BTreeSet;

use syn::visit::{self, Visit};
use syn::{Attribute, Ident, ImplItem, Item, Meta};

use crate::items::{Head, is_test_only, path_attribute};
use crate::signatures::Function;
use crate::tokens;
use crate::uses::{Use, uses};

/// A module without its test code.
#[derive(Default)]
pub struct Module {
    pub path: Vec<String>,
    /// The items it defines.
    pub definitions: BTreeSet<String>,
    /// Those of them that are types and visible outside the module.
    pub public_types: Vec<String>,
    pub uses: Vec<Use>,
    /// The paths in its code, also those of one name.
    pub paths: BTreeSet<Vec<String>>,
    pub functions: Vec<Function>,
    /// All identifiers of its code.
    pub words: BTreeSet<String>,
    /// The variables and fields of which its code accesses the field `.0`.
    pub opened: BTreeSet<String>,
}

/// A module that is declared without its content.
pub struct Declared {
    pub module: Vec<String>,
    /// The files that may hold it.
    pub files: Vec<String>,
    pub is_test: bool,
    /// Whether the files of its own modules are next to its file, as for `mod.rs`, and not in a folder of its name.
    is_folder: bool,
}

impl Declared {
    /// The root of a crate.
    pub fn root(file: &str) -> Self {
        Self { module: Vec::new(), files: vec![file.to_owned()], is_test: false, is_folder: true }
    }
}

/// Reads the file in which a declared module was found. Returns its modules without test code, and all modules that it
/// declares.
///
/// # Errors
/// The text is not Rust.
pub fn read(declared: Declared, file: &str, text: &str) -> syn::Result<(Vec<Module>, Vec<Declared>)> {
    let tree = syn::parse_file(text)?;
    let (folder, name) = file.rsplit_once('/').unwrap_or(("", file));
    let is_folder = declared.is_folder || name == "mod.rs";
    let mut reader = Reader {
        modules: vec![Module { path: declared.module, ..Module::default() }],
        open: vec![0],
        declared: Vec::new(),
        is_test: declared.is_test,
        folder: folder.to_owned(),
        below: if is_folder { folder.to_owned() } else { join(folder, name.trim_end_matches(".rs")) },
    };
    reader.visit_file(&tree);
    Ok((reader.modules, reader.declared))
}

struct Reader {
    modules: Vec<Module>,
    /// The modules around the visited code, innermost last.
    open: Vec<usize>,
    declared: Vec<Declared>,
    /// Whether the visited code is test code.
    is_test: bool,
    /// The folder of the file.
    folder: String,
    /// The folder of the files of the modules that the file declares.
    below: String,
}

impl Reader {
    fn module(&mut self) -> &mut Module {
        let innermost = *self.open.last().expect("a file is a module");
        &mut self.modules[innermost]
    }

    /// Reads the modules that test code declares, and nothing else.
    fn skip(&mut self, item: &Item) {
        let path = self.module().path.clone();
        let kept = self.modules.len();
        self.open.push(kept);
        self.modules.push(Module { path, ..Module::default() });
        self.is_test = true;
        visit::visit_item(self, item);
        self.is_test = false;
        self.open.pop();
        self.modules.truncate(kept);
    }

    fn declare(&mut self, name: String, attributes: &[Attribute]) {
        let outer = self.modules[0].path.len();
        let module = &self.module().path;
        let inline: Vec<String> = module[outer..].to_vec();
        let module = [module.as_slice(), std::slice::from_ref(&name)].concat();
        let below = inline.iter().fold(self.below.clone(), |folder, name| join(&folder, name));
        let given = attributes.iter().find_map(path_attribute);
        let is_folder = given.is_some();
        let files = match given {
            Some(path) if inline.is_empty() => vec![join(&self.folder, &path)],
            Some(path) => vec![join(&below, &path)],
            None => vec![join(&below, &format!("{name}.rs")), join(&below, &format!("{name}/mod.rs"))],
        };
        self.declared.push(Declared { module, files, is_test: self.is_test, is_folder });
    }

    /// Adds the findings in the tokens of a macro or an attribute.
    fn add(&mut self, found: tokens::Found) {
        let module = self.module();
        module.definitions.extend(found.public_types.iter().cloned());
        module.public_types.extend(found.public_types);
        module.paths.extend(found.paths);
        module.functions.extend(found.functions);
        module.words.extend(found.words);
        module.opened.extend(found.opened);
    }
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item(&mut self, item: &'ast Item) {
        let head = Head::of(item);
        if !self.is_test && head.attributes.iter().any(is_test_only) {
            return self.skip(item);
        }
        if let Some(name) = head.name {
            let name = name.to_string();
            if head.is_public_type {
                self.module().public_types.push(name.clone());
            }
            self.module().definitions.insert(name);
        }
        visit::visit_item(self, item);
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        let attributes: &[Attribute] = match item {
            ImplItem::Const(item) => &item.attrs,
            ImplItem::Fn(item) => &item.attrs,
            ImplItem::Type(item) => &item.attrs,
            _ => &[],
        };
        if !attributes.iter().any(is_test_only) {
            visit::visit_impl_item(self, item);
        }
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        let name = item.ident.to_string();
        if item.content.is_none() {
            return self.declare(name, &item.attrs);
        }
        let path = [self.module().path.as_slice(), &[name]].concat();
        self.open.push(self.modules.len());
        self.modules.push(Module { path, ..Module::default() });
        visit::visit_item_mod(self, item);
        self.open.pop();
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let found = uses(item);
        self.module().uses.extend(found);
        visit::visit_item_use(self, item);
    }

    fn visit_signature(&mut self, signature: &'ast syn::Signature) {
        self.module().functions.push(Function::of(signature));
        visit::visit_signature(self, signature);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.leading_colon.is_none() {
            let names = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
            self.module().paths.insert(names);
        }
        visit::visit_path(self, path);
    }

    fn visit_expr_field(&mut self, access: &'ast syn::ExprField) {
        if matches!(&access.member, syn::Member::Unnamed(index) if index.index == 0) {
            let through = match &*access.base {
                syn::Expr::Field(base) => match &base.member {
                    syn::Member::Named(name) => Some(name),
                    syn::Member::Unnamed(_) => None,
                },
                syn::Expr::Path(base) => base.path.get_ident(),
                _ => None,
            };
            let through = through.map(Ident::to_string);
            self.module().opened.extend(through);
        }
        visit::visit_expr_field(self, access);
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        let mut found = tokens::scan(&mac.tokens);
        if mac.path.is_ident("macro_rules") {
            // The names are parameters.
            found.public_types.clear();
        }
        self.add(found);
        visit::visit_macro(self, mac);
    }

    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        if let Meta::List(list) = &attribute.meta {
            self.add(tokens::scan(&list.tokens));
        }
    }

    /// A path that says where an item is visible imports nothing.
    fn visit_vis_restricted(&mut self, _: &'ast syn::VisRestricted) {}

    fn visit_ident(&mut self, name: &'ast Ident) {
        let name = name.to_string();
        self.module().words.insert(name);
    }
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}
