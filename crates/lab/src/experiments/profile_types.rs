//! How well page types are told by a few labelled samples of each: by path strings as printed (Zhang, Nasraoui 2009,
//! section 4), by all that pages have, and by clusters.
//!
//! By all that pages have: leaf paths with class names, and parts of the address, are features; a random forest decides
//! ([`TypeForest`]). Which class names count is learned from all pages, without labels.
//!
//! By clusters: pages belong together whose addresses have one form, the finest first, and among those the labelled
//! sample with the nearest template decides (leaf paths, as crawls compare pages). Forms and templates are learned from
//! all pages, without labels. Where no sample's address has the form of a page's, coarser forms decide, then the
//! template alone.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use rand::seq::IndexedRandom;

use super::type_forest::TypeForest;
use crate::corpus::{Corpus, PageId, Role};
use crate::measures::ratio;
use crate::tables::{Measure, Row};
use harvestman_core::config::ParseOptions;
use harvestman_core::model::{ClassTokens, LeafPath};
use harvestman_core::seed::Seed;
use harvestman_core::url::Fingerprint;
use harvestman_papers::site::{PageFeatures, PageStrings, PageTypeOptions, PageTypes, url_features, without_numbers};
use harvestman_pipeline::reader;
use harvestman_policy::learned::{SamplePage, TemplateOptions, Templates, common_class_names};
use harvestman_structure::parse::Parser;
use harvestman_structure::site::{SparseVector, UrlPatternLearner, UrlPatterns};

/// Number of labelled sample pages of each type (section 8.1: ten).
const SAMPLES: usize = 10;
/// Maximum number of pages that templates are learned from, as in a crawl.
const TEMPLATE_PAGES: usize = 1_000;
/// Number of pairs of types that are shown as mixed up.
const MIXED_UP_MAX: usize = 5;

/// How page types are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TypesBy {
    /// By all that pages have.
    Features,
    /// By clusters.
    Clusters,
    /// By path strings, as printed.
    PathStrings,
}

impl TypesBy {
    /// All, the default first.
    pub const ALL: [Self; 3] = [Self::Features, Self::Clusters, Self::PathStrings];

    const fn name(self) -> &'static str {
        match self {
            Self::Features => "features",
            Self::Clusters => "clusters",
            Self::PathStrings => "path-strings",
        }
    }
}

/// Labelled pages: the samples by type, and all others.
struct Pages {
    types: Vec<Arc<str>>,
    samples: Vec<Vec<PageId>>,
    others: Vec<(PageId, usize)>,
}

impl Pages {
    /// Draws the samples of each type; `None` if the corpus has no labels.
    fn of(corpus: &Corpus, seed: Seed) -> Option<Self> {
        let truth = corpus.truth()?;
        let mut by_type: BTreeMap<&Arc<str>, Vec<PageId>> = BTreeMap::new();
        for id in corpus.ids().filter(|id| corpus.page(*id).is_page()) {
            if let Some(label) = truth.page(id) {
                by_type.entry(&label.page_type).or_default().push(id);
            }
        }
        let mut rng = seed.child("samples").rng();
        let (mut types, mut samples, mut others) = (Vec::new(), Vec::new(), Vec::new());
        for (number, (page_type, pages)) in by_type.into_iter().enumerate() {
            let mut drawn: Vec<PageId> = pages.choose_multiple(&mut rng, SAMPLES).copied().collect();
            drawn.sort_unstable();
            others.extend(pages.iter().filter(|id| drawn.binary_search(id).is_err()).map(|id| (*id, number)));
            types.push(Arc::clone(page_type));
            samples.push(drawn);
        }
        Some(Self { types, samples, others })
    }
}

