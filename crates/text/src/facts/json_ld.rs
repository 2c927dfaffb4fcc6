//! What JSON-LD says of a page (schema.org).

use serde_json::{Map, Value};

use super::markup::fact;

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
