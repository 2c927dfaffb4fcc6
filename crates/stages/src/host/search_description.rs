//! OpenSearch 1.1 descriptions: the address at which a site answers queries.
//!
//! Input: the bytes of a description, whose number the caller bounds, and its `Content-Type`. Output: the template of
//! the address, with `{query}` as the place of the query, as [`SearchTemplate`](harvestman_core::url::SearchTemplate)
//! reads it; it may be relative to the address of the description. From malformed documents, as much as possible is
//! read; entities that a document defines are never expanded. Time and memory are linear in the number of bytes.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::sitemap::{attribute, has_unknown_entity, raw_attribute, to_text};
use harvestman_core::model::ContentType;

/// Media types of answers that can be read, the best first: a feed names nothing but results, and JSON has a form of
/// its own on each site.
const TYPES: [&str; 5] =
    ["application/atom+xml", "application/rss+xml", "text/html", "application/xhtml+xml", "application/json"];
/// Maximum length of a template, in bytes.
const TEMPLATE_BYTES_MAX: usize = 2_048;
/// Stands for a parameter without a value while a template is filled in.
const NOTHING: char = '\u{1}';

/// The reason why a description cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DescriptionError {
    /// The document is something else.
    #[error("it is no OpenSearch description")]
    NotADescription,
    /// It names no address that can be used.
    #[error("it has no `Url` for GET whose answers are HTML, RSS, Atom or JSON and whose parameters are known")]
    NoUsableUrl,
}

/// Returns the template of the best `Url` of a description; of several that are equally good, the first.
///
/// # Errors
/// It is no description, or has no usable `Url`.
pub fn template(bytes: &[u8], content_type: Option<&str>) -> Result<String, DescriptionError> {
    let text = to_text(bytes, content_type);
    let mut reader = Reader::from_str(text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}'));
    let config = reader.config_mut();
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    config.allow_dangling_amp = true;
    let (mut is_description, mut best) = (false, None::<(usize, String)>);
    loop {
        let tag = match reader.read_event() {
            // What precedes an error is used.
            Ok(Event::Eof) | Err(_) => break,
            Ok(Event::Start(tag) | Event::Empty(tag)) => tag,
            Ok(_) => continue,
        };
        let name = tag.name();
        let local = name.local_name();
        if !is_description {
            if local.as_ref() != "OpenSearchDescription" {
                return Err(DescriptionError::NotADescription);
            }
            is_description = true;
        } else if local.as_ref() == "Url"
            && let Some((rank, template)) = usable(&tag)
            && best.as_ref().is_none_or(|(other, _)| rank < *other)
        {
            best = Some((rank, template));
        }
    }
    match best {
        Some((_, template)) => Ok(template),
        None if is_description => Err(DescriptionError::NoUsableUrl),
        None => Err(DescriptionError::NotADescription),
    }
}

/// Returns the template of a `Url`, with the rank of its type; `None` if it cannot be used.
fn usable(tag: &BytesStart<'_>) -> Option<(usize, String)> {
    let media_type = attribute(tag, "type")?;
    let media_type = ContentType::of(&media_type)?;
    let rank = TYPES.iter().position(|usable| media_type.is(usable))?;
    let is_for_results =
        attribute(tag, "rel").is_none_or(|rel| rel.split_ascii_whitespace().any(|rel| rel == "results"));
    let is_get = ["method", "params:method", "parameters:method"]
        .iter()
        .all(|name| attribute(tag, name).is_none_or(|method| method.eq_ignore_ascii_case("get")));
    if !is_for_results || !is_get {
        return None;
    }
    if raw_attribute(tag, "template").is_none_or(|template| has_unknown_entity(&template)) {
        return None;
    }
    let offset = |name| attribute(tag, name).and_then(|text| text.trim().parse().ok()).unwrap_or(1_u32);
    let template = fill(attribute(tag, "template")?.trim(), offset("indexOffset"), offset("pageOffset"))?;
    Some((rank, template))
}

/// Fills in all parameters of a template but the query (section "OpenSearch URL template syntax"). Optional ones are
/// left out. Returns `None` if it has no query, several, or a necessary parameter that is not known.
fn fill(template: &str, index: u32, page: u32) -> Option<String> {
    if template.len() > TEMPLATE_BYTES_MAX || template.contains(NOTHING) || template.contains("{query}") {
        return None;
    }
    let (mut filled, mut rest, mut queries) = (String::new(), template, 0);
    while let Some((before, behind)) = rest.split_once('{') {
        let (name, after) = behind.split_once('}')?;
        filled.push_str(before);
        match name.trim_end_matches('?') {
            "searchTerms" => {
                queries += 1;
                filled.push_str("{query}");
            }
            _ if name.ends_with('?') => filled.push(NOTHING),
            "startIndex" => filled.push_str(&index.to_string()),
            "startPage" => filled.push_str(&page.to_string()),
            "count" => filled.push_str("10"),
            "language" => filled.push('*'),
            "inputEncoding" | "outputEncoding" => filled.push_str("UTF-8"),
            _ => return None,
        }
        rest = after;
    }
    filled.push_str(rest);
    (queries == 1).then(|| without_empty(&filled))
}

