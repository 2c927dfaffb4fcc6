//! What a page says of itself: title, author and time.

mod markup;
mod time;

use markup::{LinkedData, Markup};
use scraper::{ElementRef, Html};
use url::Url;

use self::markup::{Heading, fact, has_word, text_of};

/// The facts of a page.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Its title.
    pub title: Option<String>,
    /// Its author.
    pub author: Option<String>,
    /// When it was published.
    pub time: Option<String>,
}

impl Facts {
    /// Reads the facts of a page. Statements for machines precede what is shown.
    pub fn of(document: &Html) -> Self {
        let markup = Markup::of(document);
        let linked = LinkedData::of(&markup.linked_data);
        Self {
            title: linked.headline.or_else(|| title(&markup)),
            author: linked.author.or_else(|| author(&markup)),
            time: linked.published.and_then(|time| time::iso(&time)).or_else(|| time::time(&markup)),
        }
    }
}

/// Meta elements that name a title (Open Graph, Twitter Cards, Dublin Core).
const TITLE_META: [&str; 4] = ["og:title", "twitter:title", "dc.title", "dcterms.title"];

/// Returns the title of a page: of a meta element; the heading that is part of the `title` element, which often has the
/// name of the site too; the `title` element; or the first heading.
pub fn title(markup: &Markup<'_>) -> Option<String> {
    let stated = markup.meta(&TITLE_META, |content| Some(content.to_owned()));
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

/// Meta elements that name an author (HTML standard, Dublin Core, Open Graph).
const AUTHOR_META: [&str; 5] = ["author", "dc.creator", "dcterms.creator", "article:author", "og:article:author"];

/// Maximum number of words of a name that is the text of a link or a card. Longer ones are sentences around a name.
const NAME_WORDS_MAX: usize = 5;
/// Maximum number of elements in a person among which its name is sought.
const PARTS_MAX: usize = 100;

/// Returns the author of a page: of a meta element, of microdata, of a link to the author, or of a microformat.
pub fn author(markup: &Markup<'_>) -> Option<String> {
    let stated = markup.meta(&AUTHOR_META, name);
    let by_microdata =
        || markup.agreed(|element| property(element).filter(|_| has_word(element, "itemprop", "author")));
    let by_link = || markup.agreed(|element| shown_name(element).filter(|_| has_word(element, "rel", "author")));
    let by_microformat = || markup.agreed(|element| shown_name(element).filter(|_| is_author_card(element)));
    stated.or_else(by_microdata).or_else(by_link).or_else(by_microformat)
}

/// Returns a name; `None` of the address of a profile.
fn name(text: &str) -> Option<String> {
    fact(text).filter(|text| !Url::parse(text).is_ok_and(|url| url.has_host()))
}

/// Returns the text of an element if it can be a name.
fn shown_name(element: ElementRef<'_>) -> Option<String> {
    text_of(element).filter(|text| text.split(' ').count() <= NAME_WORDS_MAX)
}

/// Returns the value of a microdata property that is a person: the name within it, or its text.
fn property(element: ElementRef<'_>) -> Option<String> {
    let inner = element.descendent_elements().take(PARTS_MAX).find(|inner| has_word(*inner, "itemprop", "name"));
    let holder = inner.unwrap_or(element);
    match holder.value().attr("content") {
        Some(content) => name(content),
        None => text_of(holder),
    }
}

/// Returns whether an element is the author of an h-entry, or of its predecessor hAtom.
fn is_author_card(element: ElementRef<'_>) -> bool {
    has_word(element, "class", "p-author")
        || (has_word(element, "class", "author") && has_word(element, "class", "vcard"))
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

    fn author_of(page: &str) -> Option<String> {
        author(&Markup::of(&parse(page).unwrap()))
    }

    #[test]
    fn a_meta_element_names_the_author_unless_it_has_an_address() {
        assert_eq!(author_of("<meta name=Author content='Nora Lind'><a rel=author>nora</a>").unwrap(), "Nora Lind");
        let page =
            "<meta property=article:author content='https://h.example/nora'><a rel='author me' href=/nora>nora</a>";
        assert_eq!(author_of(page).unwrap(), "nora");
    }

    #[test]
    fn microdata_and_microformats_name_the_author() {
        let microdata = "<p itemprop=author itemscope>by <a itemprop='url name'>Nora</a></p>";
        assert_eq!(author_of(microdata).unwrap(), "Nora");
        assert_eq!(author_of("<meta itemprop=author content=Nora>").unwrap(), "Nora");
        assert_eq!(author_of("<span class='p-author h-card'>Nora</span>").unwrap(), "Nora");
        assert_eq!(author_of("<span class='author vcard'>Nora</span><i class=vcard>Max</i>").unwrap(), "Nora");
    }

    #[test]
    fn a_page_by_several_has_no_author_and_asides_do_not_count() {
        assert_eq!(author_of("<a rel=author>a</a><a rel=author>a</a>").unwrap(), "a");
        assert_eq!(author_of("<a rel=author>a</a><a rel=author>b</a>"), None);
        assert_eq!(author_of("<a rel=author>a</a><aside><a rel=author>b</a></aside>").unwrap(), "a");
        assert_eq!(author_of("<a rel=author>a</a><footer><a rel=author>b</a></footer>").unwrap(), "a");
        assert_eq!(author_of("<article><footer><a rel=author>a</a></footer></article>").unwrap(), "a");
        assert_eq!(author_of("<a rel=author>All the other posts of a</a>"), None);
    }
}
