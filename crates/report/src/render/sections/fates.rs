//! The fates of all links.

use crate::FUNNEL_UNITS;
use crate::document::log::LoggedFate;
use crate::document::{Account, Document, FateRow};
use crate::figures;
use crate::plot::{Chart, Length};
use crate::render::block::{Block, Cell, Table};
use harvestman_core::model::PolicyRefusal;

pub(super) fn blocks(document: &Document) -> Vec<Block> {
    let mut blocks = Vec::new();
    if let Some((account, own)) = document.account.as_ref().zip(document.own()) {
        blocks.extend([Block::Text(verdict(account)), Block::Text(FUNNEL_UNITS.to_owned()), funnel(account)]);
        let mut rows: Vec<_> = account.fates.iter().map(|row| fate(row, account.sum, Some(own.source))).collect();
        let sum = Cell::count(account.sum);
        let sum = if account.adds_up { sum.at(format!("{}.discovered", own.source)) } else { sum };
        rows.push(vec![Cell::text("sum"), Cell::Empty, sum, Cell::Share(1.0), Cell::Empty]);
        blocks.push(table("Fates of links", rows));
    }
    if document.account.is_none() || document.is_report_stale() {
        blocks.extend(logged(document));
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

fn funnel(account: &Account) -> Block {
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
fn logged(document: &Document) -> Vec<Block> {
    let log = &document.log;
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
