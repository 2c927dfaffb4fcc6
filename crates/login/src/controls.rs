//! The controls of the forms of a page. Source: the HTML standard, "Form owner" and "Constructing the entry list".

use scraper::ElementRef;
use scraper::node::Element;

use crate::page::{Page, is_password, normalised};

/// Maximum number of forms that are looked at.
const FORMS_MAX: usize = 64;
/// Maximum number of controls of a form.
const CONTROLS_MAX: usize = 256;
/// Maximum number of options of a list.
const OPTIONS_MAX: usize = 1_024;

/// What a control is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ControlKind {
    /// Sent as it is: hidden fields, chosen boxes and options.
    Fixed,
    /// A field for text.
    Text,
    Password,
    Submit,
    /// A file, which cannot be left out in good faith.
    File,
}

/// A control that may be sent.
#[derive(Debug, Clone)]
pub(crate) struct Control<'p> {
    pub(crate) element: &'p Element,
    pub(crate) kind: ControlKind,
    /// Empty if it is not sent.
    pub(crate) name: String,
    pub(crate) value: String,
}

impl Control<'_> {
    /// Returns the attribute in lower case; empty if it is missing.
    pub(crate) fn attr(&self, name: &str) -> String {
        self.element.attr(name).map(normalised).unwrap_or_default()
    }
}

/// A form with its controls.
#[derive(Debug)]
pub(crate) struct FormControls<'p> {
    pub(crate) form: ElementRef<'p>,
    pub(crate) controls: Vec<Control<'p>>,
}

impl FormControls<'_> {
    /// Returns an attribute of the form in lower case.
    pub(crate) fn attr(&self, name: &str) -> String {
        self.form.attr(name).map(normalised).unwrap_or_default()
    }

    pub(crate) fn of_kind(&self, kind: ControlKind) -> impl Iterator<Item = &Control<'_>> {
        self.controls.iter().filter(move |control| control.kind == kind)
    }
}

/// What is found of forms on a page.
pub(crate) struct PageForms<'p> {
    pub(crate) forms: Vec<FormControls<'p>>,
    /// Whether a field for a password belongs to no form.
    pub(crate) has_loose_password: bool,
}

/// Returns the forms of a page with their controls, in the order of the page.
pub(crate) fn forms(page: &Page) -> PageForms<'_> {
    let mut found = PageForms { forms: Vec::new(), has_loose_password: false };
    for node in page.elements() {
        match node.value().name() {
            "form" if found.forms.len() < FORMS_MAX => {
                found.forms.push(FormControls { form: node, controls: Vec::new() });
            }
            "input" | "button" | "select" | "textarea" => take(node, &mut found),
            _ => {}
        }
    }
    found
}

fn take<'p>(node: ElementRef<'p>, found: &mut PageForms<'p>) {
    match owner(node, &mut found.forms) {
        Some(form) if form.controls.len() < CONTROLS_MAX => form.controls.extend(control(node)),
        Some(_) => {}
        None => found.has_loose_password |= is_password(node.value()),
    }
}

/// Returns the form that a control belongs to: the one that it names, the one around it, or an empty one before it
/// within an element around it. A form that starts between the rows of a table is empty in the tree.
fn owner<'f, 'p>(node: ElementRef<'p>, forms: &'f mut [FormControls<'p>]) -> Option<&'f mut FormControls<'p>> {
    if let Some(name) = node.attr("form") {
        return forms.iter_mut().find(|form| form.form.attr("id") == Some(name));
    }
    for around in node.ancestors() {
        let is_owner = |of: &FormControls<'_>| of.form.id() == around.id();
        let is_before = |of: &FormControls<'_>| {
            of.form.first_child().is_none() && of.form.parent().is_some_and(|parent| parent.id() == around.id())
        };
        if let Some(at) = forms.iter().rposition(|form| is_owner(form) || is_before(form)) {
            return forms.get_mut(at);
        }
    }
    None
}

/// Returns what a control sends; `None` if it sends nothing.
fn control(node: ElementRef<'_>) -> Option<Control<'_>> {
    let element = node.value();
    if element.attr("disabled").is_some() {
        return None;
    }
    let input = element.attr("type").map(normalised).unwrap_or_default();
    let (kind, value) = match (element.name(), input.as_str()) {
        ("textarea", _) => (ControlKind::Text, node.text().collect()),
        ("select", _) => (ControlKind::Fixed, chosen(node)?),
        ("button", "reset" | "button") | ("input", "reset" | "button" | "image") => return None,
        ("button", _) | ("input", "submit") => (ControlKind::Submit, given(element)),
        ("input", "hidden") => (ControlKind::Fixed, given(element)),
        ("input", "checkbox" | "radio") if element.attr("checked").is_none() => return None,
        ("input", "checkbox" | "radio") => (ControlKind::Fixed, element.attr("value").unwrap_or("on").to_owned()),
        ("input", "password") => (ControlKind::Password, String::new()),
        ("input", "file") => (ControlKind::File, String::new()),
        _ => (ControlKind::Text, given(element)),
    };
    let name = element.attr("name").unwrap_or_default().to_owned();
    Some(Control { element, kind, name, value })
}

fn given(element: &Element) -> String {
    element.attr("value").unwrap_or_default().to_owned()
}

/// Returns the value of the selected option, or of the first one.
fn chosen(list: ElementRef<'_>) -> Option<String> {
    let options = || {
        let elements = list.descendants().filter_map(ElementRef::wrap);
        elements.filter(|element| element.value().name() == "option").take(OPTIONS_MAX)
    };
    let option = options().find(|option| option.attr("selected").is_some()).or_else(|| options().next())?;
    Some(option.attr("value").map_or_else(|| option.text().collect::<String>().trim().to_owned(), ToOwned::to_owned))
}
