//! Links as found on different kinds of sites.

use std::sync::Arc;

use proptest::prelude::*;
use rand::Rng as _;

use crate::{FinishedUrl, LogEntry, Partition, Partitions};
use harvestman_core::model::{
    Apath, ClusterId, Failure, Fate, Ledger, LinkClass, PatternId, Priority, ProgressRecord, ScheduledUrl, UrlPattern,
};
use harvestman_core::seed::{Rng, Seed};
use harvestman_core::url::{CanonicalUrl, HostKey};

/// The style of the URLs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Topics with slugs and numbers, on twenty hosts.
    Forum,
    /// Questions, answers and users, on five hosts.
    Questions,
    /// Posts by date and slug, on five hundred hosts.
    Blogs,
    /// Videos and images with incompressible ids, on forty hosts.
    Ids,
    /// A mix of all styles.
    Mixed,
}

impl Shape {
    pub(crate) const ALL: [Self; 5] = [Self::Forum, Self::Questions, Self::Blogs, Self::Ids, Self::Mixed];
}

/// A slug of words that are drawn uniformly, as titles of simulated sites: harder to compress than any language.
fn slug(rng: &mut Rng) -> String {
    const ONSETS: [&str; 16] = ["b", "br", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "st", "t", "v", "z"];
    const NUCLEI: [&str; 8] = ["a", "e", "i", "o", "u", "ai", "ea", "ou"];
    const CODAS: [&str; 8] = ["", "", "", "l", "n", "r", "s", "t"];
    let word = |rng: &mut Rng| {
        let mut letters = Seed(rng.random_range(0..2_048)).rng();
        let mut word = String::new();
        for _ in 0..2 {
            word.push_str(ONSETS[letters.random_range(0..ONSETS.len())]);
            word.push_str(NUCLEI[letters.random_range(0..NUCLEI.len())]);
            word.push_str(CODAS[letters.random_range(0..CODAS.len())]);
        }
        word
    };
    let count = rng.random_range(3..=6);
    (0..count).map(|_| word(rng)).collect::<Vec<_>>().join("-")
}

/// A URL, and its kind within the site.
fn url(shape: Shape, rng: &mut Rng) -> (String, u64) {
    let kind = rng.random_range(0..4_u64);
    let number = rng.random_range(1..200_000);
    let host = |rng: &mut Rng, count: u32| format!("http://h{:03}.localhost:8080", rng.random_range(0..count));
    let text = match shape {
        Shape::Forum => match kind {
            0 => format!("{}/members/{}.{number}/", host(rng, 20), slug(rng).split('-').next().unwrap()),
            1 => format!("{}/threads/{}.{number}/page-{}", host(rng, 20), slug(rng), rng.random_range(2..30)),
            _ => format!("{}/threads/{}.{number}/", host(rng, 20), slug(rng)),
        },
        Shape::Questions => match kind {
            0 => format!("{}/users/{number}/{}", host(rng, 5), slug(rng).split('-').next().unwrap()),
            1 => format!("{}/a/{number}", host(rng, 5)),
            _ => format!("{}/questions/{number}/{}", host(rng, 5), slug(rng)),
        },
        Shape::Blogs => match kind {
            0 => format!("{}/tag/{}/", host(rng, 500), slug(rng).split('-').next().unwrap()),
            1 => format!("{}/", host(rng, 500)),
            _ => {
                let (year, month) = (rng.random_range(2018..2027), rng.random_range(1..13));
                format!("{}/{year}/{month:02}/{}/", host(rng, 500), slug(rng))
            }
        },
        Shape::Ids => match kind {
            0 => format!("{}/watch?v={:011x}", host(rng, 40), rng.random::<u64>() >> 20),
            _ => format!("{}/media/{:016x}", host(rng, 40), rng.random::<u64>()),
        },
        Shape::Mixed => {
            let one = [Shape::Forum, Shape::Questions, Shape::Blogs, Shape::Ids][rng.random_range(0..4)];
            let (text, kind) = url(one, rng);
            return (text, kind + 4 * one as u64);
        }
    };
    (text, kind)
}

