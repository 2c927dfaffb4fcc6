//! Traps: endless URLs without content. They are not in the ground truth, which must be finite.

use super::path::{push, segments};
use super::render::Page;

/// Longer paths are answered with 404 even in a trap, so that no crawler can make the server write endless pages.
const PATH_BYTES_MOST: usize = 4_096;

/// Returns whether a path belongs to a trap.
pub(super) fn is_trap(path: &str) -> bool {
    path.len() <= PATH_BYTES_MOST && (path.starts_with("/calendar/") || path.starts_with("/deeper/"))
}

/// Writes the page of a trap.
pub(super) fn render(path: &str, page: &mut Page<'_>) {
    page.head(|page| page.raw("Archive"), "trap");
    if path.starts_with("/deeper/") {
        for step in 0..3 {
            page.raw("<a class=\"deeper\" href=\"");
            page.word(step);
            page.raw("/\">deeper</a>\n");
        }
    } else {
        calendar(path, page);
    }
    page.raw("<p><a href=\"/\">Home</a></p></body></html>\n");
}

/// Writes a month with links to the previous and the next one, without end.
fn calendar(path: &str, page: &mut Page<'_>) {
    let (parts, _) = segments(path);
    let number = |at: usize| parts[at].parse::<u64>().unwrap_or(1).min(u64::MAX / 24);
    let month = number(1) * 12 + number(2).clamp(1, 12) - 1;
    for (label, month) in [("previous", month.saturating_sub(1)), ("next", month + 1)] {
        let mut href = String::from("/calendar/");
        push(&mut href, month / 12);
        href.push('/');
        push(&mut href, month % 12 + 1);
        page.raw("<a class=\"month\" href=\"");
        page.raw(&href);
        page.raw("/\">");
        page.raw(label);
        page.raw("</a>\n");
    }
}
