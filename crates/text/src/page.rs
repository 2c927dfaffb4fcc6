//! A page and the bounds within which it is read.

use crate::facts::Facts;
use crate::main_text::main_text;
use crate::tree::{Unreadable, copied};
use harvestman_document::parse_without_scripts;
use url::Url;

/// Maximum length of a page in bytes.
const PAGE_BYTES_MAX: usize = 8 << 20;

/// What a page says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageText {
    /// Its title, without the name of the site where the page tells them apart.
    pub title: Option<String>,
    /// Its author or authors. `None` on pages with texts of several.
    pub author: Option<String>,
    /// When it was published, as ISO 8601: in UTC if the page tells the distance from it, otherwise as the page has it.
    pub time: Option<String>,
    /// Its main text. Paragraphs are parted by empty lines.
    pub text: String,
    /// The same as Markdown, with absolute links.
    pub markdown: String,
}

/// Reads a page.
///
/// # Errors
/// The page exceeds a bound, or has no main text.
pub fn read(url: &Url, html: &str) -> Result<PageText, Unreadable> {
    if html.len() > PAGE_BYTES_MAX {
        return Err(Unreadable::TooLarge);
    }
    let page = parse_without_scripts(html).ok_or(Unreadable::TooLarge)?;
    let Facts { title, author, time } = Facts::of(&page);
    let document = copied(&page);
    drop(page);
    let main = main_text(url, document)?;
    Ok(PageText { title, author, time, text: main.text, markdown: main.markdown })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn url() -> Url {
        Url::parse("https://h.example/a").unwrap()
    }

    /// Pieces of pages that are hard to read.
    const PIECES: [&str; 40] = [
        "<div class='comment md:flex'>",
        "</div>",
        "<p>",
        "a, b and so on. ",
        "<br><br>",
        "<table><tr><td colspan=99999999999>",
        "</table>",
        "<ul><li>",
        "</ul>",
        "<a href='//[x' rel=author>",
        "</a>",
        "<img src=data:image/png;base64,x srcset='a 1x, ,'>",
        "<noscript><img>",
        "<h1>",
        "<h2>T",
        "</h1>",
        "<div class=e-content>",
        "<span itemprop='articleBody author'>",
        "<base href='::'>",
        "<form>",
        "<svg><title>x</title>",
        "</svg>",
        "<template>",
        "<frameset>",
        "<pre>` ``` ~",
        "<code>",
        "<ol start=-99999999999999999999>",
        "<blockquote>",
        "<script type='application/ld+json'>[{\"@type\":[\"Article\"]}]</script>",
        "<time datetime='-999999-99'>",
        "<title>a | b - c: d</title>",
        "<meta property='og:title' content='\u{202e}\u{0}é'>",
        "<body class=e-content>",
        "<font>",
        "<!-- -->",
        "\u{0}",
        "é\u{301}👩‍👩‍👧",
        "<math><mi>",
        "<iframe src=//player.vimeo.com/x>",
        "<p style='display:none;;:'>",
    ];

    proptest! {
        #[test]
        fn any_page_is_read_or_refused(pieces in proptest::collection::vec(0..PIECES.len(), 0..60), repeats in 1_usize..4) {
            let html: String = pieces.iter().map(|at| PIECES[*at].repeat(repeats)).collect();
            if let Ok(page) = read(&url(), &html) {
                prop_assert!(!page.text.is_empty());
            }
        }
    }

    #[test]
    fn bounds_on_pages_hold() {
        assert_eq!(read(&url(), &"<div>".repeat(200_000)), Err(Unreadable::TooLarge));
        assert_eq!(read(&url(), &"<p>a".repeat(200_000)), Err(Unreadable::TooLarge));
        assert_eq!(read(&url(), &"a".repeat(PAGE_BYTES_MAX + 1)), Err(Unreadable::TooLarge));
        assert_eq!(read(&url(), &"a ".repeat(PAGE_BYTES_MAX / 2)).map(|page| page.title), Ok(None));
    }
}
