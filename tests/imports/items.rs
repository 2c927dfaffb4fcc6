//! Properties of items: names, visibility, and attributes.

use syn::{Attribute, Ident, Item, Meta, Visibility};

/// The properties that all sorts of items have.
pub struct Head<'a> {
    pub attributes: &'a [Attribute],
    pub name: Option<&'a Ident>,
    /// Whether it is a type that other modules see.
    pub is_public_type: bool,
}

impl<'a> Head<'a> {
    pub fn of(item: &'a Item) -> Self {
        match item {
            Item::Const(item) => Self::named(&item.attrs, &item.ident),
            Item::Fn(item) => Self::named(&item.attrs, &item.sig.ident),
            Item::Static(item) => Self::named(&item.attrs, &item.ident),
            Item::Mod(item) => Self { attributes: &item.attrs, name: None, is_public_type: false },
            Item::Impl(item) => Self { attributes: &item.attrs, name: None, is_public_type: false },
            Item::Use(item) => Self { attributes: &item.attrs, name: None, is_public_type: false },
            Item::Macro(item) => Self { attributes: &item.attrs, name: item.ident.as_ref(), is_public_type: false },
            Item::Enum(item) => Self::named(&item.attrs, &item.ident).seen(&item.vis),
            Item::Struct(item) => Self::named(&item.attrs, &item.ident).seen(&item.vis),
            Item::Trait(item) => Self::named(&item.attrs, &item.ident).seen(&item.vis),
            Item::Type(item) => Self::named(&item.attrs, &item.ident).seen(&item.vis),
            Item::Union(item) => Self::named(&item.attrs, &item.ident).seen(&item.vis),
            _ => Self { attributes: &[], name: None, is_public_type: false },
        }
    }

    fn named(attributes: &'a [Attribute], name: &'a Ident) -> Self {
        Self { attributes, name: Some(name), is_public_type: false }
    }

    /// Marks a type of this visibility.
    fn seen(self, visibility: &Visibility) -> Self {
        Self { is_public_type: is_visible(visibility), ..self }
    }
}

/// Whether other modules see an item of this visibility. `pub(self)` is private.
pub fn is_visible(visibility: &Visibility) -> bool {
    match visibility {
        Visibility::Public(_) => true,
        Visibility::Restricted(within) => !within.path.is_ident("self"),
        Visibility::Inherited => false,
    }
}

/// Whether this is a `#[cfg]` that holds in tests only.
pub fn is_test_only(attribute: &Attribute) -> bool {
    attribute.path().is_ident("cfg") && attribute.parse_args::<Meta>().is_ok_and(|condition| needs_test(&condition))
}

fn needs_test(condition: &Meta) -> bool {
    let parts = |list: &syn::MetaList| {
        type Parts = syn::punctuated::Punctuated<Meta, syn::Token![,]>;
        list.parse_args_with(Parts::parse_terminated).unwrap_or_default()
    };
    match condition {
        Meta::Path(path) => path.is_ident("test"),
        Meta::List(list) if list.path.is_ident("all") => parts(list).iter().any(needs_test),
        Meta::List(list) if list.path.is_ident("any") => parts(list).iter().all(needs_test),
        _ => false,
    }
}

/// The file of `#[path = "…"]`.
pub fn path_attribute(attribute: &Attribute) -> Option<String> {
    let Meta::NameValue(pair) = &attribute.meta else { return None };
    match &pair.value {
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(file), .. }) if pair.path.is_ident("path") => {
            Some(file.value())
        }
        _ => None,
    }
}
