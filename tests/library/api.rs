//! The interface of the library changes only on purpose: `crates/library/api.txt` lists it, and differs from the code
//! if a change breaks programs or adds to what is promised.
//!
//! `HARVESTMAN_BLESS=1 cargo test --test library interface` writes the list.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use syn::{
    Attribute, Fields, File, FnArg, ImplItem, ImplItemFn, Item, ItemEnum, ItemImpl, ItemStruct, ItemTrait, Pat,
    ReceiverKind, Signature, TraitItem, Type, UseTree, Visibility,
};

const HEAD: &str = "// The interface of harvestman-library, without the bodies of functions: written by `cargo test`, see tests/library/api.rs.\n\
    // A change here that is not only an addition needs a new second number of the version.\n\n";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/library")
}

/// Reads a module of the library.
fn read(module: &str) -> File {
    let file = folder().join(format!("src/{module}.rs"));
    syn::parse_file(&fs::read_to_string(file).unwrap()).unwrap()
}

/// The interface that the root module `lib` has; `module` returns the modules below it.
fn interface(lib: File, module: impl Fn(&str) -> File) -> String {
    let mut listed: Vec<String> = Vec::new();
    // A type may have methods in another module than its own.
    let all: BTreeSet<String> = lib.items.iter().filter_map(reexported).flat_map(|(_, names)| names).collect();
    for item in lib.items {
        match item {
            Item::Mod(inner) if is_promised(&inner.vis, &inner.attrs) => {
                let below = module(&inner.ident.to_string());
                let names = below.items.iter().filter_map(promised_name).collect();
                let items = printed(below, &names, &names).into_iter().map(|text| text.replace('\n', "\n    "));
                let items = items.map(|text| format!("    {}\n", text.trim_end())).collect::<String>();
                listed.push(format!("pub mod {} {{\n{items}}}\n", inner.ident));
            }
            Item::Use(reexport) if is_promised(&reexport.vis, &reexport.attrs) => {
                let (name, names) = reexported(&Item::Use(reexport)).unwrap();
                listed.extend(printed(module(&name), &names, &all));
            }
            _ => {}
        }
    }
    listed.sort();
    listed.join("\n")
}

/// The module and the names of a re-export that is promised.
fn reexported(item: &Item) -> Option<(String, BTreeSet<String>)> {
    let Item::Use(reexport) = item else { return None };
    let UseTree::Path(path) = &reexport.tree else { panic!("a re-export without a module") };
    is_promised(&reexport.vis, &reexport.attrs).then(|| (path.ident.to_string(), names(&path.tree)))
}

fn names(tree: &UseTree) -> BTreeSet<String> {
    match tree {
        UseTree::Name(name) => [name.ident.to_string()].into(),
        UseTree::Group(group) => group.items.iter().flat_map(names).collect(),
        _ => panic!("a re-export that is not by name"),
    }
}

fn is_promised(visibility: &Visibility, attributes: &[Attribute]) -> bool {
    let is_hidden = |attribute: &Attribute| {
        attribute.path().is_ident("doc") && attribute.parse_args::<syn::Ident>().is_ok_and(|what| what == "hidden")
    };
    matches!(visibility, Visibility::Public(_)) && !attributes.iter().any(is_hidden)
}

/// The name of an item that users see.
fn promised_name(item: &Item) -> Option<String> {
    let (visibility, attributes, name) = match item {
        Item::Struct(item) => (&item.vis, &item.attrs, &item.ident),
        Item::Enum(item) => (&item.vis, &item.attrs, &item.ident),
        Item::Trait(item) => (&item.vis, &item.attrs, &item.ident),
        Item::Type(item) => (&item.vis, &item.attrs, &item.ident),
        Item::Const(item) => (&item.vis, &item.attrs, &item.ident),
        Item::Fn(item) => (&item.vis, &item.attrs, &item.sig.ident),
        _ => return None,
    };
    is_promised(visibility, attributes).then(|| name.to_string())
}

/// The items of a module with these names, and what the module implements for `all`.
fn printed(file: File, names: &BTreeSet<String>, all: &BTreeSet<String>) -> Vec<String> {
    let items = file.items.into_iter().filter_map(|item| match item {
        Item::Impl(block) => implementation(block, all).map(Item::Impl),
        item if promised_name(&item).is_some_and(|name| names.contains(&name)) => Some(bare(item)),
        _ => None,
    });
    let print =
        |item| prettyplease::unparse(&File { shebang: None, frontmatter: None, attrs: Vec::new(), items: vec![item] });
    items.map(print).collect()
}

