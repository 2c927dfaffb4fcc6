//! The title of a page.

use super::markup::{Heading, Markup};

/// Meta elements that name a title (Open Graph, Twitter Cards, Dublin Core).
const META: [&str; 4] = ["og:title", "twitter:title", "dc.title", "dcterms.title"];

/// Returns the title of a page: of a meta element; the heading that is part of the `title` element, which often has the
/// name of the site too; the `title` element; or the first heading.
pub fn title(markup: &Markup<'_>) -> Option<String> {
    let stated = markup.meta(&META, |content| Some(content.to_owned()));
    let shown = || {
        let whole = markup.title.as_deref()?;
        Some(heading_in(whole, &markup.headings).unwrap_or(whole).to_owned())
    };
    let first = || markup.headings.iter().find(|heading| heading.is_first_level).map(|heading| heading.text.clone());
    stated.or_else(shown).or_else(first)
}

/// Returns the heading with which a title begins, or else the longest one in it: names of sites are mostly at the end.
fn heading_in<'a>(title: &str, headings: &'a [Heading]) -> Option<&'a str> {
    let texts = || headings.iter().map(|heading| heading.text.as_str());
    let at_start = texts().find(|text| places(title, text).next() == Some(0));
    at_start.or_else(|| texts().filter(|text| places(title, text).next().is_some()).max_by_key(|text| text.len()))
}

/// Returns where a text is in another one as whole words.
fn places<'a>(whole: &'a str, part: &'a str) -> impl Iterator<Item = usize> + 'a {
    whole.match_indices(part).map(|(at, _)| at).filter(move |at| {
        let before = whole[..*at].chars().next_back();
        let after = whole[at + part.len()..].chars().next();
        ![before, after].into_iter().flatten().any(char::is_alphanumeric)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use harvestman_document::parse;

    fn title_of(page: &str) -> Option<String> {
        title(&Markup::of(&parse(page).unwrap()))
    }

    #[test]
    fn a_meta_element_precedes_what_is_shown() {
        let page = "<title>Zoom | Site</title><meta property='og:title' content=' The  zoom '><h1>Zoom</h1>";
        assert_eq!(title_of(page).unwrap(), "The zoom");
        assert_eq!(title_of("<title>Zoom</title><meta property=og:title content=' '>").unwrap(), "Zoom");
    }

    #[test]
    fn the_heading_in_the_title_is_told_from_the_name_of_the_site() {
        let page = |title: &str| format!("<title>{title}</title><h1>My Site</h1><h2>A zoom</h2><h2>Zoo</h2>");
        assert_eq!(title_of(&page("A zoom – My Site")).unwrap(), "A zoom");
        assert_eq!(title_of(&page("Blog: A zoom")).unwrap(), "A zoom");
        assert_eq!(title_of(&page("Zoology – Blog")).unwrap(), "Zoology – Blog");
    }

    #[test]
    fn a_page_without_title_is_named_by_its_heading() {
        assert_eq!(title_of("<h2>b</h2><h1>a <b>c</b></h1>").unwrap(), "a c");
        assert_eq!(title_of("<p>a"), None);
    }
}
