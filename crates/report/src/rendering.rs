//! What a crawl learned of rendering, as text.

use super::figures;
use harvestman_core::model::{RenderClassSummary, RenderingSummary};

/// The maximum number of classes in a closing report.
pub const RENDER_CLASSES_REPORTED: usize = 20;

/// Formats the counts as `9 pages by a browser, 2,991 by plain requests; 3 classes of pages`.
pub fn rendering_line(known: &RenderingSummary) -> String {
    let pages = if known.rendered == 1 { "page" } else { "pages" };
    let classes = if known.known == 1 { "class" } else { "classes" };
    let (rendered, replayed) = (figures::count(known.rendered), figures::count(known.replayed));
    format!(
        "{rendered} {pages} by a browser, {replayed} by plain requests; {} {classes} of pages",
        figures::count(known.known)
    )
}

/// Returns what is known of a class, as names with values: its pages, its need, and the requests that replace the
/// browser.
pub fn render_class_facts(class: &RenderClassSummary) -> Vec<(&'static str, String)> {
    let count = figures::count;
    let pages =
        format!("{}, {} rendered, {} replayed", count(class.pages), count(class.rendered), count(class.replayed));
    let mut facts = vec![("pages", pages), ("need", need(class))];
    facts.extend(class.replay.as_deref().map(|state| ("replay", replay(state).to_owned())));
    let requests = class.requests.iter().flat_map(|requests| requests.lines());
    let plain = |text: &str| text.chars().filter(|c| !c.is_control()).collect();
    facts.extend(requests.map(|request| ("request", plain(request))));
    facts
}

fn need(class: &RenderClassSummary) -> String {
    let gain = format!("rendering adds {:.1} links (ten words count as one) to a page on average", class.gain);
    match (&*class.need, class.rendered) {
        ("open", 0) => "open: no page was rendered so far".to_owned(),
        ("open", _) => format!("open: too few pages were rendered to decide; {gain}"),
        ("needed", _) => format!("needed: {gain}"),
        ("unneeded", _) => "unneeded: rendering adds nothing".to_owned(),
        ("failing", _) => "failing: its pages cannot be rendered".to_owned(),
        (other, _) => other.to_owned(),
    }
}

fn replay(state: &str) -> &str {
    match state {
        "learning" => "learning: a browser is used until requests are found that bring the same",
        "ready" => "ready: plain requests bring what a browser shows",
        "given up" => "given up: no plain requests were found that bring what a browser shows",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_has_both_counts() {
        let known = RenderingSummary { rendered: 9, replayed: 2_991, known: 3, classes: Vec::new() };
        assert_eq!(rendering_line(&known), "9 pages by a browser, 2,991 by plain requests; 3 classes of pages");
        let one = RenderingSummary { rendered: 1, known: 1, ..RenderingSummary::default() };
        assert_eq!(rendering_line(&one), "1 page by a browser, 0 by plain requests; 1 class of pages");
    }

    #[test]
    fn a_class_has_a_line_for_each_request() {
        let class = RenderClassSummary {
            pages: 3_000,
            rendered: 9,
            replayed: 2_991,
            need: "needed".into(),
            gain: 12.46,
            replay: Some("ready".into()),
            requests: Some("{page}/replies\n{page}/votes".to_owned()),
            ..RenderClassSummary::default()
        };
        let facts = render_class_facts(&class);
        let names: Vec<&str> = facts.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["pages", "need", "replay", "request", "request"]);
        assert_eq!(facts[0].1, "3,000, 9 rendered, 2,991 replayed");
        assert!(facts[1].1.starts_with("needed: rendering adds 12.5 links"), "{}", facts[1].1);
        let open = RenderClassSummary { need: "open".into(), ..RenderClassSummary::default() };
        assert_eq!(render_class_facts(&open)[1].1, "open: no page was rendered so far");
    }
}
