//! What became of every link.

use super::Material;
use crate::document::FateRow;
use crate::figures;
use crate::plot::{Chart, Length};
use crate::render::block::{Block, Cell, Table};
use harvestman_core::model::PolicyRefusal;

pub(super) fn blocks(material: &Material<'_>) -> Vec<Block> {
    let document = material.document;
    let mut blocks = Vec::new();
    if let Some((account, (source, _))) = document.account.as_ref().zip(document.source()) {
        let count = figures::count;
        let verdict = if account.adds_up {
            format!(
                "{} links were discovered, and the fates below add up to just as many: {}. A URL that is linked from a hundred pages is one \
                 fetched and 99 duplicate.",
                count(account.discovered),
                count(account.sum)
            )
        } else {
            format!(
                "{} links were discovered, but the fates below add up to {}.",
                count(account.discovered),
                count(account.sum)
            )
        };
        blocks.push(Block::Text(verdict));
        #[expect(clippy::cast_precision_loss, reason = "counts of links are far below 2^52")]
        let length = |step: &crate::document::Step| Length {
            name: step.name.to_owned(),
            shown: count(step.count),
            value: step.count as f64,
        };
        let lengths = account.funnel.iter().map(length).collect();
        let said: Vec<String> =
            account.funnel.iter().map(|step| format!("{} {}", count(step.count), step.name)).collect();
        let title = "From links to pages".to_owned();
        blocks.push(Block::Plot(Chart::Lengths { title, lengths }, format!("{}.", said.join(", "))));
        let mut rows: Vec<_> = account.fates.iter().map(|row| fate(row, account.sum, Some(source))).collect();
        let sum = Cell::count(account.sum).at(format!("{source}.discovered"));
        let sum = if account.adds_up { sum } else { Cell::count(account.sum) };
        rows.push(vec![Cell::text("sum"), Cell::Empty, sum, Cell::Share(1.0), Cell::Empty]);
        blocks.push(table("Fates of links", rows));
    }
    if document.account.is_none() || document.is_report_stale() {
        blocks.extend(of_log(material));
    }
    blocks
}

/// Without a report, the fates of URLs that had their turn are known; links that were refused before have no line.
fn of_log(material: &Material<'_>) -> Vec<Block> {
    let log = &material.document.log;
    if log.lines == 0 {
        return Vec::new();
    }
    let row = |(name, reason, count): &(String, String, u64)| {
        fate(&FateRow { fate: name.clone(), reason: reason.clone(), count: *count }, log.lines, None)
    };
    let text = "The page log has a line for each URL that had its turn, and they add up to its lines. Links that were refused or known before \
                had none: they are counted by the report that a crawl writes at its end.";
    vec![Block::Text(text.to_owned()), table("Fates of URLs that had their turn", log.fates.iter().map(row).collect())]
}

fn table(caption: &str, rows: Vec<Vec<Cell>>) -> Block {
    Block::Table(Table {
        caption: caption.to_owned(),
        header: vec!["fate", "reason", "links", "share", "what it means"],
        rows,
    })
}

fn fate(row: &FateRow, sum: u64, source: Option<&str>) -> Vec<Cell> {
    #[expect(clippy::cast_precision_loss, reason = "a share for people to read")]
    let share = row.count as f64 / sum.max(1) as f64;
    let key = match row.reason.as_str() {
        "" => row.fate.clone(),
        reason => format!("{}.{reason}", row.fate),
    };
    let count = Cell::count(row.count);
    let count = match source {
        // What waits in a running crawl is counted apart from the fates.
        Some("status") if row.fate == "queued" => count,
        Some(source) => count.at(format!("{source}.fates.{key}")),
        None => count,
    };
    let reason = if row.reason.is_empty() { Cell::Empty } else { Cell::Code(row.reason.clone()) };
    vec![Cell::Code(row.fate.clone()), reason, count, Cell::Share(share), Cell::text(meaning(&row.fate, &row.reason))]
}

/// A fate in words.
fn meaning(fate: &str, reason: &str) -> &'static str {
    if fate == "policy"
        && let Some(refusal) = PolicyRefusal::of_label(reason)
    {
        return refusal.meaning();
    }
    match fate {
        "fetched" => "fetched with a success status",
        "redirected" => "answered by a redirect; its target is a link of its own",
        "duplicate" => "a link to a URL that was discovered before",
        "out_of_scope" => "outside the scope of the crawl",
        "robots" => "kept back by robots.txt",
        "failed" => "could not be fetched",
        "unwanted_type" => "answered with a media type that is not wanted",
        "over_budget" => "left out because of a limit",
        "queued" => "still waiting",
        "not_modified" => "visited again, and unchanged by what the server says",
        "handed_over" => "handed over to the node of the fleet that holds their hosts",
        _ => "",
    }
}
