//! A page as a log-in needs it: its tree, its address, its charset.

use std::collections::BTreeSet;

use encoding_rs::Encoding;
use scraper::node::Element;
use scraper::{ElementRef, Html};
use url::Url;

use crate::problem::Problem;

/// Maximum number of links and forms that are compared.
const TARGETS_MAX: usize = 20_000;
/// Maximum length of a link's text that is compared, in bytes.
const LABEL_MAX: usize = 200;

/// A page that is read.
#[derive(Debug)]
pub struct Page {
    url: Url,
    base: Url,
    document: Html,
    encoding: &'static Encoding,
}

/// What a link or a form leads to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PageTarget {
    /// The absolute address, without the fragment.
    pub(crate) url: String,
    /// The visible text, the title and the label, in lower case.
    pub(crate) label: String,
    pub(crate) is_form: bool,
    /// Whether the relation of the link names the end of a session.
    pub(crate) is_log_out_relation: bool,
}

impl Page {
    /// Reads the decoded body of an answer for `url`.
    ///
    /// # Errors
    /// The address is none, or the page exceeds the bounds of trees.
    pub fn read(url: &str, body: &[u8], content_type: Option<&str>) -> Result<Self, Problem> {
        let url = Url::parse(url).map_err(|_| Problem::Unreadable)?;
        let text = harvestman_document::decode(body, content_type);
        let document = harvestman_document::parse(&text).ok_or(Problem::Unreadable)?;
        let encoding = harvestman_document::encoding(body, content_type);
        let page = Self { base: url.clone(), url, document, encoding };
        let base = page.elements().find(|element| element.value().name() == "base");
        let base = base.and_then(|base| page.url.join(base.attr("href")?.trim()).ok());
        Ok(Self { base: base.unwrap_or_else(|| page.url.clone()), ..page })
    }

    /// Returns its address.
    pub const fn url(&self) -> &Url {
        &self.url
    }

    pub(crate) const fn encoding(&self) -> &'static Encoding {
        self.encoding
    }

    pub(crate) fn elements(&self) -> impl Iterator<Item = ElementRef<'_>> {
        self.document.tree.root().descendants().filter_map(ElementRef::wrap)
    }

    pub(crate) fn document(&self) -> &Html {
        &self.document
    }

    /// Resolves an address as written on the page; an empty one is that of the page. Without the fragment.
    pub(crate) fn resolve(&self, written: &str) -> Option<Url> {
        let written = written.trim();
        let mut url = if written.is_empty() { self.url.clone() } else { self.base.join(written).ok()? };
        url.set_fragment(None);
        matches!(url.scheme(), "http" | "https").then_some(url)
    }

    /// Returns where its links and forms lead, in order, each once.
    pub(crate) fn targets(&self) -> BTreeSet<PageTarget> {
        let of = |element: ElementRef<'_>| {
            let (value, is_form) = (element.value(), element.value().name() == "form");
            let written = match value.name() {
                // A script does what such a link is called.
                "a" | "area" | "link" => {
                    value.attr("href").filter(|href| !href.trim().is_empty() && !href.trim().starts_with('#'))?
                }
                "form" => value.attr("action").unwrap_or_default(),
                "button" | "input" => value.attr("formaction")?,
                _ => return None,
            };
            let url = self.resolve(written)?.into();
            let label = if is_form { String::new() } else { label(element) };
            let is_log_out_relation = value.attr("rel").is_some_and(is_log_out_relation);
            Some(PageTarget { url, label, is_form, is_log_out_relation })
        };
        self.elements().filter_map(of).take(TARGETS_MAX).collect()
    }

    /// Returns the text that the page shows, with single spaces, in lower case. Scripts and styles are left out.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for node in self.document.tree.root().descendants() {
            let Some(part) = node.value().as_text() else { continue };
            let around = node.parent().and_then(ElementRef::wrap).map(|parent| parent.value().name().to_owned());
            if around
                .is_some_and(|name| matches!(name.as_str(), "script" | "style" | "template" | "noscript" | "title"))
            {
                continue;
            }
            push_words(&mut text, part);
        }
        text
    }

    /// Returns whether it has a field for a password, as a log-in form has.
    pub fn asks_for_password(&self) -> bool {
        self.elements().any(|element| is_password(element.value()))
    }

    /// Returns the values of its hidden fields, and of `meta` elements with a token against forgery.
    pub(crate) fn tokens(&self) -> BTreeSet<&str> {
        self.elements().filter_map(token_of).collect()
    }
}

/// Returns the token that an element holds, if it holds one.
fn token_of(element: ElementRef<'_>) -> Option<&str> {
    let value = element.value();
    let is_hidden = || value.attr("type").is_some_and(|kind| kind.eq_ignore_ascii_case("hidden"));
    let token = match value.name() {
        "input" if is_hidden() => value.attr("value")?,
        "meta" if value.attr("name").is_some_and(|name| name.to_ascii_lowercase().contains("csrf")) => {
            value.attr("content")?
        }
        _ => return None,
    };
    looks_like_token(token).then_some(token)
}

/// Returns whether a value is long and varied enough to be a token, not a number or a word of the site's own.
pub(crate) fn looks_like_token(value: &str) -> bool {
    let is_plain = value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_+/=.:".contains(&byte));
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    (10..=512).contains(&value.len()) && is_plain && digits > 0 && digits < value.len()
}

pub(crate) fn is_password(element: &Element) -> bool {
    element.name() == "input" && element.attr("type").is_some_and(|kind| kind.trim().eq_ignore_ascii_case("password"))
}

fn is_log_out_relation(rel: &str) -> bool {
    rel.split_ascii_whitespace()
        .any(|rel| ["logout", "sign-out", "signout", "log-out"].iter().any(|name| rel.eq_ignore_ascii_case(name)))
}

/// Returns what a link is called: its text, and its title and label for those who do not see it.
fn label(element: ElementRef<'_>) -> String {
    let mut label = String::new();
    element.text().for_each(|part| push_words(&mut label, part));
    let attributes = ["title", "aria-label", "value"].into_iter().filter_map(|name| element.attr(name));
    let images = element.descendants().filter_map(ElementRef::wrap).filter_map(|inner| inner.attr("alt"));
    for more in attributes.chain(images) {
        // A different name, not a continuation.
        label.push('\n');
        push_words(&mut label, more);
    }
    let end = (0..=label.len().min(LABEL_MAX)).rev().find(|at| label.is_char_boundary(*at)).unwrap_or_default();
    label.truncate(end);
    label
}

/// Appends the words of a text in lower case.
fn push_words(text: &mut String, more: &str) {
    for word in more.split_whitespace() {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push(' ');
        }
        text.extend(word.chars().flat_map(char::to_lowercase));
    }
}

/// Returns the words of a text with single spaces, in lower case.
pub(crate) fn normalised(text: &str) -> String {
    let mut words = String::new();
    push_words(&mut words, text);
    words
}
