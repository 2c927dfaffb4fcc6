//! Summarises the rows in words: where the order matters, where it does not, and why.

use crate::tables::{Measure, Row, Summary, summaries};

/// Relative times within this distance of 1 are considered equal.
const ALIKE: f64 = 0.05;

/// Returns a few sentences per corpus and form.
pub fn findings(rows: &[Row]) -> Vec<String> {
    let summed = summaries(rows);
    let of = |summary: &&Summary, measure| summary.mean.measures.get(&measure).copied();
    let timed = summed.iter().filter(|summary| of(summary, Measure::RelativeTimeSameLinks).is_some());
    let timed = timed.filter(|summary| summary.mean.order.as_deref() != Some("dup-only"));
    let said = timed.map(|summary| times(&summary.mean)).collect::<Vec<_>>();
    said.into_iter().chain(quality(&summed)).collect()
}

/// Describes one order over one store.
fn times(row: &Row) -> String {
    let of = |measure| row.measures.get(&measure).copied();
    let share = |measure| 100.0 * of(measure).unwrap_or_default();
    let crawl = of(Measure::RelativeTime).map(|total| {
        format!(
            "a crawl takes {:.0} % of the time with dedup only ({:.0} % filter, {:.0} % canonicalisation, {:.0} % dedup): {}; ",
            100.0 * total,
            share(Measure::RelativeFilterTime),
            share(Measure::RelativeCanonicaliseTime),
            share(Measure::RelativeDedupTime),
            verdict(total),
        )
    });
    let same_links = of(Measure::RelativeTimeSameLinks).unwrap_or_default();
    format!(
        "{}: {} over {}: {}for the same links {:.0} %: {}; {}",
        whose(row),
        row.order.as_deref().unwrap_or_default(),
        row.store.as_deref().unwrap_or_default(),
        crawl.unwrap_or_default(),
        100.0 * same_links,
        verdict(same_links),
        why(row),
    )
}

fn verdict(time: f64) -> &'static str {
    match time {
        time if time < 1.0 - ALIKE => "faster",
        time if time > 1.0 + ALIKE => "slower",
        _ => "no difference",
    }
}

/// Explains the time.
fn why(row: &Row) -> String {
    let of = |measure| row.measures.get(&measure).copied().unwrap_or_default();
    let links = of(Measure::Links).max(1.0);
    let by_place = 100.0 * of(Measure::RefusedByPlace) / links;
    let by_url = 100.0 * of(Measure::RefusedByUrl) / links;
    format!(
        "{by_place:.0} % of its links are refused by position before canonicalisation, {by_url:.0} % by URL pattern; {:.0} % reach the dedup",
        100.0 * of(Measure::DedupIn) / links
    )
}

/// Describes the results of the orders.
fn quality(summed: &[Summary]) -> Vec<String> {
    let with = |summary: &&Summary| summary.mean.measures.contains_key(&Measure::ValuableShare);
    let mut sentences: Vec<String> = Vec::new();
    for summary in summed.iter().filter(with) {
        let row = &summary.mean;
        let of = |measure| {
            row.measures.get(&measure).map_or_else(|| "–".to_owned(), |value| format!("{:.1} %", 100.0 * value))
        };
        let text = format!(
            "{}, {}: {:.0} requests, {} of them valuable; {} of the valuable pages were fetched, {} of the rejected URLs are valuable",
            whose(row),
            row.order.as_deref().unwrap_or_default(),
            row.measures.get(&Measure::Fetches).copied().unwrap_or_default(),
            of(Measure::ValuableShare),
            of(Measure::RecallValuable),
            of(Measure::FalseNegatives),
        );
        if !sentences.contains(&text) {
            sentences.push(text);
        }
    }
    sentences
}

fn whose(row: &Row) -> String {
    format!("{}, {}", row.corpus, row.variant.as_deref().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_described_with_their_reasons() {
        let row = |store: &str, time| {
            let row = Row {
                order: Some("graph-dup".to_owned()),
                store: Some(store.to_owned()),
                ..Row::new("c", "order", "p")
            };
            row.with(Measure::RelativeTimeSameLinks, time)
                .with(Measure::Links, 100.0)
                .with(Measure::RefusedByPlace, 80.0)
        };
        let whole = row("exact-disk", 0.75).with(Measure::RelativeTime, 0.25);
        let sentences = findings(&[whole, row("bloom", 1.5), row("bloom+exact", 1.01)]);
        assert!(sentences[0].contains("over exact-disk: a crawl takes 25 % ") && sentences[0].contains("): faster; "));
        assert!(sentences[0].contains("for the same links 75 %: faster; 80 % of its links are refused by position"));
        assert!(sentences[1].contains("150 %: slower;") && sentences[2].contains("101 %: no difference;"));
        assert_eq!(sentences.len(), 3, "no sentence about quality where none was measured");
    }
}
