//! The slow way to find out which posts are the same: every post is compared with every other one, by its text.

use jiff::Timestamp;
use proptest::prelude::*;

use super::super::grouping::group;
use super::super::moment::Moment;
use super::super::order::sort;
use super::super::prints::{Names, STARTS, plain};
use super::super::sighting::{SeenPage, Sighting};
use super::super::threads::ThreadSets;
use super::*;
use crate::records::{PageThread, PageUser, ParentRef, PostSource};

const TEXTS: [&str; 7] = [
    "+1",
    "thanks",
    "a text of some length that many",
    "a text of some length that many people write, again and again, until it is long enough to be sure",
    "a text of some length that many people write, again and again, until it is long enough to be sure. And more of it.",
    "a text of some length …",
    "a text of some length that many people write, again and again, until it …",
];

const URLS: [&str; 7] = [
    "http://h/t/1",
    "http://h/t/1?page=2",
    "http://h/t/1/reply",
    "http://h/t/2",
    "http://h/t/02",
    "http://h/t/2?p=2",
    "http://h/u/1",
];

/// Pages of posts that share much: identifiers, authors, texts, times.
pub(super) fn any_pages() -> impl Strategy<Value = Vec<OriginAndRecords>> {
    prop::collection::vec(any_page(), 1..12)
}

fn any_page() -> impl Strategy<Value = OriginAndRecords> {
    let url = prop::sample::select(URLS.to_vec());
    let head = (maybe(&["One", "Two"], 0.5), maybe(&URLS, 0.1), maybe(&URLS, 0.1), maybe(&URLS, 0.1));
    let head = head.prop_map(|(title, canonical, next, prev)| PageNeighbours { title, canonical, next, prev });
    let cluster = prop::option::weighted(0.2, 0..2_u32);
    let users = prop::collection::vec(any_user(), 0..2);
    let records = (prop::collection::vec(any_post(), 0..5), prop::option::weighted(0.2, any_thread()), users);
    let records =
        records.prop_map(|(posts, thread, users)| PageRecords { posts, thread, users, ..PageRecords::default() });
    (url, 0_i64..6, head, cluster, records).prop_map(|(url, day, head, cluster, records)| {
        let crawl_time = Timestamp::from_second(1_700_000_000 + day * 86_400).unwrap();
        let origin = PageOrigin {
            url: url.to_owned(),
            crawl_time,
            head,
            cluster,
            warc_offset: Some(day as u64),
            ..PageOrigin::default()
        };
        (origin, records)
    })
}

