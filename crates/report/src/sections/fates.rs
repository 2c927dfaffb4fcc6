//! The account of the links of a crawl: every link that was discovered has one fate.

use serde::Serialize;

use crate::document::OwnFigures;
use crate::document::log::{LogFigures, LoggedFate};
use crate::plot::{Chart, Length};
use crate::render::block::{Block, Cell, Table};
use crate::{FUNNEL_UNITS, FunnelStep, figures, funnel};
use harvestman_core::model::PolicyRefusal;

/// A fate with its reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FateRow {
    /// Its name.
    pub fate: String,
    /// Its reason; empty if it has none.
    pub reason: String,
    /// The number of links.
    pub count: u64,
}

/// The account.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Account {
    /// Links discovered, as the crawl states it.
    pub discovered: u64,
    /// The fates, the most frequent first.
    pub fates: Vec<FateRow>,
    /// The sum over the fates.
    pub sum: u64,
    /// Whether the sum is the number of links discovered.
    pub adds_up: bool,
    /// The steps from the links discovered to the pages fetched.
    pub funnel: Vec<FunnelStep>,
}

/// Makes the account of a report, a snapshot or sums. Links of a running crawl that have no fate yet are `queued`.
/// Returns `None` if the crawl has no links at all.
pub fn account(own: &OwnFigures<'_>) -> Option<Account> {
    let table = own.fates_with_open();
    let (discovered, sum) = (own.discovered, table.total());
    if discovered == 0 && sum == 0 {
        return None;
    }
    let row = |row: harvestman_core::model::FateCount<'_>| FateRow {
        fate: row.fate.to_owned(),
        reason: row.reason.to_owned(),
        count: row.count,
    };
    let mut fates: Vec<FateRow> = table.iter().map(row).collect();
    fates.sort_by_key(|row| std::cmp::Reverse(row.count));
    Some(Account { discovered, fates, sum, adds_up: sum == discovered, funnel: funnel(&table, own.leased) })
}

pub(super) fn blocks(
    account: Option<&Account>,
    own: Option<&OwnFigures<'_>>,
    log: &LogFigures,
    is_report_stale: bool,
) -> Vec<Block> {
    let mut blocks = Vec::new();
    if let Some((account, own)) = account.zip(own) {
        blocks.extend([Block::Text(verdict(account)), Block::Text(FUNNEL_UNITS.to_owned()), funnel_plot(account)]);
        let mut rows: Vec<_> = account.fates.iter().map(|row| fate(row, account.sum, Some(own.source))).collect();
        let sum = Cell::count(account.sum);
        let sum = if account.adds_up { sum.at(format!("{}.discovered", own.source)) } else { sum };
        rows.push(vec![Cell::text("sum"), Cell::Empty, sum, Cell::Share(1.0), Cell::Empty]);
        blocks.push(table("Fates of links", rows));
    }
    if account.is_none() || is_report_stale {
        blocks.extend(logged(log));
    }
    blocks
}

fn verdict(account: &Account) -> String {
    let (discovered, sum) = (figures::count(account.discovered), figures::count(account.sum));
    if account.adds_up {
        format!(
            "{discovered} links were discovered, and the fates below add up to the same number: {sum}. Each link has one fate: a URL that is \
             linked from a hundred pages is one fetched and 99 duplicate."
        )
    } else {
        format!("{discovered} links were discovered, but the fates below add up to {sum}.")
    }
}

fn funnel_plot(account: &Account) -> Block {
    #[expect(clippy::cast_precision_loss, reason = "counts of links are far below 2^52")]
    let length = |step: &crate::FunnelStep| Length {
        name: step.name.to_owned(),
        shown: figures::count(step.count),
        value: step.count as f64,
    };
    let lengths = account.funnel.iter().map(length).collect();
    let steps: Vec<String> =
        account.funnel.iter().map(|step| format!("{} {}", figures::count(step.count), step.name)).collect();
    let title = "Funnel from links to pages".to_owned();
    Block::Plot(Chart::Lengths { title, lengths }, format!("{}.", steps.join(", ")))
}

/// The fates of URLs in the page log, for crawls without a report. Links that were refused before have no line.
fn logged(log: &LogFigures) -> Vec<Block> {
    if log.lines == 0 {
        return Vec::new();
    }
    let row = |LoggedFate { fate: name, reason, count }: &LoggedFate| {
        fate(&FateRow { fate: name.clone(), reason: reason.clone(), count: *count }, log.lines, None)
    };
    let text = "The page log has one line per processed URL; the counts add up to its lines. Links that were refused or already known have \
                no line: they are counted by the report that a crawl writes when it ends.";
    vec![Block::Text(text.to_owned()), table("Fates of processed URLs", log.fates.iter().map(row).collect())]
}

