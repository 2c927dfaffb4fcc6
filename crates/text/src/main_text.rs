//! Finds the main text of a page: what its markup names as such, or else what Mozilla's Readability takes for it.

use crate::tree::{Unreadable, copied};
use dom_query::{Document, NodeRef};
use dom_smoothie::{Config, ParsePolicy, Readability, ReadabilityError, TextMode};
use harvestman_document::parse_without_scripts;
use url::Url;

/// Maximum number of elements of a page whose main text is sought.
const ELEMENTS_MAX: usize = 50_000;
/// Maximum length of a main text as HTML, in bytes: that of a page, with room for its escapes.
const CONTENT_BYTES_MAX: usize = 10 << 20;
/// Where Readability finds a shorter text, in characters, it tries again with fewer rules and takes more of the page.
/// Its default is made for newspapers; this is the length from which it takes a paragraph for one of a readable page.
const CHARACTERS_MIN: usize = 140;
/// The main text in microformats (h-entry and its predecessor hAtom) and schema.org.
const MARKED: &str = ".e-content, .entry-content, [itemprop~=articleBody]";
/// Links to other pages, which are never part of the main text.
const NAVIGATION: &str = "nav, [role=navigation]";

/// The main text of a page in two forms.
pub struct MainText {
    /// Plain text.
    pub text: String,
    /// Markdown.
    pub markdown: String,
}

/// Returns the main text of a page.
pub fn main_text(url: &Url, document: Document) -> Result<MainText, Unreadable> {
    let config = Config {
        max_elements_to_parse: ELEMENTS_MAX,
        char_threshold: CHARACTERS_MIN,
        disable_json_ld: true,
        text_mode: TextMode::Markdown,
        ..Config::default()
    };
    document.select(NAVIGATION).remove();
    let is_marked = keep_marked(&document);
    // Links are resolved against an address of the web; others have none to resolve.
    let base = matches!(url.scheme(), "http" | "https").then_some(url.as_str());
    let mut page = Readability::with_document(document, base, Some(config)).map_err(reason)?;
    let article = if is_marked { page.parse_with_policy(ParsePolicy::Raw) } else { page.parse() }.map_err(reason)?;
    if article.content.len() > CONTENT_BYTES_MAX {
        return Err(Unreadable::TooLarge);
    }
    let content = parse_without_scripts(&article.content).ok_or(Unreadable::TooLarge)?;
    let text = copied(&content).formatted_text().trim().to_owned();
    if text.is_empty() {
        return Err(Unreadable::NoMainText);
    }
    Ok(MainText { text, markdown: article.text_content.trim().to_owned() })
}

fn reason(error: ReadabilityError) -> Unreadable {
    match error {
        ReadabilityError::TooManyElements(..) => Unreadable::TooLarge,
        ReadabilityError::GrabFailed | ReadabilityError::BadDocumentURL => Unreadable::NoMainText,
    }
}

/// Reduces a page to the only element that its markup names as the main text, if there is one with text: on a list
/// there are several.
fn keep_marked(document: &Document) -> bool {
    let marked = document.select(MARKED);
    let [only] = marked.nodes() else { return false };
    let has_text = |node: &NodeRef<'_>| node.descendants_it().any(|inner| inner.is_nonempty_text());
    let Some(body) = document.body().filter(|body| body.id != only.id && has_text(only)) else { return false };
    only.remove_from_parent();
    body.remove_children();
    body.append_child(only);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(html: &str) -> Result<MainText, Unreadable> {
        main_text(&Url::parse("https://h.example/a/").unwrap(), copied(&parse_without_scripts(html).unwrap()))
    }

    fn paragraph(word: &str) -> String {
        format!("{word}, which is what this paragraph is about, and the rest of it is here to make it long enough. ")
            .repeat(3)
    }

    #[test]
    fn the_main_text_is_told_from_what_is_around_it() {
        let (one, two) = (paragraph("Lenses"), paragraph("Tripods"));
        let around = "<nav><h2>Elsewhere</h2><a href=/b>Next</a></nav>";
        let html =
            format!("{around}<div id=x><h2>On <i>light</i></h2><p>{one}</p><p>{two}</p></div><footer>Site</footer>");
        let main = read(&html).unwrap();
        assert!(main.text.contains(one.trim()) && main.text.contains(two.trim()), "{}", main.text);
        assert!(!main.text.contains("Elsewhere") && !main.text.contains("Site"), "{}", main.text);
        assert!(main.text.contains(&format!("{}\n\n{}", one.trim(), two.trim())), "paragraphs are parted");
        assert!(main.markdown.contains("## On *light*\n\n"), "{}", main.markdown);
    }

    #[test]
    fn markup_that_names_the_main_text_decides() {
        let (one, two) = (paragraph("Lenses"), paragraph("Tripods"));
        for class in ["class='post e-content'", "class=entry-content", "itemprop='text articleBody'"] {
            let html = format!(
                "<div><div {class}><p>Short.<ul><li><a href=../b>link</a></ul></div><p>{one}</p><p>{two}</p></div>"
            );
            let main = read(&html).unwrap();
            assert_eq!(main.markdown, "Short.\n\n- [link](https://h.example/b)", "{class}");
        }
    }

    #[test]
    fn several_marked_texts_or_an_empty_one_decide_nothing() {
        let one = paragraph("Lenses");
        for marked in ["<p class=e-content>a</p><p class=e-content>b</p>", "<p class=e-content> </p>"] {
            let main = read(&format!("<div>{marked}<p>{one}</p><p>{one}</p></div>")).unwrap();
            assert!(main.text.contains(one.trim()), "{}", main.text);
        }
    }

    #[test]
    fn pages_without_text_have_none() {
        for html in ["", "<p> </p>", "<script>x</script>", "<nav>a</nav>", "<frameset><frame src=a></frameset>"] {
            assert_eq!(read(html).err(), Some(Unreadable::NoMainText), "{html}");
        }
    }

    #[test]
    fn pages_without_an_address_of_the_web_keep_their_links() {
        let html = "<div class=e-content><p><a href=/b>link</a> and more</p></div>";
        let page = copied(&parse_without_scripts(html).unwrap());
        let main = main_text(&Url::parse("urn:a:b").unwrap(), page).ok().unwrap();
        assert_eq!(main.markdown, "[link](/b) and more");
    }
}