fn maybe(among: &[&'static str], probability: f64) -> impl Strategy<Value = Option<String>> + use<> {
    prop::option::weighted(probability, prop::sample::select(among.to_vec()).prop_map(str::to_owned))
}

fn any_thread() -> impl Strategy<Value = PageThread> {
    (maybe(&URLS, 0.5), maybe(&["One", "Two"], 0.5), prop::collection::vec("[ab]", 0..2))
        .prop_map(|(url, title, forums)| PageThread { url, title, forums, ..PageThread::default() })
}

fn any_user() -> impl Strategy<Value = PageUser> {
    (maybe(&["http://h/u/ann", "http://h/u/bob"], 0.5), "ann|bob", prop::option::of(1..9_u64))
        .prop_map(|(url, name, posts)| PageUser { url, name, posts, ..PageUser::default() })
}

fn any_post() -> impl Strategy<Value = PagePost> {
    let id = prop::option::weighted(0.3, prop::sample::select(vec!["1", "2", "3"]));
    let url = prop::option::weighted(0.2, prop::sample::select(vec!["http://h/p/1", "http://h/t/1#p2"]));
    let author = prop::option::weighted(0.8, prop::sample::select(vec!["ann", "bob"]));
    let dates = ["2026-01-01T10:00", "2026-01-01T11:00:07", "2026-01-01", "2026-01-02", "2026-02-02T10:00"];
    let date = prop::option::weighted(0.8, prop::sample::select(dates.to_vec()));
    let parent = prop::option::weighted(
        0.3,
        prop_oneof![
            Just(ParentRef::Id("1".to_owned())),
            (0_usize..5).prop_map(ParentRef::Index),
            Just(ParentRef::Quote { author: Some("ann".to_owned()), text: "some length".to_owned() }),
        ],
    );
    let text = prop::sample::select(TEXTS.to_vec());
    let author_url = maybe(&["http://h/u/ann", "http://h/u/bob"], 0.2);
    let of = (author, author_url, prop::option::weighted(0.1, any_thread()));
    let source = prop_oneof![4 => Just(PostSource::Template), 1 => Just(PostSource::Feed)];
    ((id, url, date), of, (parent, text, 0..3_u8, source)).prop_map(
        |((id, url, date), (author, author_url, thread), (parent, text, sure, source))| PagePost {
            id: id.map(str::to_owned),
            url: url.map(str::to_owned),
            author: author.map(str::to_owned),
            author_url,
            thread,
            date: date.map(str::to_owned),
            parent,
            text: text.to_owned(),
            source,
            confidence: f64::from(sure) / 2.0,
            ..PagePost::default()
        },
    )
}

/// Panics unless both ways find the same sets.
pub(super) fn check(pages: &[OriginAndRecords]) {
    let (mut collected, mut stored) = collect(pages);
    sort(&mut collected);
    let mut threads = ThreadSets::of(&collected);
    let fast = group(&mut collected.sightings, &collected.pages, &collected.names, &mut threads);
    let sightings = &collected.sightings;
    let texts = sightings.iter().map(|sighting| plain(&stored.post(sighting.place).unwrap().text)).collect();
    let of_threads = sightings.iter().map(|sighting| threads.find(sighting.thread)).collect();
    let mut naive = Naive {
        sightings,
        pages: &collected.pages,
        names: &collected.names,
        texts,
        threads: of_threads,
        labels: (0..sightings.len()).collect(),
    };
    naive.run();
    assert_eq!(fast, naive.labels.iter().map(|label| *label as u32).collect::<Vec<_>>());
}

/// A way to tell from two posts whether they are the same.
type IsSame = fn(&Naive<'_>, usize, usize) -> bool;

struct Naive<'s> {
    sightings: &'s [Sighting],
    pages: &'s [SeenPage],
    names: &'s Names,
    texts: Vec<String>,
    threads: Vec<u32>,
    /// For each sighting the first that is the same post.
    labels: Vec<usize>,
}

impl Naive<'_> {
    fn run(&mut self) {
        for one in 0..self.labels.len() {
            for other in 0..one {
                let (a, b) = (&self.sightings[one], &self.sightings[other]);
                if (a.id != 0 && a.id == b.id) || (a.url != 0 && a.url == b.url) {
                    self.relabel(one, other);
                }
            }
        }
        self.join_alike(same_time);
        self.join_alike(same_thread);
        self.join_alike(same_page);
        self.join_short_texts();
        self.join_unnamed();
        let alone: Vec<usize> = (0..self.labels.len()).filter(|at| self.is_waiting(*at)).collect();
        let best: Vec<_> = alone.iter().map(|at| self.best_text(*at)).collect();
        for (excerpt, text) in alone.iter().zip(best) {
            if let Some(text) = text {
                self.join(*excerpt, text);
            }
        }
        let keyed = |naive: &Self, one: usize, other: usize| {
            let (a, b) = (&naive.sightings[one], &naive.sightings[other]);
            alone.contains(&one)
                && alone.contains(&other)
                && a.author == b.author
                && a.author != 0
                && is_exact(a)
                && a.moment == b.moment
                && naive.start(one, 0) == naive.start(other, 0)
        };
        self.join_by(&keyed);
        self.join_revisions();
    }

    fn relabel(&mut self, one: usize, other: usize) {
        let (one, other) = (self.labels[one], self.labels[other]);
        self.labels.iter_mut().filter(|label| **label == one.max(other)).for_each(|label| *label = one.min(other));
    }

    fn is_identified(&self, at: usize) -> bool {
        let is_set = |other: &usize| self.labels[*other] == self.labels[at];
        (0..self.labels.len())
            .filter(is_set)
            .map(|other| &self.sightings[other])
            .any(|it| (it.id != 0 || it.url != 0) && !it.is_excerpt && !it.is_feed)
    }

    fn join(&mut self, one: usize, other: usize) {
        if !(self.is_identified(one) && self.is_identified(other)) {
            self.relabel(one, other);
        }
    }

    fn start(&self, at: usize, start: usize) -> Option<String> {
        let start: String = self.texts[at].chars().take(STARTS[start]).collect::<String>();
        (self.texts[at].chars().count() >= start.chars().count()).then_some(start)
    }

    fn length(&self, at: usize) -> usize {
        self.texts[at].chars().count()
    }

    /// The number of posts with its author and text before it on its page.
    fn number(&self, at: usize) -> usize {
        let is_alike = |other: &usize| {
            let (a, b) = (&self.sightings[at], &self.sightings[*other]);
            a.page == b.page && a.author == b.author && a.prints.whole == b.prints.whole
        };
        (0..at).filter(is_alike).count()
    }

    fn join_alike(&mut self, is_same: IsSame) {
        let is_alike = |naive: &Self, one: usize, other: usize| {
            let (a, b) = (&naive.sightings[one], &naive.sightings[other]);
            naive.texts[one] == naive.texts[other]
                && a.author == b.author
                && naive.number(one) == naive.number(other)
                && is_same(naive, one, other)
        };
        self.join_by(&is_alike);
    }

    /// Joins those that are alike and near in time.
    fn join_by(&mut self, is_alike: &dyn Fn(&Self, usize, usize) -> bool) {
        let count = self.labels.len();
        let mut runs: Vec<Vec<usize>> = Vec::new();
        for first in 0..count {
            if !is_alike(self, first, first) || (0..first).any(|before| is_alike(self, before, first)) {
                continue;
            }
            let mut alike: Vec<usize> = (first..count).filter(|at| is_alike(self, first, *at)).collect();
            alike.sort_by_key(|at| (self.sightings[*at].moment.map(|moment| moment.seconds), *at));
            let near = |one: &usize, other: &usize| {
                Moment::may_be_one(self.sightings[*one].moment, self.sightings[*other].moment)
            };
            runs.extend(alike.chunk_by(near).filter(|run| run.len() > 1).map(|run| {
                let mut run = run.to_vec();
                run.sort_unstable();
                run
            }));
        }
        runs.sort();
        for run in runs {
            let target = run.iter().copied().find(|at| self.is_identified(*at)).unwrap_or(run[0]);
            run.iter().for_each(|at| self.join(target, *at));
        }
    }

    /// Joins equal short texts by one author at one time, of which one is on a page that shows the other's thread, or
    /// one author only.
    fn join_short_texts(&mut self) {
        let is_short = |at: &usize| {
            let it = &self.sightings[*at];
            it.author != 0 && !it.is_excerpt && is_exact(it) && self.length(*at) < 24
        };
        let page = |at: usize| self.on(self.sightings[at].page as usize);
        let is_of_one = |at: usize| {
            let posts = page(at);
            posts.len() > 1 && posts.iter().all(|other| self.sightings[*other].author == self.sightings[at].author)
        };
        let shows = |at: usize, other: usize| {
            let thread = self.threads[other];
            let is_in = |of: &usize| self.threads[*of] == thread;
            let of_thread: HashSet<usize> = (0..self.labels.len()).filter(is_in).map(|of| self.labels[of]).collect();
            thread != 0 && page(at).iter().any(|of| of_thread.contains(&self.labels[*of]))
        };
        let is_within = |at: usize, other: usize| {
            let page = self.pages[self.sightings[at].page as usize].base;
            let (address, thread) = (self.names.text(page), self.names.text(self.sightings[other].thread));
            let parts = |url: &str| url.trim_end_matches('/').split('/').map(str::to_owned).collect::<Vec<_>>();
            let (address, thread) = (parts(address), parts(thread));
            thread.len() > 3 && address.len() > thread.len() && address[..thread.len()] == thread
        };
        let is_alike = |one: usize, other: usize| {
            let (a, b) = (&self.sightings[one], &self.sightings[other]);
            let seconds = |it: &Sighting| it.moment.map(|moment| moment.seconds);
            let is_like = |it: &Sighting, b: &Sighting| {
                it.author == b.author && seconds(it) == seconds(b) && it.prints.whole == b.prints.whole
            };
            let number = |at: usize| {
                let it = &self.sightings[at];
                let before = page(at).into_iter().filter(|of| *of < at);
                before.filter(|of| is_exact(&self.sightings[*of]) && is_like(&self.sightings[*of], it)).count()
            };
            is_like(a, b) && number(one) == number(other)
        };
        let short: Vec<usize> = (0..self.labels.len()).filter(is_short).collect();
        let mut pairs = Vec::new();
        for one in short.iter().copied() {
            let mut before = short.iter().copied().filter(|other| *other < one && is_alike(one, *other));
            let is_near = |at: usize, other: usize| is_of_one(at) || shows(at, other) || is_within(at, other);
            let other = before.find(|other| is_near(one, *other) || is_near(*other, one));
            pairs.extend(other.map(|other| (one, other)));
        }
        pairs.into_iter().for_each(|(one, other)| self.join(one, other));
    }

    /// Joins posts without an author to those with one.
    fn join_unnamed(&mut self) {
        let count = self.labels.len();
        let has_name = |of: &Self, at: usize| {
            (0..count).any(|other| of.labels[other] == of.labels[at] && is_whole(&of.sightings[other]))
        };
        let unnamed = |at: &usize| !has_name(self, *at);
        let unnamed: Vec<usize> = (0..count).filter(unnamed).collect();
        let best = |at: usize| {
            let one = &self.sightings[at];
            let is_linked = |it: &Sighting| one.url_base != 0 && one.url_base == self.pages[it.page as usize].base;
            let fits = |other: &usize| {
                let it = &self.sightings[*other];
                let seconds = one.moment.zip(it.moment).map(|(one, it)| (one.seconds - it.seconds).abs());
                let is_second = self.threads[at] != 0
                    && self.threads[at] == self.threads[*other]
                    && seconds == Some(0)
                    && one.moment.is_some_and(|moment| moment.seconds % 60 != 0);
                let is_alike = is_second || self.is_listed(at, *other) || self.have_one_text(at, *other);
                let is_minute = self.texts[at] == self.texts[*other] || seconds < Some(60);
                let may_be_one = is_minute && Moment::may_be_one(one.moment, it.moment);
                let same_time = one.moment.zip(it.moment).is_some_and(|(one, it)| one.seconds == it.seconds);
                (is_whole(it) && it.page != one.page && is_alike)
                    && (is_exact(one)
                        && it.moment.is_some()
                        && (self.length(at) >= 24 || is_linked(it) || is_second || self.is_listed(at, *other)))
                    && (same_time || (one.author == 0 && may_be_one))
                    && (one.id == 0 || it.id == 0 || one.id == it.id || one.is_feed != it.is_feed)
            };
            let distance = |other: &usize| {
                let seconds = |at: usize| self.sightings[at].moment.map_or(0, |moment| moment.seconds);
                (seconds(at) - seconds(*other)).abs()
            };
            (0..count).filter(fits).min_by_key(|other| (!self.have_one_text(at, *other), distance(other)))
        };
        let pairs: Vec<_> = unnamed.into_iter().filter_map(|at| Some((at, best(at)?))).collect();
        pairs.into_iter().for_each(|(one, other)| self.join(one, other));
    }

    fn have_one_text(&self, at: usize, other: usize) -> bool {
        let is_long = self.length(at).min(self.length(other)) >= 64;
        self.texts[at] == self.texts[other] || (is_long && self.start(at, 1) == self.start(other, 1))
    }

    /// Whether a feed has one entry for a thread, at the minute of a post in it.
    fn is_listed(&self, at: usize, other: usize) -> bool {
        let (entry, thread) = (&self.sightings[at], self.threads[at]);
        let is_entry = |of: &usize| self.sightings[*of].is_feed && self.threads[*of] == thread;
        let entries = self.on(entry.page as usize).into_iter().filter(is_entry).count();
        let minute = |at: usize| self.sightings[at].moment.map(|moment| moment.seconds.div_euclid(60));
        let is_one = thread != 0 && thread == self.threads[other] && minute(at) == minute(other);
        is_one && entry.is_feed && entries == 1
    }

    fn is_waiting(&self, at: usize) -> bool {
        let excerpt = &self.sightings[at];
        let length = self.length(at);
        let is_long = length >= STARTS[1] || (excerpt.author != 0 && length >= STARTS[0]);
        excerpt.is_excerpt && !self.is_identified(at) && is_long
    }

    fn best_text(&self, excerpt: usize) -> Option<usize> {
        let short = &self.sightings[excerpt];
        let start = STARTS.iter().rposition(|start| self.length(excerpt) >= *start)?;
        let fits = |at: &usize| {
            let long = &self.sightings[*at];
            !long.is_excerpt
                && (short.author == 0 || short.author == long.author)
                && self.length(*at) >= self.length(excerpt)
                && self.start(*at, start) == self.start(excerpt, start)
                && Moment::may_be_one(short.moment, long.moment)
                && (short.id == 0 || long.id == 0 || short.id == long.id || short.is_feed != long.is_feed)
        };
        let distance = |at: &usize| {
            let moments = short.moment.zip(self.sightings[*at].moment);
            moments.map_or(i64::MAX, |(one, other)| (one.seconds - other.seconds).abs())
        };
        (0..self.labels.len()).filter(fits).min_by_key(distance)
    }

    fn join_revisions(&mut self) {
        for later in 1..self.pages.len() {
            if self.pages[later].url != self.pages[later - 1].url {
                continue;
            }
            let (before, after) = (self.only_on(later - 1, later), self.only_on(later, later - 1));
            let key = |at: usize| (self.sightings[at].author, self.sightings[at].moment);
            let single = |among: &[usize], at: usize| among.iter().filter(|other| key(**other) == key(at)).count() == 1;
            let mut pairs: Vec<(usize, usize)> = Vec::new();
            for one in before.iter().copied().filter(|at| key(*at).0 != 0 && is_exact(&self.sightings[*at])) {
                for other in after.iter().copied().filter(|other| key(*other) == key(one)) {
                    if single(&before, one) && single(&after, other) {
                        pairs.push((one, other));
                    }
                }
            }
            pairs.sort_unstable();
            pairs.into_iter().for_each(|(one, other)| self.join(one, other));
        }
    }

    fn on(&self, page: usize) -> Vec<usize> {
        (0..self.labels.len()).filter(|at| self.sightings[*at].page as usize == page).collect()
    }

    /// The posts of a page that are not on the other one.
    fn only_on(&self, page: usize, other: usize) -> Vec<usize> {
        let others: HashSet<usize> = self.on(other).into_iter().map(|at| self.labels[at]).collect();
        self.on(page).into_iter().filter(|at| !others.contains(&self.labels[*at])).collect()
    }
}

fn is_whole(sighting: &Sighting) -> bool {
    sighting.author != 0 && !sighting.is_excerpt
}

fn is_exact(sighting: &Sighting) -> bool {
    sighting.moment.is_some_and(|moment| moment.is_exact)
}

fn same_time(naive: &Naive<'_>, one: usize, other: usize) -> bool {
    let (a, b) = (&naive.sightings[one], &naive.sightings[other]);
    let is_short = naive.length(one) < 24;
    is_exact(a) && a.author != 0 && a.moment == b.moment && (!is_short || naive.threads[one] == naive.threads[other])
}

fn same_thread(naive: &Naive<'_>, one: usize, other: usize) -> bool {
    let thread = naive.threads[one];
    thread != 0 && thread == naive.threads[other] && naive.length(one) >= 64
}

fn same_page(naive: &Naive<'_>, one: usize, other: usize) -> bool {
    let url = |at: usize| naive.pages[naive.sightings[at].page as usize].url;
    url(one) == url(other)
}
