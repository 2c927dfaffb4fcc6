//! Why a page has no posts, in words.

use harvestman_posts::{Evidence, NoPosts};

/// Returns the reason, and what can be done.
pub(in crate::cli) fn reason(why: NoPosts, evidence: &Evidence) -> String {
    let Evidence { learned_from, templates, dates, dates_at_one_place, template_posts, markup_posts, .. } = evidence;
    let place = evidence.place.as_ref().map_or_else(String::new, |place| format!(" at `{place}`"));
    let crawl =
        if *learned_from == 0 { " One page tells little: --crawl DIR learns from all pages of its site." } else { "" };
    match why {
        NoPosts::NoDates => {
            "the page shows no date, and posts are found by their dates; it has no markup that names posts either. \
            A page whose posts are loaded by a script must be rendered: see harvestman inspect render"
                .to_owned()
        }
        NoPosts::NothingRepeats => {
            format!("the page shows {}, but no place has several.{crawl}", counted(*dates, "date"))
        }
        NoPosts::NoRecords => format!(
            "of {}, {dates_at_one_place} are at one place{place}, but what is around them are no posts: it has no text of \
             its own, or only links and titles.{crawl}",
            counted(*dates, "date")
        ),
        NoPosts::UnknownTemplate => format!(
            "the page shows {} ({dates_at_one_place}{place}), but none of the {} that {} of its site taught finds posts there: it \
             is a page of another kind, such as a list, or no page like it was learned from",
            counted(*dates, "date"),
            counted(*templates, "template"),
            counted(*learned_from, "page")
        ),
        NoPosts::GivenUp => {
            "finding them takes too long, as on pages that are made for that: the page is left out".to_owned()
        }
        NoPosts::NotBelieved => format!(
            "the template shows {}, and markup describes {}, but none is believed: the fields are missing or contradict what the \
             page shows",
            counted(*template_posts, "post"),
            counted(*markup_posts, "post")
        ),
    }
}

/// Returns a number with what it counts.
pub(in crate::cli) fn counted(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}
