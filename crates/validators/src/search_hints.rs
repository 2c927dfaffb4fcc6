//! What a page says about a search of its site: a link to a description, or a form.
//!
//! Sources: OpenSearch 1.1, section "Autodiscovery in HTML"; the HTML standard, section "Constructing the entry list".

use scraper::node::Element;
use scraper::{ElementRef, Html};

use crate::PageView;

/// Maximum number of forms that are looked at.
const FORMS_MAX: usize = 64;
/// Maximum number of fields of a form that is used.
const FIELDS_MAX: usize = 64;
/// Maximum number of options of a field among which the selected one is looked for.
const OPTIONS_MAX: usize = 1_024;
/// Names that the text field of a search usually has.
const USUAL_NAMES: [&str; 10] =
    ["q", "s", "query", "search", "keywords", "keyword", "searchterm", "term", "terms", "text"];

/// What a page says about a search of its site. Addresses are as written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SearchHints {
    /// The base that addresses are relative to, if the page has one.
    pub base: Option<String>,
    /// The address of the OpenSearch description.
    pub description: Option<String>,
    /// The form that looks most like a search.
    pub form: Option<SearchForm>,
}

/// A form that is sent by GET and has exactly one field for text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchForm {
    /// The address that it is sent to; empty: that of the page.
    pub action: String,
    /// The fields that it sends, in the order of the document, with their values; `None` for the field for text.
    pub fields: Vec<(String, Option<String>)>,
}

impl PageView<'_> {
    /// Returns what the page says about a search of its site. O(nodes · depth of the tree).
    pub fn search_hints(&self) -> SearchHints {
        self.document().map(of).unwrap_or_default()
    }
}

fn of(document: &Html) -> SearchHints {
    let mut hints = SearchHints::default();
    let mut forms: Vec<Form<'_>> = Vec::new();
    for node in document.tree.root().descendants().filter_map(ElementRef::wrap) {
        let element = node.value();
        match element.name() {
            "base" if hints.base.is_none() => hints.base = element.attr("href").map(ToOwned::to_owned),
            "link" if hints.description.is_none() => hints.description = description(element),
            "form" if forms.len() < FORMS_MAX => forms.push(Form::new(node)),
            "input" | "button" | "select" | "textarea" => {
                if let Some(form) = owner(node, &mut forms) {
                    form.take(node);
                }
            }
            _ => {}
        }
    }
    let usable: Vec<Form<'_>> = forms.into_iter().filter(Form::is_usable).collect();
    let best = usable.iter().map(|form| form.likeness).max();
    let found = usable.into_iter().find(|form| Some(form.likeness) == best);
    hints.form = found.map(|form| SearchForm { action: form.action, fields: form.fields });
    hints
}

/// Returns the address of the description that a `link` names.
fn description(link: &Element) -> Option<String> {
    let is_search = link.attr("rel")?.split_ascii_whitespace().any(|rel| rel.eq_ignore_ascii_case("search"));
    let media_type = link.attr("type")?.split(';').next().unwrap_or_default().trim();
    let is_description = media_type.eq_ignore_ascii_case("application/opensearchdescription+xml");
    link.attr("href").filter(|href| is_search && is_description && !href.trim().is_empty()).map(ToOwned::to_owned)
}

/// Returns the form that a field belongs to: the one that it names, the one around it, or an empty one before it within
/// an element around it. A form that starts between the rows of a table is empty in the tree.
fn owner<'f, 'd>(field: ElementRef<'d>, forms: &'f mut [Form<'d>]) -> Option<&'f mut Form<'d>> {
    if let Some(name) = field.attr("form") {
        return forms.iter_mut().find(|form| form.name == Some(name));
    }
    for around in field.ancestors() {
        let is_owner = |form: &Form<'_>| form.node.id() == around.id();
        let is_before =
            |form: &Form<'_>| form.is_empty && form.node.parent().is_some_and(|parent| parent.id() == around.id());
        if let Some(at) = forms.iter().rposition(|form| is_owner(form) || is_before(form)) {
            return forms.get_mut(at);
        }
    }
    None
}

/// A form, and what was found of its fields.
struct Form<'d> {
    node: ElementRef<'d>,
    name: Option<&'d str>,
    is_empty: bool,
    action: String,
    fields: Vec<(String, Option<String>)>,
    /// Number of fields for text.
    texts: usize,
    /// Whether it is not sent by GET, or has fields that a query alone does not fill.
    is_other: bool,
    has_submit: bool,
    /// How much speaks for a search.
    likeness: u32,
}