/// Measures one way on one corpus; `None` if it has no labels, or no pages but the samples.
#[expect(clippy::cast_precision_loss, reason = "numbers of pages")]
pub(super) fn row(corpus: &Corpus, by: TypesBy, seed: u64) -> Option<(Row, Option<String>)> {
    let pages = Pages::of(corpus, Seed(seed))?;
    let found = match by {
        TypesBy::Features => by_features(corpus, &pages, Seed(seed)),
        TypesBy::Clusters => by_clusters(corpus, &pages, Seed(seed)),
        TypesBy::PathStrings => by_path_strings(corpus, &pages),
    };
    let role = |number: usize| {
        let sample = pages.samples[number].first().and_then(|id| corpus.truth()?.page(*id));
        sample.map_or(Role::Other, |label| label.role)
    };
    let mut by_type = vec![(0_u64, 0_u64); pages.types.len()];
    let mut roles_right = 0_u64;
    for ((_, wanted), found) in pages.others.iter().zip(&found) {
        by_type[*wanted].0 += u64::from(*found == Some(*wanted));
        by_type[*wanted].1 += 1;
        roles_right += u64::from(found.map_or(Role::Other, role) == role(*wanted));
    }
    let mixed_up = mixed_up(&pages, &found);
    let note = mixed_up.map(|mixed_up| format!("{}, {}, seed {seed}: {mixed_up}", corpus.name, by.name()));
    let all = pages.others.len() as u64;
    let right = by_type.iter().map(|counts| counts.0).sum();
    let shares: Vec<f64> = by_type.iter().filter_map(|(right, all)| ratio(*right, *all)).collect();
    let row = Row { seed: Some(seed), ..Row::new(&corpus.name, "types", by.name()) };
    let row = row
        .with(Measure::Types, pages.types.len() as f64)
        .with(Measure::Classified, all as f64)
        .with(Measure::TypeRight, ratio(right, all)?)
        .with(Measure::TypeRightByType, shares.iter().sum::<f64>() / shares.len() as f64)
        .with(Measure::RoleRight, ratio(roles_right, all));
    Some((row, note))
}

/// Returns the types that were most often taken for others, each with the number of pages; `None` if all are right.
fn mixed_up(pages: &Pages, found: &[Option<usize>]) -> Option<String> {
    let mut counts: BTreeMap<(usize, Option<usize>), usize> = BTreeMap::new();
    for ((_, wanted), found) in pages.others.iter().zip(found).filter(|((_, wanted), found)| **found != Some(*wanted)) {
        *counts.entry((*wanted, *found)).or_default() += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| Reverse(*count));
    let name = |number: usize| pages.types.get(number).map_or("", |name| &**name);
    let shown = counts
        .iter()
        .take(MIXED_UP_MAX)
        .map(|((wanted, found), count)| format!("{count} {} as {}", name(*wanted), found.map_or("no type", name)));
    let shown = shown.collect::<Vec<_>>().join(", ");
    (!shown.is_empty()).then(|| format!("mixed up: {shown}"))
}

fn by_path_strings(corpus: &Corpus, pages: &Pages) -> Vec<Option<usize>> {
    let mut parser = Parser::new(&ParseOptions::default()).with_path_strings();
    let mut strings = |id: &PageId| {
        let stored = corpus.page(*id);
        PageStrings::new(&parser.parse(&stored.body, stored.content_type()).path_strings)
    };
    let samples: Vec<Vec<PageStrings>> =
        pages.samples.iter().map(|ids| ids.iter().map(&mut strings).collect()).collect();
    let types = PageTypes::learn(&samples, PageTypeOptions::default());
    pages.others.iter().map(|(id, _)| types.classify(&strings(id))).collect()
}

fn by_features(corpus: &Corpus, pages: &Pages, seed: Seed) -> Vec<Option<usize>> {
    let mut parser = Parser::new(&ParseOptions::default());
    parser.set_class_tokens(Some(Arc::new(class_names(corpus, pages, seed))));
    let mut features = |id: &PageId| -> PageFeatures {
        let stored = corpus.page(*id);
        let paths = parser.parse(&stored.body, stored.content_type()).leaf_paths;
        let address = url_features(corpus.url(*id).as_str());
        paths.iter().map(|leaf| leaf.path).chain(address.iter()).collect()
    };
    let samples: Vec<Vec<PageFeatures>> =
        pages.samples.iter().map(|ids| ids.iter().map(&mut features).collect()).collect();
    let types = TypeForest::learn(&samples, seed);
    pages.others.iter().map(|(id, _)| types.classify(&features(id))).collect()
}

/// The class names that enough pages have, whatever their types.
fn class_names(corpus: &Corpus, pages: &Pages, seed: Seed) -> ClassTokens {
    common_class_names(&mut unlabelled(corpus, pages, seed), &mut *reader(&ParseOptions::default()))
}

/// Draws pages to learn from without their labels.
fn unlabelled(corpus: &Corpus, pages: &Pages, seed: Seed) -> Vec<SamplePage> {
    let mut all: Vec<PageId> = pages.samples.iter().flatten().copied().collect();
    all.extend(pages.others.iter().map(|(id, _)| *id));
    let drawn = all.choose_multiple(&mut seed.child("templates").rng(), TEMPLATE_PAGES);
    let page = |id: &PageId| {
        let stored = corpus.page(*id);
        SamplePage::new(stored.body.clone(), stored.content_type().map(Into::into))
    };
    drawn.map(page).collect()
}

