//! The labels of a recording, as a file and as a summary.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::LabelRules;
use crate::corpus::{Corpus, Label, PageId, TAG_SEPARATOR};
use crate::tables::Table;
use harvestman_core::spreadsheet::CsvWriter;
use harvestman_report::figures;

/// The type of URLs that no rule matches.
const OTHER: &str = "other";
/// Maximum number of unmatched URLs that are remembered as examples.
const EXAMPLES_MAX: usize = 10;
/// The columns of the file.
const HEADER: [&str; 11] = [
    "url",
    "status",
    "redirect_to",
    "content_type",
    "page_type",
    "is_ucc",
    "is_duplicate_view",
    "bytes",
    "role",
    "tags",
    "author",
];

/// The labels of all URLs of a recording, in the order of the recording.
#[derive(Debug)]
pub struct Labelled {
    rows: Vec<Row>,
    types: BTreeMap<Arc<str>, TypeSummary>,
    /// The number of URLs that no rule matches.
    pub unmatched: u64,
    /// Some of them.
    pub examples: Vec<String>,
}

#[derive(Debug)]
struct Row {
    url: String,
    status: u16,
    redirect_to: String,
    content_type: String,
    label: Label,
    bytes: usize,
}

/// Counts of a page type.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TypeSummary {
    /// URLs.
    pub urls: u64,
    /// URLs with status 200.
    pub answered: u64,
    /// User-created content.
    pub ucc: u64,
    /// Duplicate views.
    pub duplicates: u64,
    /// URLs with a tag.
    pub tagged: u64,
    /// URLs with an author.
    pub authored: u64,
    /// Bytes of all bodies.
    pub bytes: u64,
}

/// Labels the URLs of `corpus` by `rules`. A URL that no rule matches has the type `other`.
pub fn label(corpus: &Corpus, rules: &LabelRules) -> Labelled {
    let mut labelled = Labelled { rows: Vec::new(), types: BTreeMap::new(), unmatched: 0, examples: Vec::new() };
    for id in corpus.ids() {
        let row = labelled.row(corpus, id, rules);
        labelled.count(&row);
        labelled.rows.push(row);
    }
    labelled
}

impl Labelled {
    fn row(&mut self, corpus: &Corpus, id: PageId, rules: &LabelRules) -> Row {
        let (url, page) = (corpus.url(id).as_str(), corpus.page(id));
        let label = rules.label(path_and_query(url), page).unwrap_or_else(|| {
            self.unmatched += 1;
            if self.examples.len() < EXAMPLES_MAX {
                self.examples.push(url.to_owned());
            }
            Label { page_type: OTHER.into(), ..Label::default() }
        });
        Row {
            url: url.to_owned(),
            status: page.status,
            redirect_to: page.location.as_ref().map(|to| to.as_str().to_owned()).unwrap_or_default(),
            content_type: page.content_type().unwrap_or_default().to_owned(),
            label,
            bytes: page.body.len(),
        }
    }

    fn count(&mut self, row: &Row) {
        let counts = self.types.entry(Arc::clone(&row.label.page_type)).or_default();
        counts.urls += 1;
        counts.answered += u64::from(row.status == 200);
        counts.ucc += u64::from(row.label.is_ucc);
        counts.duplicates += u64::from(row.label.is_duplicate_view);
        counts.tagged += u64::from(!row.label.tags().is_empty());
        counts.authored += u64::from(row.label.author.is_some());
        counts.bytes += row.bytes as u64;
    }

    /// Returns the counts of each type, by name.
    pub const fn types(&self) -> &BTreeMap<Arc<str>, TypeSummary> {
        &self.types
    }

    /// Writes the labels as compressed CSV.
    ///
    /// # Errors
    /// `to` cannot be written.
    pub fn write(&self, to: impl io::Write) -> io::Result<()> {
        let mut csv = CsvWriter::new(GzEncoder::new(to, Compression::default()));
        csv.row(HEADER)?;
        for row in &self.rows {
            let flag = |set: bool| if set { "1" } else { "0" };
            csv.row([
                row.url.as_str(),
                &row.status.to_string(),
                &row.redirect_to,
                &row.content_type,
                &row.label.page_type,
                flag(row.label.is_ucc),
                flag(row.label.is_duplicate_view),
                &row.bytes.to_string(),
                row.label.role.name(),
                &row.label.tags().join(TAG_SEPARATOR),
                row.label.author.as_deref().unwrap_or_default(),
            ])?;
        }
        csv.finish()?.finish()?;
        Ok(())
    }

