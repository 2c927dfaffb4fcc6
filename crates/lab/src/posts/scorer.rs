//! Scores the posts found on the pages of a site: pure.

use std::collections::{BTreeMap, HashMap};

use url::Url;

use super::collected::{Collected, Occurrence, record};
use super::flaws::{Flaw, PageFlaws};
use super::matching::{Candidate, Verdict, judge};
use super::site::{SiteTally, score_site};
use super::tally::PostTally;
use super::times::{TimeMatch, compare_times};
use super::truth::{Field, PostTruth};
use super::words::Words;
use harvestman_posts::site::{PageOrigin, TooManyPosts};
use harvestman_posts::{PagePost, PageRecords, ParentRef};

/// Scores pages one after the other.
#[derive(Debug)]
pub struct Scorer<'t> {
    known: Collected<'t>,
    shown: HashMap<Url, PageTruth>,
    pages: Vec<PageFlaws>,
}

/// The posts that a page shows: indices into the truth, each with the fields that it lacks.
#[derive(Debug, Default)]
struct PageTruth {
    whole: Vec<(usize, Vec<Field>)>,
    partial: Vec<usize>,
}

/// The scores of a recording.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PostScores {
    /// All pages.
    pub all: PostTally,
    /// Those of each type.
    pub by_type: BTreeMap<String, PostTally>,
    /// All pages together.
    pub site: SiteTally,
    /// The pages with flaws, the worst first.
    pub worst: Vec<PageFlaws>,
}

impl<'t> Scorer<'t> {
    /// Creates a scorer.
    pub fn new(truth: &'t [PostTruth]) -> Self {
        let mut shown: HashMap<Url, PageTruth> = HashMap::new();
        for (at, post) in truth.iter().enumerate() {
            for page in &post.pages {
                if let Ok(url) = Url::parse(&page.url) {
                    shown.entry(url).or_default().whole.push((at, page.lacks.clone()));
                }
            }
            for url in post.excerpts.iter().filter_map(|page| Url::parse(page).ok()) {
                shown.entry(url).or_default().partial.push(at);
            }
        }
        Self { known: Collected::new(truth), shown, pages: Vec::new() }
    }

    /// Returns the number of pages that the truth names and that were not scored.
    pub fn missing_pages(&self) -> usize {
        self.shown.len()
    }

    /// Scores what was found on a page. A page counts once.
    ///
    /// # Errors
    ///
    /// There are too many posts.
    pub fn add(
        &mut self,
        url: &Url,
        origin: &PageOrigin,
        page_type: &str,
        records: &PageRecords,
    ) -> Result<(), TooManyPosts> {
        let first = self.known.found.len() as u64;
        let places: Vec<u64> = (first..first + records.posts.len() as u64).collect();
        self.known.records.add(origin, records, &places)?;
        let shown = self.shown.remove(url).unwrap_or_default();
        let texts: Vec<_> = records.posts.iter().map(|post| [Words::of(&post.text)]).collect();
        let verdicts = self.verdicts(&shown, records, &texts);
        let mut tally = PostTally { pages: 1, expected: shown.whole.len() as u64, ..PostTally::default() };
        let mut flaws = PageFlaws::new(url.as_str(), shown.whole.len());
        for (of, lacks) in &shown.whole {
            self.known.expected.insert(*of);
            for field in Field::ALL.into_iter().filter(|field| self.known.shows(*of, *field, lacks)) {
                tally.fields.entry(field).or_default().shown += 1;
            }
        }
        let on_page: Vec<_> = verdicts.iter().map(|verdict| verdict.right().map(|at| shown.whole[at].0)).collect();
        for (at, (post, verdict)) in records.posts.iter().zip(&verdicts).enumerate() {
            count(&mut tally, *verdict);
            let right = verdict.right().map(|at| &shown.whole[at]);
            match (verdict, right) {
                (_, Some((of, lacks))) => self.compare(post, *of, lacks, &mut tally, &mut flaws),
                (Verdict::Excerpt, None) => {}
                (_, None) => flaws.add_wrong(&post.text),
            }
            let is_index = matches!(post.parent, Some(ParentRef::Index(_)));
            self.known.found.push(Occurrence {
                page_type: page_type.to_owned(),
                is_excerpt: *verdict == Verdict::Excerpt,
                of: on_page[at],
                lacks: right.map(|(_, lacks)| lacks.clone()).unwrap_or_default(),
                id: post.id.clone(),
                url: post.url.clone(),
                thread: thread_of(post, records),
                parent: post.parent.clone(),
                on_page: if is_index { on_page.clone() } else { Vec::new() },
            });
        }
        for (of, _) in shown.whole.iter().filter(|(of, _)| !on_page.contains(&Some(*of))) {
            flaws.add_missed(&self.known.truth[*of]);
        }
        flaws.found = usize::try_from(tally.found).unwrap_or(usize::MAX);
        tally.perfect = u64::from(tally.right == tally.expected && tally.found == tally.expected);
        self.known.tallies.entry(page_type.to_owned()).or_default().add(&tally);
        if !flaws.is_empty() {
            self.pages.push(flaws);
        }
        Ok(())
    }

