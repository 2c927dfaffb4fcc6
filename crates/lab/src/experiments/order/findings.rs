//! What the rows say, in words: where the order matters, where it does not, and why.

use crate::tables::{Measure, Row, Summary, summaries};

/// Relative times this close to 1 say nothing.
const ALIKE: f64 = 0.05;

/// A few sentences for each corpus and form.
pub fn findings(rows: &[Row]) -> Vec<String> {
    let summed = summaries(rows);
    let of = |summary: &&Summary, measure| summary.mean.measures.get(&measure).copied();
    let timed = summed.iter().filter(|summary| of(summary, Measure::RelativeTimeSameLinks).is_some());
    let timed = timed.filter(|summary| summary.mean.order.as_deref() != Some("dup-only"));
    let said = timed.map(|summary| told(&summary.mean)).collect::<Vec<_>>();
    said.into_iter().chain(quality(&summed)).collect()
}

/// One order over one store.
fn told(row: &Row) -> String {
    let of = |measure| row.measures.get(&measure).copied();
    let share = |measure| 100.0 * of(measure).unwrap_or_default();
    let crawl = of(Measure::RelativeTime).map(|total| {
        format!(
            "a crawl takes {:.0} % of the time of one with the dedup alone ({:.0} % filter, {:.0} % canonicalisation, {:.0} % dedup): {}; ",
            100.0 * total,
            share(Measure::RelativeFilterTime),
            share(Measure::RelativeCanonicaliseTime),
            share(Measure::RelativeDedupTime),
            verdict(total),
        )
    });
    let same_links = of(Measure::RelativeTimeSameLinks).unwrap_or_default();
    format!(
        "{}: {} over {}: {}for the same links it takes {:.0} %: {}; {}",
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
        time if time < 1.0 - ALIKE => "it pays",
        time if time > 1.0 + ALIKE => "it does not pay",
        _ => "it makes no difference",
    }
}

/// What made the time what it is.
fn why(row: &Row) -> String {
    let of = |measure| row.measures.get(&measure).copied().unwrap_or_default();
    let links = of(Measure::Links).max(1.0);
    let by_place = 100.0 * of(Measure::RefusedByPlace) / links;
    let by_url = 100.0 * of(Measure::RefusedByUrl) / links;
    format!(
        "of its links {by_place:.0} % are refused by place, before they are canonicalised, and {by_url:.0} % by the form of their URL; the dedup is asked about {:.0} %",
        100.0 * of(Measure::DedupIn) / links
    )
}

/// What the orders brought.
fn quality(summed: &[Summary]) -> Vec<String> {
    let with = |summary: &&Summary| summary.mean.measures.contains_key(&Measure::ValuableShare);
    let mut told: Vec<String> = Vec::new();
    for summary in summed.iter().filter(with) {
        let row = &summary.mean;
        let of = |measure| {
            row.measures.get(&measure).map_or_else(|| "–".to_owned(), |value| format!("{:.1} %", 100.0 * value))
        };
        let text = format!(
            "{}, {}: {:.0} requests, {} of them valuable; {} of what is valuable was had, {} of what was left out is valuable",
            whose(row),
            row.order.as_deref().unwrap_or_default(),
            row.measures.get(&Measure::Fetches).copied().unwrap_or_default(),
            of(Measure::ValuableShare),
            of(Measure::RecallValuable),
            of(Measure::FalseNegatives),
        );
        if !told.contains(&text) {
            told.push(text);
        }
    }
    told
}

fn whose(row: &Row) -> String {
    format!("{}, {}", row.corpus, row.variant.as_deref().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_pays_and_what_does_not_is_said_with_its_reason() {
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
        let told = findings(&[whole, row("bloom", 1.5), row("bloom+exact", 1.01)]);
        assert!(told[0].contains("over exact-disk: a crawl takes 25 % ") && told[0].contains("): it pays; "));
        assert!(told[0].contains("it takes 75 %: it pays; of its links 80 % are refused by place"));
        assert!(told[1].contains("150 %: it does not pay;") && told[2].contains("101 %: it makes no difference;"));
        assert_eq!(told.len(), 3, "no word of quality where none was measured");
    }
}