fn by_clusters(corpus: &Corpus, pages: &Pages, seed: Seed) -> Vec<Option<usize>> {
    let clusters = Clusters::learn(corpus, pages, seed);
    let mut parser = Parser::new(&ParseOptions::default());
    parser.set_class_tokens(Some(Arc::clone(clusters.templates.tokens())));
    let mut read = |id: &PageId| {
        let stored = corpus.page(*id);
        clusters.place(&parser.parse(&stored.body, stored.content_type()).leaf_paths, corpus.url(*id).as_str())
    };
    let mut samples: BTreeMap<Key, Vec<(usize, Arc<SparseVector>)>> = BTreeMap::new();
    for (number, ids) in pages.samples.iter().enumerate() {
        for (keys, vector) in ids.iter().map(&mut read) {
            let vector = Arc::new(vector);
            keys.into_iter().for_each(|key| samples.entry(key).or_default().push((number, Arc::clone(&vector))));
        }
    }
    let decided = |(keys, vector): (Keys, SparseVector)| {
        let samples = keys.iter().find_map(|key| samples.get(key))?;
        let distances = samples.iter().map(|(number, sample)| (sample.distance(&vector), *number));
        // Of equally near samples the first wins.
        distances.reduce(|best, next| if next.0 < best.0 { next } else { best }).map(|(_, number)| number)
    };
    pages.others.iter().map(|(id, _)| decided(read(id))).collect()
}

/// A cluster at one level: the level, and the form of addresses or the template.
type Key = (usize, u64);

/// The clusters of a page, the most specific first.
type Keys = [Key; 8];

/// Templates and forms of addresses.
struct Clusters {
    templates: Templates,
    patterns: UrlPatterns,
    /// How many addresses have each word.
    words: BTreeMap<Word, usize>,
    addresses: usize,
}

/// Minimum share of the addresses that have a word which tells forms of addresses apart, and the main forms.
const WORD_SHARE: f64 = 0.01;
const MAIN_WORD_SHARE: f64 = 0.05;

impl Clusters {
    fn learn(corpus: &Corpus, pages: &Pages, seed: Seed) -> Self {
        let mut learner = UrlPatternLearner::default();
        let mut words: BTreeMap<Word, usize> = BTreeMap::new();
        for id in corpus.ids() {
            let url = corpus.url(id).as_str();
            learner.see(url);
            let (path, query) = self::words(url);
            path.chain(query).for_each(|word| *words.entry(word).or_default() += 1);
        }
        let mut sample = unlabelled(corpus, pages, seed);
        let templates =
            Templates::learn(&mut sample, &TemplateOptions::default(), &mut *reader(&ParseOptions::default()));
        Self { templates, patterns: learner.patterns(), words, addresses: corpus.len() }
    }

    /// The clusters of a page, and its vector of leaf paths.
    fn place(&self, bag: &[LeafPath], url: &str) -> (Keys, SparseVector) {
        let (pattern, path) = (self.patterns.of(url), self.patterns.of_path(url));
        let template = u64::from(self.templates.classify(bag).0);
        let form = |share, depth| Fingerprint::of(&self.form(url, share, depth)).0 as u64;
        let keys = [
            (0, pattern.fine.0),
            (1, form(WORD_SHARE, usize::MAX)),
            (2, form(MAIN_WORD_SHARE, usize::MAX)),
            (3, form(MAIN_WORD_SHARE, 1)),
            (4, pattern.coarse.0),
            (5, path.0),
            (6, template),
            // All samples.
            (7, 0),
        ];
        (keys, self.templates.vocabulary().weigh(bag))
    }

    /// The first `depth` segments of an address with the words that at least this share of the addresses has at their
    /// positions, and its parameters, with values that are as common.
    fn form(&self, url: &str, share: f64, depth: usize) -> String {
        let least = share * self.addresses as f64;
        let is_common = |word: &Word| self.words.get(word).is_some_and(|count| *count as f64 >= least);
        let (path, query) = words(url);
        let mut form = String::new();
        for word in path.take(depth) {
            form.push_str(if is_common(&word) { &word.1 } else { "*" });
            form.push('/');
        }
        for word in query {
            form.push_str(if is_common(&word) { &word.1 } else { word.1.split('=').next().unwrap_or_default() });
            form.push('&');
        }
        form
    }
}

/// A word of an address: its position, and what stands there.
type Word = (usize, String);

/// The position of parameters.
const PARAMETER: usize = usize::MAX;

/// The segments of an address's path, with `#` in place of numbers, and its parameters with their values.
fn words(url: &str) -> (impl Iterator<Item = Word> + '_, impl Iterator<Item = Word> + '_) {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    let segments = path.split('/').skip(1).filter(|segment| !segment.is_empty()).map(without_numbers);
    let parameters = query.split('&').filter(|parameter| !parameter.is_empty());
    (segments.enumerate(), parameters.map(|parameter| (PARAMETER, without_numbers(parameter))))
}