impl<'d> Form<'d> {
    fn new(form: ElementRef<'d>) -> Self {
        let says = |name: &str| form.attr(name).is_some_and(|value| value.to_ascii_lowercase().contains("search"));
        let mut around = form.ancestors().filter_map(ElementRef::wrap).take(4);
        let is_around = around.any(|around| around.value().name() == "search" || around.attr("role") == Some("search"));
        let is_get = form.attr("method").is_none_or(|method| !matches_any(method, &["post", "dialog"]));
        Self {
            node: form,
            name: form.attr("id"),
            is_empty: form.first_child().is_none(),
            action: form.attr("action").unwrap_or_default().to_owned(),
            fields: Vec::new(),
            texts: 0,
            is_other: !is_get,
            has_submit: false,
            likeness: 4 * u32::from(says("role") || is_around)
                + u32::from(says("action"))
                + u32::from(says("id") || says("class")),
        }
    }

    /// Whether it is sent by GET with exactly one field for text, which has a name.
    fn is_usable(&self) -> bool {
        let places = self.fields.iter().filter(|(_, value)| value.is_none()).count();
        !self.is_other && self.texts == 1 && places == 1 && self.fields.len() <= FIELDS_MAX
    }

    fn take(&mut self, node: ElementRef<'d>) {
        let field = node.value();
        if field.attr("disabled").is_some() || self.fields.len() > FIELDS_MAX {
            return;
        }
        let kind = field.attr("type").unwrap_or_default().to_ascii_lowercase();
        match (field.name(), kind.as_str()) {
            ("textarea", _) => self.is_other = true,
            ("select", _) => self.select(node),
            ("button", "reset" | "button") | ("input", "reset" | "button" | "image") => {}
            ("button", _) | ("input", "submit") => {
                // Whoever presses Enter sends the first one.
                if !std::mem::replace(&mut self.has_submit, true) {
                    self.send(field, field.attr("value").unwrap_or_default());
                }
            }
            ("input", "hidden") => self.send(field, field.attr("value").unwrap_or_default()),
            ("input", "checkbox" | "radio") if field.attr("checked").is_none() => {}
            ("input", "checkbox" | "radio") => self.send(field, field.attr("value").unwrap_or("on")),
            (
                "input",
                "password" | "email" | "url" | "tel" | "number" | "range" | "color" | "file" | "date" | "time"
                | "month" | "week" | "datetime-local",
            ) => self.is_other = true,
            _ => self.text(field, &kind),
        }
    }

    fn text(&mut self, field: &Element, kind: &str) {
        self.texts += 1;
        let name = field.attr("name").unwrap_or_default();
        self.likeness += 4 * u32::from(kind == "search") + 2 * u32::from(matches_any(name, &USUAL_NAMES));
        if !name.is_empty() {
            self.fields.push((name.to_owned(), None));
        }
    }

    /// Takes in the selected option, or the first one.
    fn select(&mut self, field: ElementRef<'d>) {
        let options = || {
            let elements = field.descendants().filter_map(ElementRef::wrap);
            elements.filter(|element| element.value().name() == "option").take(OPTIONS_MAX)
        };
        let selected = options().find(|option| option.attr("selected").is_some());
        let Some(option) = selected.or_else(|| options().next()) else { return };
        match option.attr("value") {
            Some(value) => self.send(field.value(), value),
            None => self.send(field.value(), option.text().collect::<String>().trim()),
        }
    }

    fn send(&mut self, field: &Element, value: &str) {
        if let Some(name) = field.attr("name").filter(|name| !name.is_empty() && *name != "_charset_") {
            self.fields.push((name.to_owned(), Some(value.to_owned())));
        }
    }
}

