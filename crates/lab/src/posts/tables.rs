//! The scores as rows and tables.

use super::measured::MeasuredPosts;
use super::tally::{PostTally, share};
use super::truth::Field;
use crate::tables::{Measure, Row, Table};
use harvestman_report::figures;

/// The name of the task in rows.
const TASK: &str = "posts";

/// Returns one row for all pages of a recording, and one for the pages of each type.
#[expect(clippy::cast_precision_loss, reason = "counts of posts are far below 2^52")]
pub fn post_rows(corpus: &str, variant: Option<&str>, measured: &MeasuredPosts) -> Vec<Row> {
    let (scores, site) = (&measured.scores, &measured.scores.site);
    let new = || Row { variant: variant.map(str::to_owned), ..Row::new(corpus, TASK, "template") };
    let all = with_tally(new(), &scores.all)
        .with(Measure::SitePosts, site.expected as f64)
        .with(Measure::SiteRecords, site.records as f64)
        .with(Measure::SiteRecall, site.recall())
        .with(Measure::SitePrecision, site.precision())
        .with(Measure::SiteDuplicates, site.duplicates as f64)
        .with(Measure::SiteMerged, site.merged as f64)
        .with(Measure::ParseMicros, measured.parse_seconds * 1e6)
        .with(Measure::ExtractMicros, measured.extract_seconds * 1e6);
    let by_type = scores.by_type.iter();
    let by_type = by_type.map(|(name, tally)| with_tally(Row { target: Some(name.clone()), ..new() }, tally));
    std::iter::once(all).chain(by_type).collect()
}

#[expect(clippy::cast_precision_loss, reason = "counts of posts are far below 2^52")]
fn with_tally(row: Row, tally: &PostTally) -> Row {
    let field = |field| share(tally.field(field).right, tally.field(field).found);
    row.with(Measure::Pages, tally.pages as f64)
        .with(Measure::PerfectPages, share(tally.perfect, tally.pages))
        .with(Measure::PostsShown, tally.expected as f64)
        .with(Measure::PostsFound, tally.found as f64)
        .with(Measure::PostPrecision, tally.precision())
        .with(Measure::PostRecall, tally.recall())
        .with(Measure::PostF1, tally.f1())
        .with(Measure::Excerpts, tally.excerpts as f64)
        .with(Measure::TextF1, tally.text_f1())
        .with(Measure::AuthorRight, field(Field::Author))
        .with(Measure::MinuteRight, field(Field::Minute))
        .with(Measure::DayRight, field(Field::Day))
        .with(Measure::ThreadRight, field(Field::Thread))
        .with(Measure::ParentRight, field(Field::Parent))
        .with(Measure::ParentPrecision, tally.parent_precision())
        .with(Measure::UrlRight, field(Field::Url))
}

/// Returns the tables: posts by page type, fields, the site, and the worst pages if there are any.
pub fn post_tables(title: &str, measured: &MeasuredPosts) -> Vec<Table> {
    let mut tables = vec![posts(title, measured), fields(measured), site(measured)];
    if !measured.scores.worst.is_empty() {
        tables.push(worst(measured));
    }
    tables
}

fn posts(title: &str, measured: &MeasuredPosts) -> Table {
    let mut types: Vec<_> = measured.scores.by_type.iter().collect();
    types.sort_by_key(|(name, tally)| (std::cmp::Reverse((tally.expected, tally.found, tally.pages)), *name));
    let all = ("all".to_owned(), &measured.scores.all);
    let row = |(name, tally): (String, &PostTally)| {
        let counts = [tally.pages, tally.expected, tally.found, tally.right, tally.excerpts].map(figures::count);
        let shares =
            [tally.precision(), tally.recall(), tally.f1(), tally.text_f1(), share(tally.perfect, tally.pages)];
        std::iter::once(name).chain(counts).chain(shares.map(shown)).collect()
    };
    let rows = types.into_iter().map(|(name, tally)| (name.clone(), tally)).chain([all]).map(row).collect();
    let names = [
        "page type",
        "pages",
        "posts",
        "found",
        "right",
        "excerpts",
        "precision",
        "recall",
        "F1",
        "text F1",
        "perfect pages",
    ];
    table(title, &names, rows)
}

fn fields(measured: &MeasuredPosts) -> Table {
    let all = &measured.scores.all;
    let row = |field: Field| {
        let counts = all.field(field);
        let of_given = if field == Field::Parent { all.parent_precision() } else { share(counts.right, counts.given) };
        let numbers = [counts.shown, counts.found, counts.given, counts.right].map(figures::count);
        let shares = [share(counts.right, counts.found), share(counts.right, counts.shown), of_given];
        std::iter::once(field.name().to_owned()).chain(numbers).chain(shares.map(shown)).collect()
    };
    let names = ["field", "shown", "of posts found", "given", "right", "of found", "of shown", "of given"];
    table("Fields of posts whose text is right", &names, Field::ALL.map(row).to_vec())
}

fn site(measured: &MeasuredPosts) -> Table {
    let site = &measured.scores.site;
    let counts =
        [site.expected, site.found, site.records, site.duplicates, site.merged, site.wrong].map(figures::count);
    let micros = [measured.parse_seconds, measured.extract_seconds].map(|seconds| format!("{:.0}", seconds * 1e6));
    let shares = [site.precision(), site.recall()].map(shown);
    let names = [
        "posts",
        "found",
        "records",
        "duplicates",
        "merged",
        "no posts",
        "precision",
        "recall",
        "µs to parse",
        "µs to extract",
    ];
    table("Over the site", &names, vec![counts.into_iter().chain(shares).chain(micros).collect()])
}

fn worst(measured: &MeasuredPosts) -> Table {
    let row = |page: &super::PageFlaws| {
        let counts = [page.expected, page.found, page.missed, page.wrong, page.fields].map(|count| count.to_string());
        [page.url.clone()].into_iter().chain(counts).chain([page.first.clone()]).collect()
    };
    let rows = measured.scores.worst.iter().map(row).collect();
    table("Worst pages", &["page", "posts", "found", "missing", "wrong", "fields wrong", "first flaw"], rows)
}

fn table(title: &str, names: &[&str], rows: Vec<Vec<String>>) -> Table {
    Table { title: title.to_owned(), header: names.iter().map(|name| (*name).to_owned()).collect(), rows }
}

fn shown(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), |value| format!("{value:.4}"))
}