    /// Returns the scores of all pages, with at most so many of the worst.
    pub fn finish(mut self, worst: usize) -> PostScores {
        let site = score_site(&mut self.known);
        self.pages.sort_by_key(|page| std::cmp::Reverse(page.weight()));
        self.pages.truncate(worst);
        let mut all = PostTally::default();
        self.known.tallies.values().for_each(|tally| all.add(tally));
        PostScores { all, by_type: self.known.tallies, site, worst: self.pages }
    }

    fn verdicts(&self, shown: &PageTruth, records: &PageRecords, texts: &[[Words; 1]]) -> Vec<Verdict> {
        let found = records.posts.iter().zip(texts);
        let found: Vec<_> = found.map(|(post, texts)| Candidate { texts, author: post.author.as_deref() }).collect();
        let candidate =
            |of: usize| Candidate { texts: &self.known.readings[of], author: self.known.truth[of].author.as_deref() };
        let whole: Vec<_> = shown.whole.iter().map(|(of, _)| candidate(*of)).collect();
        let partial: Vec<_> = shown.partial.iter().map(|of| candidate(*of)).collect();
        judge(&found, &whole, &partial)
    }

    /// Compares the fields that need no other page. `of` is the number of the post, `lacking` the fields that the page
    /// lacks.
    fn compare(&self, post: &PagePost, of: usize, lacking: &[Field], tally: &mut PostTally, flaws: &mut PageFlaws) {
        let (truth, shows) = (&self.known.truth[of], |field| self.known.shows(of, field, lacking));
        if shows(Field::Author) {
            let is_right = post.author.as_deref().is_some_and(|author| is_same_name(author, truth.author.as_deref()));
            record(tally, Field::Author, post.author.is_some(), is_right);
            flaws
                .add_field(is_right, &truth.id, || Flaw::of("author", post.author.as_deref(), truth.author.as_deref()));
        }
        if let Some(time) = truth.time.filter(|_| shows(Field::Day)) {
            let TimeMatch { day, minute } =
                post.date.as_deref().map(|date| compare_times(date, time)).unwrap_or_default();
            record(tally, Field::Day, post.date.is_some(), day);
            let asks_minute = shows(Field::Minute);
            if asks_minute {
                record(tally, Field::Minute, post.date.is_some(), minute);
            }
            let shown = time.local.to_string();
            flaws.add_field(day && (minute || !asks_minute), &truth.id, || {
                Flaw::of("time", post.date.as_deref(), Some(&shown))
            });
        }
        if shows(Field::Url) {
            let is_right =
                post.url.as_deref().zip(truth.url.as_deref()).is_some_and(|(one, other)| is_same_url(one, other));
            record(tally, Field::Url, post.url.is_some(), is_right);
            flaws.add_field(is_right, &truth.id, || Flaw::of("url", post.url.as_deref(), truth.url.as_deref()));
        }
    }
}

fn count(tally: &mut PostTally, verdict: Verdict) {
    match verdict {
        Verdict::Excerpt => tally.excerpts += 1,
        Verdict::Wrong => tally.found += 1,
        Verdict::Pair { f1, .. } => {
            tally.found += 1;
            tally.paired += 1;
            tally.agreement += f1;
            tally.right += u64::from(verdict.right().is_some());
        }
    }
}

/// Compares names without regard to spaces. A found name may end in a mail address, as in `Ada <ada@example.org>`.
fn is_same_name(found: &str, truth: Option<&str>) -> bool {
    let name = match found.split_once('<') {
        Some((name, rest)) if rest.trim_end().ends_with('>') => name,
        _ => found,
    };
    truth.is_some_and(|truth| name.split_whitespace().eq(truth.split_whitespace()))
}

fn is_same_url(found: &str, truth: &str) -> bool {
    super::replies::plain(found) == super::replies::plain(truth)
}

/// Returns the address of the thread that a post is in, without a fragment.
fn thread_of(post: &PagePost, records: &PageRecords) -> Option<String> {
    let thread = post.thread.as_ref().or(records.thread.as_ref())?;
    let url = thread.url.as_deref()?;
    Some(super::replies::plain(url.split('#').next().unwrap_or_default()))
}