fn table(caption: &str, rows: Vec<Vec<Cell>>) -> Block {
    let header = vec!["fate", "reason", "links", "share", "meaning"];
    Block::Table(Table { caption: caption.to_owned(), header, rows })
}

/// The row of a fate. `source` is the field of the document that has the count.
fn fate(row: &FateRow, sum: u64, source: Option<&str>) -> Vec<Cell> {
    #[expect(clippy::cast_precision_loss, reason = "a share for people to read")]
    let share = row.count as f64 / sum.max(1) as f64;
    let key = match row.reason.as_str() {
        "" => row.fate.clone(),
        reason => format!("{}.{reason}", row.fate),
    };
    let count = Cell::count(row.count);
    let count = match source {
        // Snapshots of older versions have open links apart from the fates.
        Some("status") if row.fate == "queued" => count,
        Some(source) => count.at(format!("{source}.fates.{key}")),
        None => count,
    };
    let reason = if row.reason.is_empty() { Cell::Empty } else { Cell::Code(row.reason.clone()) };
    vec![Cell::Code(row.fate.clone()), reason, count, Cell::Share(share), Cell::text(meaning(&row.fate, &row.reason))]
}

/// Describes a fate.
fn meaning(fate: &str, reason: &str) -> &'static str {
    if fate == "policy"
        && let Some(refusal) = PolicyRefusal::of_label(reason)
    {
        return refusal.meaning();
    }
    match fate {
        "fetched" => "fetched with a success status",
        "redirected" => "answered with a redirect, whose target is a link of its own",
        "duplicate" => "link to a URL that was discovered before",
        "out_of_scope" => "outside the scope of the crawl",
        "robots" => "disallowed by robots.txt",
        "failed" => "could not be fetched",
        "unwanted_type" => "answered with an unwanted media type",
        "over_budget" => "dropped because of a limit",
        "queued" => "waiting",
        "not_modified" => "revisited, and not modified according to the server",
        "refused_by_site" => "not fetched: the site refuses the purpose of the crawl",
        "not_kept" => "fetched and not kept: the answer refuses the purpose of the crawl",
        "payment_required" => "answered with a demand for payment (402), which is never paid",
        "handed_over" => "handed over to the node of the fleet that owns the host",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{CrawlStatus, Report, read_object};

    fn of_report(value: &serde_json::Value) -> Option<Account> {
        account(&(&read_object::<Report>("report.json", value.to_string().as_bytes()).unwrap()).into())
    }

    fn of_status(value: &serde_json::Value) -> Account {
        account(&(&read_object::<CrawlStatus>("status", value.to_string().as_bytes()).unwrap()).into()).unwrap()
    }

    #[test]
    fn fates_add_up_and_the_funnel_ends_at_the_pages() {
        let account = of_report(&json!({"discovered": 100, "fates": {
            "duplicate": 50, "handed_over": 10, "fetched": 20, "failed": {"http_404": 3, "dns": 1}, "robots": {"disallowed": 10},
            "redirected": 6,
        }}))
        .unwrap();
        assert!(account.adds_up);
        assert_eq!((account.fates[0].fate.as_str(), account.fates.len(), account.sum), ("duplicate", 7, 100));
        let steps: Vec<_> = account.funnel.iter().map(|step| (step.stage, step.count)).collect();
        assert_eq!(steps, [("discovered", 100), ("wanted", 100), ("new", 40), ("requested", 30), ("pages", 20)]);
    }

    #[test]
    fn what_does_not_add_up_is_stated_and_a_running_crawl_has_open_links() {
        assert!(!of_report(&json!({"discovered": 5, "fates": {"fetched": 4}})).unwrap().adds_up);
        assert!(of_status(&json!({"discovered": 9, "queued": 4, "leased": 1, "fates": {"fetched": 4}})).adds_up);
        let first = of_status(&json!({"discovered": 2, "queued": 1, "leased": 1, "fates": {"queued": 2}}));
        assert!(first.adds_up);
        let gone: Vec<_> = first.funnel[3].gone.iter().map(|gone| (gone.reason.as_str(), gone.count)).collect();
        assert_eq!(gone, [("leased", 1), ("queued", 1)]);
        assert_eq!(of_report(&json!({"pages": 1})), None);
    }
}
