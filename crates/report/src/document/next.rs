//! What to do next: commands to copy.

use serde::Serialize;

use super::{Document, Standing};

/// A command, and what it is for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Advice {
    /// What for.
    pub what: String,
    /// The command line.
    pub command: String,
}

/// A word as a shell takes it.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-:=,+@%".contains(c);
    if !word.is_empty() && !word.starts_with('-') && word.chars().all(plain) {
        return word.to_owned();
    }
    let word = if word.starts_with('-') { format!("./{word}") } else { word.to_owned() };
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// What can be done with the directory, the nearest first.
pub(super) fn next(document: &Document) -> Vec<Advice> {
    let dir = quoted(&document.directory);
    let mut all = Vec::new();
    let mut add = |what: &str, command: String| all.push(Advice { what: what.to_owned(), command });
    go_on(document, &dir, &mut add);
    let log = &document.log;
    let fetched = || log.groups.clusters.values().find_map(|group| group.examples.first()).map(|page| page.url.clone());
    let about = log.failed_example.clone().map(|url| ("Why a URL failed", url));
    if let Some((what, url)) = about.or_else(|| Some(("Why a page was fetched when it was", fetched()?))) {
        add(what, format!("harvestman explain {dir} {}", quoted(&url)));
    }
    if document.has.model {
        add("What was learnt of the site", format!("harvestman site {dir}/site-model.json.gz"));
        if let Some((seed, policy)) = document.asked.seeds.first().zip(document.asked.policy.as_ref()) {
            let (seed, model) = (quoted(seed), format!("{dir}/site-model.json.gz"));
            let command = format!("harvestman crawl {seed} --policy {policy} --model {model} --out DIR");
            add("Another crawl that begins with what this one has learnt", command);
        }
    }
    if let Some(file) = document.warcs.files.first() {
        let path = quoted(&format!("{}/{}", document.directory.trim_end_matches('/'), file.name));
        add("Check an archive file", format!("harvestman inspect warc --verify {path}"));
    }
    all
}

/// What can be done with several directories.
pub(super) fn of_several(document: &Document) -> Vec<Advice> {
    let dirs: Vec<String> = document.nodes.iter().map(|node| quoted(&node.directory)).collect();
    let all = dirs.join(" ");
    let advice = |what: &str, command: String| Advice { what: what.to_owned(), command };
    let mut next = Vec::new();
    let runs = document.nodes.iter().position(|node| matches!(node.standing, Standing::Running { .. }));
    if let Some(dir) = runs.and_then(|at| dirs.get(at)) {
        next.push(advice("Where the crawl stands", format!("harvestman status {dir}")));
        let out = if dirs.len() > 1 { " --out report.html" } else { "" };
        next.push(advice("This report again, later", format!("harvestman report {all}{out}")));
    }
    if document.warcs.count > 0 {
        next.push(advice("One index of all archives", format!("harvestman export cdxj {all} --out index.cdxj")));
    }
    if let Some(dir) = dirs.first().filter(|_| dirs.len() > 1) {
        next.push(advice("What one of them did, by itself", format!("harvestman report {dir}")));
    }
    next
}

fn go_on(document: &Document, dir: &str, add: &mut impl FnMut(&str, String)) {
    let has_state = document.has.state;
    match &document.standing {
        Standing::Running { .. } => {
            add("Where the crawl stands", format!("harvestman status {dir}"));
            add("Let it end, with its report", format!("harvestman stop {dir}"));
            add("This report again, later", format!("harvestman report {dir}"));
        }
        _ if !has_state => {}
        Standing::BrokenOff => add("Go on where it was broken off", format!("harvestman resume {dir}")),
        Standing::Ended { reason, .. } => match reason.as_str() {
            "frontier_empty" => {
                add("Visit the pages again that are likely to have changed", format!("harvestman recrawl {dir}"));
            }
            "pages_budget" | "requests_budget" => {
                let budget = reason.trim_end_matches("_budget");
                let more = document.figure(budget).unwrap_or(500).saturating_mul(2);
                add("Go on with a larger budget", format!("harvestman resume {dir} --{budget} {more}"));
            }
            "bytes_budget" => add("Go on with a larger budget", format!("harvestman resume {dir} --bytes SIZE")),
            "time_budget" => add("Go on for longer", format!("harvestman resume {dir} --time TIME")),
            "low_yield" => {
                add("Go on to the end, however little is left", format!("harvestman resume {dir} --early-stop 0"));
            }
            _ => add("Go on", format!("harvestman resume {dir}")),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_would_take_them_apart() {
        for (word, expected) in [
            ("forum", "forum"),
            ("/a b/c", "'/a b/c'"),
            ("it's", "'it'\\''s'"),
            ("$(rm -rf ~)", "'$(rm -rf ~)'"),
            ("-x", "'./-x'"),
            ("", "''"),
            ("http://h.test/?a&b", "'http://h.test/?a&b'"),
        ] {
            assert_eq!(quoted(word), expected);
        }
    }
}