/// Leaves out parameters of the query string whose whole value is left out.
fn without_empty(filled: &str) -> String {
    let Some((path, query)) = filled.split_once('?') else { return filled.replace(NOTHING, "") };
    let is_empty = |pair: &&str| pair.split_once('=').is_some_and(|(_, value)| value.chars().eq([NOTHING]));
    let pairs: Vec<&str> = query.split('&').filter(|pair| !is_empty(pair)).collect();
    format!("{path}?{}", pairs.join("&")).replace(NOTHING, "")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A description with these elements.
    fn description(urls: &str) -> String {
        format!(
            "<?xml version='1.0'?>\n<OpenSearchDescription xmlns='http://a9.com/-/spec/opensearch/1.1/' \
             xmlns:moz='http://www.mozilla.org/2006/browser/search/'><ShortName>S</ShortName>{urls}\
             <moz:SearchForm>http://h.test/</moz:SearchForm></OpenSearchDescription>"
        )
    }

    fn read(urls: &str) -> Result<String, DescriptionError> {
        template(description(urls).as_bytes(), Some("application/opensearchdescription+xml"))
    }

    #[test]
    fn a_feed_is_preferred_to_a_page_and_a_page_to_json() {
        let url = |kind: &str| format!("<Url type='{kind}' template='http://h.test/{kind}?q={{searchTerms}}'/>");
        let all = ["application/json", "text/html", "application/rss+xml", "application/x-suggestions+json"].map(url);
        assert_eq!(read(&all.concat()).unwrap(), "http://h.test/application/rss+xml?q={query}");
        assert_eq!(read(&all[..2].concat()).unwrap(), "http://h.test/text/html?q={query}");
        assert_eq!(read(&all[..1].concat()).unwrap(), "http://h.test/application/json?q={query}");
        assert_eq!(read(&all[3]), Err(DescriptionError::NoUsableUrl));
    }

    #[test]
    fn parameters_are_filled_in_and_optional_ones_left_out() {
        let read = |template: &str| read(&format!("<Url type='text/html' pageOffset='0' template=\"{template}\"/>"));
        let all = "/s?q={searchTerms}&amp;n={count?}&amp;p={startPage}&amp;i={startIndex}&amp;l={language}&amp;x={a:b?}-{a:b?}";
        assert_eq!(read(all).unwrap(), "/s?q={query}&p=0&i=1&l=*&x=-");
        assert_eq!(read("http://h.test/{language?}/{searchTerms}").unwrap(), "http://h.test//{query}");
        for unusable in
            ["/s?q=x", "/{searchTerms}/{searchTerms}", "/s?q={searchTerms}&amp;k={x:key}", "/s?q={searchTerms", ""]
        {
            assert_eq!(read(unusable), Err(DescriptionError::NoUsableUrl), "{unusable}");
        }
    }

    #[test]
    fn addresses_for_post_or_for_something_else_are_not_used() {
        for other in ["method='POST'", "params:method='post'", "rel='suggestions'", "rel='self'"] {
            let url = format!("<Url type='text/html' {other} template='http://h.test/?q={{searchTerms}}'/>");
            assert_eq!(read(&url), Err(DescriptionError::NoUsableUrl), "{other}");
        }
        let usable = "<Url type='text/html; charset=utf-8' rel='results' method='GET' template='http://h.test/?q={searchTerms}'>";
        assert_eq!(read(usable).unwrap(), "http://h.test/?q={query}");
    }

    #[test]
    fn broken_documents_give_what_precedes_the_break_and_others_are_refused() {
        let url = "<Url type='text/html' template='http://h.test/?q={searchTerms}'/>";
        let whole = description(url);
        let cut = &whole[..whole.find("<moz").unwrap()];
        assert!(template(cut.as_bytes(), None).is_ok());
        assert!(template(format!("{cut}<<<&x;").as_bytes(), None).is_ok());
        let before = &whole[..whole.find("<Url").unwrap()];
        assert_eq!(template(before.as_bytes(), None), Err(DescriptionError::NoUsableUrl));
        for other in ["", "{}", "<!doctype html><html><p>no", "<rss/>", "<?xml version='1.0'?>"] {
            assert_eq!(template(other.as_bytes(), None), Err(DescriptionError::NotADescription), "{other}");
        }
    }

    #[test]
    fn an_address_with_an_entity_that_is_not_expanded_is_not_used() {
        let lol = "<!DOCTYPE d [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;'>]>";
        let text = description("<Url type='text/html' template='http://h.test/?b=&b;&amp;q={searchTerms}'/>");
        let found = template(text.replacen("?>", &format!("?>{lol}"), 1).as_bytes(), None);
        assert_eq!(found, Err(DescriptionError::NoUsableUrl));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..300), kind in prop::option::of("\\PC{0,30}")) {
            let _ = template(&bytes, kind.as_deref());
        }

        /// What is found in a description with a part replaced has exactly one place for the query and no other
        /// parameter.
        #[test]
        fn a_template_has_one_place_for_the_query(at in 0_usize..400, by in "[{}?&=a<>'\"/;]{0,6}", parameters in "[{}a?&=:/]{0,30}") {
            let url = format!("<Url type='text/html' template='http://h.test/?q={{searchTerms}}&amp;{parameters}'/>");
            let mut text = description(&url);
            let at = at.min(text.len());
            text.replace_range(at..(at + 3).min(text.len()), &by);
            if let Ok(found) = template(text.as_bytes(), None) {
                prop_assert_eq!(found.matches("{query}").count(), 1, "{}", found);
                prop_assert!(!found.contains(NOTHING));
            }
        }
    }
}