    /// Returns the counts of each type as a table, the most frequent type first.
    pub fn table(&self, title: &str) -> Table {
        let mut types: Vec<_> = self.types.iter().collect();
        types.sort_by_key(|(name, counts)| (std::cmp::Reverse(counts.urls), Arc::clone(name)));
        let row = |name: &str, counts: TypeSummary| {
            let mean = counts.bytes / counts.urls.max(1);
            let TypeSummary { urls, answered, ucc, duplicates, tagged, authored, .. } = counts;
            let numbers = [urls, answered, ucc, duplicates, tagged, authored, mean];
            std::iter::once(name.to_owned()).chain(numbers.map(figures::count)).collect::<Vec<_>>()
        };
        let all = types.iter().fold(TypeSummary::default(), |sum, (_, counts)| sum.plus(**counts));
        let mut rows: Vec<_> = types.iter().map(|(name, counts)| row(name, **counts)).collect();
        rows.push(row("all", all));
        let header = [
            "page type",
            "URLs",
            "status 200",
            "user-created",
            "duplicate view",
            "with tags",
            "with an author",
            "mean bytes",
        ];
        Table { title: title.to_owned(), header: header.map(str::to_owned).to_vec(), rows }
    }
}

impl TypeSummary {
    const fn plus(self, other: Self) -> Self {
        Self {
            urls: self.urls + other.urls,
            answered: self.answered + other.answered,
            ucc: self.ucc + other.ucc,
            duplicates: self.duplicates + other.duplicates,
            tagged: self.tagged + other.tagged,
            authored: self.authored + other.authored,
            bytes: self.bytes + other.bytes,
        }
    }
}

/// Returns the part of a canonical URL from its path on.
fn path_and_query(url: &str) -> &str {
    let authority = url.find("://").map_or(0, |at| at + 3);
    url[authority..].find('/').map_or("/", |at| &url[authority + at..])
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use harvestman_core::seed::Seed;
    use harvestman_sim::{Family, World, WorldOptions};

    fn corpus() -> Corpus {
        let families = vec![Family::Forum];
        let options = WorldOptions { pages: 60, hosts: 1, families, page_bytes: 200, ..WorldOptions::default() };
        Corpus::from_world(&World::new(&options, Seed(5)).unwrap()).unwrap()
    }

    #[test]
    fn every_url_of_a_recording_is_labelled_counted_and_read_back() {
        let corpus = corpus();
        let text =
            "name = 'x'\n[[rule]]\nurl = '^/$'\ntype = 'index'\n[[rule]]\nurl = '^/t'\ntype = 'topic, any'\nucc = true";
        let rules = LabelRules::parse(text, Path::new("labels.toml")).unwrap();
        let labelled = label(&corpus, &rules);
        let counted: u64 = labelled.types().values().map(|counts| counts.urls).sum();
        assert_eq!(counted, corpus.len() as u64);
        assert_eq!(labelled.unmatched, labelled.types().get("other").map_or(0, |counts| counts.urls));
        assert_eq!(labelled.table("").rows.last().unwrap()[1], corpus.len().to_string());
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("x.labels.csv.gz");
        labelled.write(std::fs::File::create(&file).unwrap()).unwrap();
        let mut text = String::new();
        io::Read::read_to_string(&mut flate2::read::GzDecoder::new(std::fs::File::open(&file).unwrap()), &mut text)
            .unwrap();
        assert_eq!(text.lines().count(), corpus.len() + 1);
        assert!(text.lines().nth(1).unwrap().starts_with(corpus.url(PageId(0)).as_str()), "{text}");
    }

    #[test]
    fn rules_are_applied_to_path_and_query() {
        assert_eq!(path_and_query("http://127.0.0.1:80/a?b=/c"), "/a?b=/c");
        assert_eq!(path_and_query("http://127.0.0.1/"), "/");
        assert_eq!(path_and_query("http://127.0.0.1"), "/");
    }
}