/// Links as found on pages: one to six per page, at a few places of a few kinds of pages.
pub(crate) fn links_of(shape: Shape, count: usize, seed: u64) -> Vec<ScheduledUrl> {
    let mut rng = Seed(seed).child("links").rng();
    let mut links = Vec::new();
    while links.len() < count {
        let (via, cluster) = url(shape, &mut rng);
        let (via, depth) = (Arc::<str>::from(via), rng.random_range(1..9));
        for _ in 0..rng.random_range(1..=6).min(count - links.len()) {
            let (text, kind) = url(shape, &mut rng);
            let place = rng.random_range(0..3_u64);
            let hash = |name: &str, number: u64| Seed(number).child(name).0;
            let coarse = hash("pattern", kind);
            let fine = if text.contains('?') { hash("fine", kind) } else { coarse };
            let pattern = UrlPattern { coarse: PatternId(coarse), fine: PatternId(fine) };
            let class = LinkClass::at(ClusterId(cluster as u32 + 1), Apath(hash("place", cluster * 3 + place)));
            links.push(ScheduledUrl {
                url: CanonicalUrl::from_canonical(text),
                class: class.with_pattern(pattern),
                priority: Priority::Normal,
                depth,
                redirects: 0,
                attempts: 0,
                via: Some(via.clone()),
            });
        }
    }
    links
}

/// A link of which only the URL matters.
pub(crate) fn scheduled(url: &str) -> ScheduledUrl {
    ScheduledUrl { attempts: 0, ..ScheduledUrl::errand(CanonicalUrl::from_canonical(url)) }
}

/// Few partitions, so that histories overlap.
pub(crate) fn partitions() -> Partitions {
    Partitions::new(4, 2)
}

fn hosts() -> impl Strategy<Value = HostKey> {
    (0..6_u8).prop_map(|number| HostKey::from_origin(&format!("http://h{number}.localhost:8080")))
}

fn urls() -> impl Strategy<Value = CanonicalUrl> {
    (hosts(), 0..4_u8).prop_map(|(host, number)| host.url(&format!("/{number}")))
}

fn items() -> impl Strategy<Value = ScheduledUrl> {
    let class = (0..3_u32, 0..3_u64, 0..3_u64).prop_map(|(cluster, apath, pattern)| {
        let pattern = UrlPattern { coarse: PatternId(pattern), fine: PatternId(pattern * 7) };
        LinkClass::at(ClusterId(cluster), Apath(apath)).with_pattern(pattern)
    });
    let via = prop::option::of("[aä/]{0,4}").prop_map(|via| via.map(Arc::from));
    (urls(), class, any::<u16>(), any::<(u8, u8)>(), via).prop_map(|(url, class, depth, (redirects, attempts), via)| {
        ScheduledUrl { url, class, priority: Priority::Normal, depth, redirects, attempts, via }
    })
}

fn ends() -> impl Strategy<Value = FinishedUrl> {
    let fates = prop_oneof![Just(Fate::Fetched), Just(Fate::Failed(Failure::Http(404))), Just(Fate::Duplicate)];
    (urls(), fates).prop_map(|(url, fate)| FinishedUrl {
        partition: partitions().of(&url.host_key()),
        url: url.fingerprint(),
        fate,
    })
}

fn notes() -> impl Strategy<Value = ProgressRecord> {
    prop_oneof![
        (hosts(), 0..9_u64).prop_map(|(host, count)| ProgressRecord::Admitted(host, count)),
        (urls(), 0..3_u32).prop_map(|(url, nesting)| ProgressRecord::SitemapFound(url.as_str().to_owned(), nesting)),
        urls().prop_map(|url| ProgressRecord::SitemapRead(url.as_str().to_owned())),
        (hosts(), any::<[u8; 2]>()).prop_map(|(host, record)| ProgressRecord::Robots(host, record.to_vec())),
    ]
}

/// An entry of a few hosts and URLs that other entries share.
pub(crate) fn entry() -> impl Strategy<Value = LogEntry> {
    let content = (
        prop::collection::vec(items(), 0..5),
        prop::collection::vec(ends(), 0..3),
        prop::collection::vec((hosts(), any::<[u8; 2]>().prop_map(|record| record.to_vec())), 0..3),
        prop::collection::vec(notes(), 0..3),
    );
    let some = || prop_oneof![3 => Just(Vec::new()), 1 => prop::collection::vec((0..4_u16).prop_map(Partition), 1..3)];
    let marks = (some(), some(), prop::collection::vec(0..50_u64, 0..3), any::<u32>());
    (content, marks).prop_map(|((waiting, ended, hosts, notes), (taken, released, positions, bytes))| {
        let mut ledger = Ledger::default();
        ledger.request(bytes.into());
        LogEntry { waiting, ended, hosts, notes, taken, released, positions, ledger }
    })
}

/// A history of entries.
pub(crate) fn entries(most: usize) -> impl Strategy<Value = Vec<LogEntry>> {
    prop::collection::vec(entry(), 0..=most)
}