/// An item without documentation, private fields and bodies.
fn bare(item: Item) -> Item {
    match item {
        Item::Struct(item) => Item::Struct(bare_struct(item)),
        Item::Enum(item) => Item::Enum(bare_enum(item)),
        Item::Trait(item) => Item::Trait(bare_trait(item)),
        Item::Type(item) => Item::Type(syn::ItemType { attrs: kept(item.attrs), ..item }),
        Item::Const(item) => Item::Const(syn::ItemConst { attrs: kept(item.attrs), ..item }),
        Item::Fn(item) => {
            Item::Fn(syn::ItemFn { attrs: kept(item.attrs), sig: bare_signature(item.sig), block: empty(), ..item })
        }
        item => item,
    }
}

/// The attributes that a user depends on.
fn kept(attributes: Vec<Attribute>) -> Vec<Attribute> {
    let is_kept = |attribute: &Attribute| {
        ["derive", "non_exhaustive", "must_use"].iter().any(|name| attribute.path().is_ident(name))
    };
    attributes.into_iter().filter(is_kept).collect()
}

fn bare_struct(mut item: ItemStruct) -> ItemStruct {
    if let Fields::Named(fields) = &mut item.fields {
        let public =
            std::mem::take(&mut fields.named).into_iter().filter(|field| is_promised(&field.vis, &field.attrs));
        fields.named = public.map(|field| syn::Field { attrs: Vec::new(), ..field }).collect();
    }
    ItemStruct { attrs: kept(item.attrs), ..item }
}

fn bare_enum(mut item: ItemEnum) -> ItemEnum {
    for variant in &mut item.variants {
        variant.attrs.clear();
        variant.fields.iter_mut().for_each(|field| field.attrs.clear());
    }
    ItemEnum { attrs: kept(item.attrs), ..item }
}

fn bare_trait(mut item: ItemTrait) -> ItemTrait {
    for method in &mut item.items {
        if let TraitItem::Fn(method) = method {
            method.attrs.clear();
            strip(&mut method.sig);
            // A body says that there is a default.
            method.default = method.default.take().map(|_| *empty());
        }
    }
    ItemTrait { attrs: kept(item.attrs), ..item }
}

/// The methods and types that users see of an implementation for items with these names.
fn implementation(mut block: ItemImpl, names: &BTreeSet<String>) -> Option<ItemImpl> {
    let of_trait = block.trait_.as_ref().and_then(|(path, _)| Some(path.segments.last()?.ident.to_string()));
    let of_type = match &*block.self_ty {
        Type::Path(path) => path.path.segments.last().map(|segment| segment.ident.to_string()),
        _ => None,
    };
    if ![&of_trait, &of_type].iter().any(|name| name.as_ref().is_some_and(|name| names.contains(name))) {
        return None;
    }
    let is_inherent = of_trait.is_none();
    let mut items: Vec<ImplItem> = block.items.into_iter().filter_map(|item| kept_member(item, is_inherent)).collect();
    items
        .sort_by_key(|item| if let ImplItem::Fn(method) = item { method.sig.ident.to_string() } else { String::new() });
    block.items = items;
    block.attrs.clear();
    (!is_inherent || !block.items.is_empty()).then_some(block)
}

fn kept_member(item: ImplItem, is_inherent: bool) -> Option<ImplItem> {
    match item {
        ImplItem::Fn(method) if is_inherent && is_promised(&method.vis, &method.attrs) => {
            Some(ImplItem::Fn(ImplItemFn {
                attrs: kept(method.attrs),
                sig: bare_signature(method.sig),
                block: *empty(),
                ..method
            }))
        }
        ImplItem::Type(_) => Some(item),
        _ => None,
    }
}

fn empty() -> Box<syn::Block> {
    Box::new(syn::parse_str("{}").unwrap())
}

/// A signature without what concerns its body only: whether arguments are mutable.
fn bare_signature(mut signature: Signature) -> Signature {
    strip(&mut signature);
    signature
}

fn strip(signature: &mut Signature) {
    for argument in &mut signature.inputs {
        match argument {
            FnArg::Receiver(receiver) if matches!(receiver.kind, ReceiverKind::Value) => receiver.mutability = None,
            FnArg::Typed(typed) => {
                if let Pat::Ident(name) = &mut *typed.pat {
                    name.mutability = None;
                }
            }
            FnArg::Receiver(_) => {}
        }
    }
}

#[test]
fn the_interface_is_the_one_that_is_promised() {
    let code = format!("{HEAD}{}", interface(read("lib"), read));
    let file = folder().join("api.txt");
    if std::env::var_os("HARVESTMAN_BLESS").is_some_and(|value| value == "1") {
        fs::write(&file, &code).unwrap();
    }
    let promised = fs::read_to_string(&file).unwrap_or_default();
    let lines: BTreeSet<&str> = promised.lines().collect();
    let now: BTreeSet<&str> = code.lines().collect();
    let (gone, new): (Vec<_>, Vec<_>) = (lines.difference(&now).collect(), now.difference(&lines).collect());
    assert!(
        promised == code,
        "the interface of the library has changed; gone: {gone:#?}, new: {new:#?}\nWhat is gone breaks programs. If it is meant, \
         raise the version, note it in CHANGELOG.md, and run: HARVESTMAN_BLESS=1 cargo test --test library interface"
    );
    assert!(promised.matches(" fn ").count() > 60, "the list is not empty");
}

