//! The elements of a page that state facts about it, and what its JSON-LD says of it (schema.org).

use scraper::{ElementRef, Html};
use serde_json::{Map, Value};

/// Maximum number of elements that state facts. Later ones are ignored.
const ELEMENTS_MAX: usize = 2_000;
/// Maximum length of a fact in characters. Longer ones are ignored.
const FACT_CHARACTERS_MAX: usize = 500;

/// The elements of a page that state facts, each kind in document order.
#[derive(Default)]
pub struct Markup<'a> {
    /// The names of meta elements in lower case, with their contents.
    pub meta: Vec<(String, String)>,
    /// The sources of scripts with JSON-LD.
    pub linked_data: Vec<String>,
    /// The text of the `title` element.
    pub title: Option<String>,
    /// The texts of headings of the first two levels.
    pub headings: Vec<Heading>,
    /// Elements of the page proper that may name an author or a time.
    pub candidates: Vec<ElementRef<'a>>,
}

/// A heading.
pub struct Heading {
    /// Whether it is of the first level.
    pub is_first_level: bool,
    /// Its text.
    pub text: String,
}

impl<'a> Markup<'a> {
    /// Collects the elements of a page.
    pub fn of(document: &'a Html) -> Self {
        let mut markup = Self::default();
        let elements = document.tree.nodes().filter_map(ElementRef::wrap);
        for element in elements.filter(|element| states_fact(element)).take(ELEMENTS_MAX) {
            markup.add(element);
        }
        markup
    }

    fn add(&mut self, element: ElementRef<'a>) {
        let value = element.value();
        match value.name() {
            "meta" if value.attr("itemprop").is_none() => {
                let name = value.attr("property").or_else(|| value.attr("name")).unwrap_or_default();
                if let Some(content) = value.attr("content").and_then(fact) {
                    self.meta.push((name.trim().to_ascii_lowercase(), content));
                }
            }
            "script" => self.linked_data.push(element.text().collect()),
            // An image may have a title of its own.
            "title" if self.title.is_none() => self.title = text_of(element),
            "h1" | "h2" => {
                let is_first_level = value.name() == "h1";
                self.headings.extend(text_of(element).map(|text| Heading { is_first_level, text }));
            }
            _ if !is_aside(element) => self.candidates.push(element),
            _ => {}
        }
    }

    /// Returns the content of the first of these meta elements that is on the page and for which `read` returns
    /// something.
    pub fn meta<T>(&self, names: &[&str], read: impl Fn(&str) -> Option<T>) -> Option<T> {
        names.iter().find_map(|name| {
            let mut with_name = self.meta.iter().filter(|(of, _)| of == name);
            with_name.find_map(|(_, content)| read(content))
        })
    }

    /// Returns what `read` returns for the candidates, if it is the same for all for which it returns something. On a
    /// page with several texts it is not.
    pub fn agreed(&self, read: impl Fn(ElementRef<'a>) -> Option<String>) -> Option<String> {
        let mut facts = self.candidates.iter().filter_map(|element| read(*element));
        let first = facts.next()?;
        facts.all(|other| other == first).then_some(first)
    }
}

/// Returns whether an element may state a fact.
fn states_fact(element: &ElementRef<'_>) -> bool {
    let value = element.value();
    match value.name() {
        "meta" | "title" | "h1" | "h2" | "time" => true,
        "script" => value.attr("type").is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/ld+json")),
        _ => value.attr("itemprop").is_some() || value.attr("rel").is_some() || is_in_microformat(element),
    }
}

/// Returns whether an element has one of the classes of microformats that are read.
fn is_in_microformat(element: &ElementRef<'_>) -> bool {
    element.value().classes().any(|class| matches!(class, "p-author" | "vcard" | "dt-published"))
}

/// Returns whether an element is in a part that is not the page's own: navigation, an aside, or the footer of the site.
fn is_aside(element: ElementRef<'_>) -> bool {
    let mut around = element.ancestors().filter_map(ElementRef::wrap).map(|around| around.value().name());
    let first = around.find(|name| matches!(*name, "nav" | "aside" | "footer"));
    // An article has a footer of its own.
    first.is_some_and(|name| name != "footer" || !around.any(|name| matches!(name, "article" | "main" | "section")))
}

/// Returns whether an attribute of words contains one.
pub fn has_word(element: ElementRef<'_>, attribute: &str, word: &str) -> bool {
    let words = element.value().attr(attribute).unwrap_or_default();
    words.split_ascii_whitespace().any(|other| other.eq_ignore_ascii_case(word))
}

/// Returns the text of an element if it can be a fact.
pub fn text_of(element: ElementRef<'_>) -> Option<String> {
    // Enough to see that it is too long.
    let text: String = element.text().flat_map(str::chars).take(4 * FACT_CHARACTERS_MAX).collect();
    fact(&text)
}

/// Returns a text with single spaces and without control characters; `None` if it is empty or too long.
pub fn fact(text: &str) -> Option<String> {
    let text: String = text.chars().filter(|c| c.is_whitespace() || !c.is_control()).collect();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    (!text.is_empty() && text.chars().count() <= FACT_CHARACTERS_MAX).then_some(text)
}

/// Maximum length of a script in bytes. Longer ones are ignored.
const SCRIPT_BYTES_MAX: usize = 1 << 20;
/// Maximum number of values that are searched for one that is the page.
const VALUES_MAX: usize = 1_000;
/// Maximum number of authors. Later ones are left out.
const AUTHORS_MAX: usize = 20;
/// Types that are pages with a text, besides those whose name ends with `Article`.
const TYPES: [&str; 7] =
    ["BlogPosting", "DiscussionForumPosting", "LiveBlogPosting", "Question", "Report", "Review", "SocialMediaPosting"];
/// Properties that lead to the page from what is around it.
const LEAD_ON: [&str; 2] = ["@graph", "mainEntity"];

/// The facts of the first article that is described.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct LinkedData {
    /// Its title.
    pub headline: Option<String>,
    /// Its authors.
    pub author: Option<String>,
    /// When it was published, as it is given.
    pub published: Option<String>,
}