fn matches_any(text: &str, others: &[&str]) -> bool {
    others.iter().any(|other| text.trim().eq_ignore_ascii_case(other))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn hints(html: &str) -> SearchHints {
        PageView::new("http://h.test/", html.as_bytes()).search_hints()
    }

    /// The action and the fields of the form that is found, as in a query string; the place of the query is `*`.
    fn form(html: &str) -> Option<String> {
        let form = hints(html).form?;
        let fields = form.fields.iter().map(|(name, value)| format!("{name}={}", value.as_deref().unwrap_or("*")));
        Some(format!("{}?{}", form.action, fields.collect::<Vec<_>>().join("&")))
    }

    #[test]
    fn a_description_is_a_link_of_that_relation_and_type() {
        let link = |rel: &str, kind: &str| {
            hints(&format!("<head><base href='/b/'><link rel='{rel}' type='{kind}' href='os.xml' title=T>"))
        };
        let found = link("Alternate SEARCH", "application/OpenSearchDescription+xml; charset=utf-8");
        assert_eq!((found.base.as_deref(), found.description.as_deref()), (Some("/b/"), Some("os.xml")));
        assert_eq!(link("alternate", "application/opensearchdescription+xml").description, None);
        assert_eq!(link("search", "text/html").description, None);
        assert_eq!(hints("<link rel=search type=application/opensearchdescription+xml href=' '>").description, None);
    }

    #[test]
    fn a_form_sends_its_text_its_hidden_fields_its_first_submit_and_what_is_chosen() {
        let html = "<form action=/find><input type=hidden name=fid value=2><input name=words>\
            <input type=checkbox name=t value=1 checked><input type=checkbox name=p value=1><input type=radio name=o checked>\
            <select name=by><option>date<option selected value=r>rank</select><select name=n><option> ten </select>\
            <input type=reset name=r><button type=button name=b>x</button><input disabled name=off>\
            <input type=submit name=go value=Go><button name=other value=2>O</button></form>";
        assert_eq!(form(html).unwrap(), "/find?fid=2&words=*&t=1&o=on&by=r&n=ten&go=Go");
    }

    #[test]
    fn forms_by_post_with_two_texts_or_with_other_fields_are_not_used() {
        for html in [
            "<form method=POST action=/s><input name=q></form>",
            "<form method=dialog><input name=q></form>",
            "<form action=/s><input name=q><input type=search name=r></form>",
            "<form action=/s><input name=q><input name=r type=unknown></form>",
            "<form action=/s><input name=q><textarea name=t></textarea></form>",
            "<form action=/login><input name=user><input type=password name=p></form>",
            "<form action=/news><input type=email name=mail></form>",
            "<form action=/s><input id=q></form>",
            "<form action=/s><input type=hidden name=q value=1></form>",
            "<input name=q>",
            "",
        ] {
            assert_eq!(form(html), None, "{html}");
        }
    }

    #[test]
    fn of_several_forms_the_one_that_looks_like_a_search_is_taken() {
        let other = "<form action=/goto><input name=page></form>";
        for search in [
            "<form action=/x role=search><input name=w></form>",
            "<form action=/x><input type=search name=w></form>",
            "<form action=/x><input name=Q></form>",
            "<form action=/Search><input name=w></form>",
            "<search><form action=/x><input name=w></form></search>",
        ] {
            assert_eq!(form(&format!("{other}{search}")), form(search), "{search}");
        }
        assert_eq!(form(other).unwrap(), "/goto?page=*");
    }

    #[test]
    fn fields_belong_to_their_form_wherever_it_stands() {
        let table = "<table><tr><form action=/a><td><input type=hidden name=h value=1><td><input name=q></form></table>\
            <form action=/b><input name=r></form>";
        assert_eq!(form(table).unwrap(), "/a?h=1&q=*");
        assert_eq!(form("<form id=f action=/a></form><p><input form=f name=q>").unwrap(), "/a?q=*");
    }

    #[test]
    fn many_forms_and_fields_are_bounded() {
        assert_eq!(form(&"<form><input type=hidden name=h></form>".repeat(FORMS_MAX - 1)), None);
        let fields =
            |count: usize| form(&format!("<form>{}<input name=q></form>", "<input type=hidden name=h>".repeat(count)));
        assert!(fields(FIELDS_MAX - 1).is_some() && fields(FIELDS_MAX).is_none());
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let _ = PageView::new("http://h.test/", &bytes).search_hints();
        }

        /// Whatever tags stand in whatever order, a form that is found has one place for the query and no other fields
        /// than the page has.
        #[test]
        fn a_found_form_has_one_place_for_the_query(
            tags in prop::collection::vec(prop::sample::select(vec![
                "<form action=/a>", "<form method=post>", "</form>", "<input name=q>", "<input type=hidden name=h value=1>",
                "<table>", "<tr>", "<td>", "</table>", "<select name=s>", "<option value=2>", "</select>", "<textarea name=t>",
                "</textarea>", "<button name=b>", "</button>", "<input type=password name=p>", "<template>", "</template>",
            ]), 0..40),
        ) {
            if let Some(form) = hints(&tags.concat()).form {
                prop_assert_eq!(form.fields.iter().filter(|(_, value)| value.is_none()).count(), 1);
                prop_assert!(form.fields.iter().all(|(name, _)| ["q", "h", "s", "b"].contains(&name.as_str())));
            }
        }
    }
}