/// Says that a crate may change at any time.
const UNPROMISED: &str =
    "//! Internal to Harvestman, without a promise of stability: other programs use `harvestman-library`.";

#[test]
fn every_other_crate_says_that_it_promises_nothing() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let crates = fs::read_dir(root.join("crates")).unwrap().map(|entry| entry.unwrap().path());
    let mut promised = Vec::new();
    for folder in crates.chain([root.to_owned()]) {
        let text = fs::read_to_string(folder.join("src/lib.rs")).unwrap();
        if !text.lines().any(|line| line == UNPROMISED) {
            assert!(text.contains("# Stability"), "{} says nothing of its stability", folder.display());
            promised.push(folder);
        }
    }
    assert_eq!(promised, [folder()]);
}

/// The interface of a library of one module `page`.
fn of_sample(page: &str) -> String {
    let lib = "mod page; pub use page::{Page, Reads, Kind}; #[doc(hidden)] pub use page::Hidden; mod other;";
    interface(syn::parse_str(lib).unwrap(), |_| syn::parse_str(page).unwrap())
}

const SAMPLE: &str = "
    /// A page.
    #[derive(Debug, Clone)] pub struct Page { url: String, pub status: u16 }
    impl Page {
        /// Its URL.
        pub fn url(&self) -> &str { &self.url }
        pub(crate) fn new() -> Self { todo!() }
        #[doc(hidden)] pub fn inner(&self) {}
    }
    #[non_exhaustive] pub enum Kind { A, B(u8) }
    pub trait Reads { fn read(&mut self, page: &Page); fn end(&mut self) {} }
    impl<F: Fn()> Reads for F { fn read(&mut self, page: &Page) {} }
    impl Iterator for Page { type Item = u8; fn next(&mut self) -> Option<u8> { None } }
    pub struct Hidden; impl Hidden { pub fn hidden(&self) {} } impl Clone for Hidden {}";

#[test]
fn every_change_of_the_interface_is_found_and_no_other() {
    let before = of_sample(SAMPLE);
    for (old, new) in [
        ("pub fn url(&self) -> &str { &self.url }", ""),
        ("pub fn url(&self) -> &str", "pub fn url(&self) -> &String"),
        ("pub fn url(&self)", "pub fn url(&mut self)"),
        ("pub fn url", "fn url"),
        ("pub status: u16", "pub status: u32"),
        ("pub status: u16", "status: u16"),
        ("#[derive(Debug, Clone)]", "#[derive(Debug)]"),
        ("#[non_exhaustive] ", ""),
        ("B(u8)", "B(u8), C"),
        ("fn end(&mut self) {}", "fn end(&mut self);"),
        ("fn read(&mut self, page: &Page);", "fn read(&mut self, page: &Page); fn more(&self);"),
        ("pub trait Reads {", "pub trait Reads: Send {"),
        ("type Item = u8", "type Item = u16"),
        ("impl<F: Fn()> Reads for F { fn read(&mut self, page: &Page) {} }", ""),
        ("pub enum Kind", "enum Kind"),
    ] {
        assert!(SAMPLE.contains(old) && of_sample(&SAMPLE.replacen(old, new, 1)) != before, "`{old}` to `{new}`");
    }
    for (old, new) in [
        ("{ &self.url }", "{ self.url.as_str() }"),
        ("url: String", "address: String"),
        ("/// Its URL.", "/// Its address."),
        ("pub(crate) fn new() -> Self", "pub(crate) fn of(url: String) -> Self"),
        ("pub fn hidden(&self)", "pub fn hidden(&mut self)"),
        ("pub fn inner(&self)", "pub fn inner(&mut self)"),
    ] {
        assert!(SAMPLE.contains(old));
        assert_eq!(of_sample(&SAMPLE.replacen(old, new, 1)), before, "`{old}` to `{new}`");
    }
}

/// What a compiled program may rely on beside the list.
#[test]
fn handles_may_go_to_other_threads() {
    const fn send<T: Send + 'static>() {}
    const fn shared<T: Send + Sync + Clone + 'static>() {}
    send::<harvestman_library::Crawl>();
    send::<harvestman_library::CrawlBuilder>();
    send::<harvestman_library::Pages>();
    send::<harvestman_library::Error>();
    shared::<harvestman_library::Page>();
    shared::<harvestman_library::Stopper>();
    shared::<harvestman_library::Report>();
}
