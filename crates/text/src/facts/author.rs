//! The author of a page.

use scraper::ElementRef;
use url::Url;

use super::markup::{Markup, fact, has_word, text_of};

/// Meta elements that name an author (HTML standard, Dublin Core, Open Graph).
const META: [&str; 5] = ["author", "dc.creator", "dcterms.creator", "article:author", "og:article:author"];

/// Maximum number of words of a name that is the text of a link or a card. Longer ones are sentences around a name.
const NAME_WORDS_MAX: usize = 5;
/// Maximum number of elements in a person among which its name is sought.
const PARTS_MAX: usize = 100;

/// Returns the author of a page: of a meta element, of microdata, of a link to the author, or of a microformat.
pub fn author(markup: &Markup<'_>) -> Option<String> {
    let stated = markup.meta(&META, name);
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
