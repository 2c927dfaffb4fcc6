//! What records have beside author, date and text: identifiers, addresses, what they answer, the thread.

mod identity;
mod parent_links;
mod replies;
mod thread;

use url::{Position, Url};

pub use identity::{IdRules, Marks};
pub use parent_links::ParentLinks;
pub use replies::parents;
pub use thread::{thread_of, without_places};

/// Returns an address of a page as a whole one.
pub fn resolve(page: &Url, link: &str) -> Option<String> {
    let link = link.trim();
    if let Some(address) = join_plain(page, link) {
        return Some(address);
    }
    page.join(link).ok().filter(is_web).map(Into::into)
}

/// Returns what [`Url::join`] returns for most links: paths, queries and fragments without a character that is encoded,
/// and without a segment of dots. No address is parsed.
fn join_plain(page: &Url, link: &str) -> Option<String> {
    let is_plain = |byte: u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'-' | b'_' | b'.' | b'=' | b'&' | b'?' | b'#')
    };
    let base = match link.as_bytes() {
        [b'/', rest @ ..] if rest.first() != Some(&b'/') => &page[..Position::BeforePath],
        [b'#', ..] => &page[..Position::AfterQuery],
        // Without a colon it begins with no scheme.
        [first, ..] if first.is_ascii_alphanumeric() => {
            let above = &page[..Position::AfterPath];
            above.get(..=above.rfind('/')?)?
        }
        _ => return None,
    };
    let is_joined = is_web(page) && link.bytes().all(is_plain) && !link.contains("/.");
    is_joined.then(|| format!("{base}{link}"))
}

fn is_web(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https")
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        /// Plain links are joined as the library joins them.
        #[test]
        fn plain_links_are_joined_as_all_are(
            page in "https?://h(:8080)?(/[a-z/]{0,8}(\\?[a-z=]{0,4})?(#[a-z]{0,3})?)?",
            link in "[/#?]{0,2}[a-zA-Z0-9/._=&?#-]{0,12}( |%2e|é)?"
        ) {
            let page = Url::parse(&page).unwrap();
            let joined = page.join(link.trim()).ok().filter(is_web).map(String::from);
            proptest::prop_assert_eq!(resolve(&page, &link), joined);
        }
    }
}