impl LinkedData {
    /// Reads scripts. Those that are not JSON are ignored.
    pub fn of(scripts: &[String]) -> Self {
        let scripts = scripts.iter().filter(|script| script.len() <= SCRIPT_BYTES_MAX);
        let mut values = scripts.filter_map(|script| serde_json::from_str::<Value>(script).ok());
        values.find_map(|value| article(&value)).unwrap_or_default()
    }
}

/// Returns the facts of the first article in a value, in breadth-first order.
fn article(value: &Value) -> Option<LinkedData> {
    let mut waiting = vec![value];
    let mut at = 0;
    while let Some(value) = waiting.get(at).copied().filter(|_| at < VALUES_MAX) {
        at += 1;
        match value {
            Value::Array(values) => waiting.extend(values.iter().take(VALUES_MAX)),
            Value::Object(object) if is_article(object) => return Some(facts(object)),
            Value::Object(object) => waiting.extend(LEAD_ON.iter().filter_map(|name| object.get(*name))),
            _ => {}
        }
    }
    None
}

fn is_article(object: &Map<String, Value>) -> bool {
    let is_one = |value: &Value| {
        let name = value.as_str().map(|name| name.rsplit(['/', ':', '#']).next().unwrap_or(name));
        name.is_some_and(|name| name.ends_with("Article") || TYPES.contains(&name))
    };
    match object.get("@type") {
        Some(Value::Array(types)) => types.iter().any(is_one),
        Some(name) => is_one(name),
        None => false,
    }
}

fn facts(object: &Map<String, Value>) -> LinkedData {
    let text = |name: &str| object.get(name).and_then(Value::as_str).and_then(fact);
    LinkedData {
        headline: text("headline").or_else(|| text("name")),
        author: object.get("author").and_then(names),
        published: text("datePublished").or_else(|| text("dateCreated")),
    }
}

/// Returns the names of one or more persons.
fn names(value: &Value) -> Option<String> {
    match value {
        Value::String(name) => fact(name),
        Value::Object(person) => person.get("name").and_then(Value::as_str).and_then(fact),
        Value::Array(persons) => {
            let persons = persons.iter().take(AUTHORS_MAX).filter(|person| !person.is_array());
            let all: Vec<String> = persons.filter_map(names).collect();
            fact(&all.join(", "))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(script: &str) -> LinkedData {
        LinkedData::of(&[script.to_owned()])
    }

    #[test]
    fn an_article_is_found_in_a_graph() {
        let script = r#"{"@context": "https://schema.org", "@graph": [
            {"@type": "WebSite", "name": "Site", "author": "the site"},
            {"@type": ["Thing", "http://schema.org/NewsArticle"], "headline": " A  zoom ", "datePublished": "2024-05-06",
             "author": [{"@type": "Person", "name": "Nora"}, "Max", {"@id": "x"}, ["deeper"]]}]}"#;
        let found = read(script);
        assert_eq!(found.headline.as_deref(), Some("A zoom"));
        assert_eq!(found.author.as_deref(), Some("Nora, Max"));
        assert_eq!(found.published.as_deref(), Some("2024-05-06"));
    }

    #[test]
    fn the_main_entity_is_followed_and_lists_are_not() {
        let question = r#"{"@type": "QAPage", "mainEntity": {"@type": "Question", "name": "Which lens?"}}"#;
        assert_eq!(read(question).headline.as_deref(), Some("Which lens?"));
        let list = r#"{"@type": "Blog", "blogPost": [{"@type": "BlogPosting", "headline": "first"}]}"#;
        assert_eq!(read(list), LinkedData::default());
    }

    #[test]
    fn bad_input_is_ignored() {
        let deep = "[".repeat(200_000);
        let wide = format!("[{}{{\"@type\": \"Article\", \"name\": \"far\"}}]", "1,".repeat(VALUES_MAX));
        let odd = r#"{"@type": "Article", "headline": 5, "author": {"name": ["x"]}, "datePublished": null}"#;
        for script in ["", "{", "null", "\"Article\"", &deep, &wide, odd] {
            assert_eq!(read(script), LinkedData::default());
        }
        let after_bad = LinkedData::of(&["{".to_owned(), r#"{"@type": "Article", "name": "b"}"#.to_owned()]);
        assert_eq!(after_bad.headline.as_deref(), Some("b"));
    }
}
