//! Compares the frontier with a naive twin: a list that is searched linearly.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use harvestman_core::model::{Admission, PolicyRefusal};

fn host_number(item: &ScheduledUrl) -> u8 {
    (0..3).find(|host| self::host(*host) == item.url.host_key()).unwrap()
}

/// An operation on a frontier.
#[derive(Debug, Clone)]
enum Step {
    Push { host: u8, apath: u64, depth: u16 },
    Pop { host: u8 },
    End,
    Retry { after: u64 },
    PutBack { after: u64 },
    Pass { secs: u64 },
    Rescore { salt: u64 },
    Reclassify { salt: u64 },
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        12 => (0..3_u8, 0..7_u64, 0..4_u16).prop_map(|(host, apath, depth)| Step::Push { host, apath, depth }),
        9 => (0..3_u8).prop_map(|host| Step::Pop { host }),
        3 => Just(Step::End),
        3 => (0..20_u64).prop_map(|after| Step::Retry { after }),
        1 => (0..20_u64).prop_map(|after| Step::PutBack { after }),
        3 => (0..10_u64).prop_map(|secs| Step::Pass { secs }),
        3 => any::<u64>().prop_map(|salt| Step::Rescore { salt }),
        1 => any::<u64>().prop_map(|salt| Step::Reclassify { salt }),
    ]
}

/// Scores and curiosities with many ties, different for each salt.
struct Salted(u64);

impl Salted {
    fn draw(&self, class: LinkClass, of: u64) -> f64 {
        let mixed = (class.apath.0 + 1).wrapping_mul(self.0 | 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        ((mixed >> 32) % of) as f64
    }
}

impl ClassOrder for Salted {
    fn score(&self, class: LinkClass) -> f64 {
        self.draw(class, 3) - 1.0
    }

    fn curiosity(&self, class: LinkClass) -> f64 {
        self.draw(class, 7) - 3.0
    }
}

/// A new class that depends on all arguments of `readmit`.
fn new_class(salt: u64, class: LinkClass, url: &str, via: Option<&str>) -> LinkClass {
    let text = url.len() as u64 + url.bytes().map(u64::from).sum::<u64>() + via.map_or(0, str::len) as u64;
    LinkClass::unclassified(Apath((class.apath.0 + (text % 3) * salt) % 7))
}

struct Listed {
    item: ScheduledUrl,
    order: u64,
    retry: Option<Retry>,
}

/// When a URL may be retried: at a time, and when its host has yielded this many URLs that were not retries, or has
/// none.
#[derive(Clone, Copy)]
struct Retry {
    at: Instant,
    turn: u64,
}

#[derive(Default)]
struct Twin {
    waiting: Vec<Listed>,
    /// By host, the number of URLs taken that were not retries.
    taken: BTreeMap<u8, u64>,
}

impl Twin {
    /// Takes the URL that the rules select: the earliest due retry; otherwise a page to visit again if it is its turn;
    /// otherwise the head of the most curious class if it is its turn; otherwise the best head.
    fn pop(
        &mut self,
        host: u8,
        now: Instant,
        scores: &dyn ClassOrder,
        explore_every: u32,
    ) -> Option<(ScheduledUrl, u64)> {
        let key = self::host(host);
        let here = || self.waiting.iter().enumerate().filter(|(_, listed)| listed.item.url.host_key() == key);
        let is_alone = here().all(|(_, listed)| listed.retry.is_some());
        let taken = self.taken(host);
        let is_due = |retry: Retry| retry.at <= now && (is_alone || retry.turn <= taken);
        let due = here().filter(|(_, listed)| listed.retry.is_some_and(is_due));
        if let Some((at, _)) = due.min_by_key(|(at, listed)| (listed.retry.map(|retry| retry.at), *at)) {
            let listed = self.waiting.remove(at);
            return Some((listed.item, listed.order));
        }
        let fresh = || here().filter(|(_, listed)| listed.retry.is_none());
        let is_head = |a: &Listed| !fresh().any(|(_, b)| b.item.class == a.item.class && b.order < a.order);
        let mut heads: Vec<(usize, &Listed)> = fresh().filter(|(_, listed)| is_head(listed)).collect();
        heads.sort_by(|(_, a), (_, b)| {
            let by_score = scores.score(b.item.class).total_cmp(&scores.score(a.item.class));
            by_score.then(a.item.depth.cmp(&b.item.depth)).then(a.order.cmp(&b.order))
        });
        let mut at = heads.first()?.0;
        let taken = self.taken.entry(host).or_default();
        *taken += 1;
        let visit = heads.iter().find(|(_, listed)| listed.item.class == LinkClass::REVISIT);
        if let Some((visit, _)) = visit.filter(|_| *taken % 2 == 1) {
            at = *visit;
        } else if taken.is_multiple_of(u64::from(explore_every)) {
            let mut most = 0.0;
            for (head, listed) in heads {
                let curiosity = scores.curiosity(listed.item.class);
                if curiosity > most {
                    (most, at) = (curiosity, head);
                }
            }
        }
        let listed = self.waiting.remove(at);
        Some((listed.item, listed.order))
    }

    fn taken(&self, host: u8) -> u64 {
        self.taken.get(&host).copied().unwrap_or_default()
    }

    fn wait_again(&mut self, item: ScheduledUrl, order: u64, retry: Retry) {
        self.waiting.push(Listed { item, order, retry: Some(retry) });
    }

    fn waiting_at(&self, host: u8, class: LinkClass) -> usize {
        let there = |listed: &&Listed| listed.item.url.host_key() == self::host(host) && listed.item.class == class;
        self.waiting.iter().filter(there).filter(|listed| listed.retry.is_none()).count()
    }
}

proptest! {
    #[test]
    fn the_frontier_behaves_like_a_linearly_searched_list(
        steps in prop::collection::vec(step(), 1..200),
        explore_every in 0..4_u32,
    ) {
        let mut scores: Arc<dyn ClassOrder> = Arc::new(Salted(1));
        let mut frontier = Frontier::new(NO_LIMITS, Arc::clone(&scores)).exploring(explore_every);
        let mut twin = Twin::default();
        let mut leases: Vec<(Lease, u64)> = Vec::new();
        let (mut now, mut pushed) = (at(0), 0_u64);
        for step in steps {
            match step {
                Step::Push { host, apath, depth } => {
                    pushed += 1;
                    let item = item(host, pushed as u32, apath, depth);
                    frontier.push(&item).unwrap();
                    twin.waiting.push(Listed { item, order: pushed, retry: None });
                }
                Step::Pop { host } => {
                    let ready = frontier.best(&self::host(host), now).map(|_| ());
                    let lease = frontier.pop(&self::host(host), now);
                    prop_assert_eq!(ready, lease.as_ref().map(|_| ()).map_err(|why| *why));
                    let expected = twin.pop(host, now, &*scores, explore_every);
                    prop_assert_eq!(lease.as_ref().ok().map(|lease| &lease.item), expected.as_ref().map(|(item, _)| item));
                    leases.extend(lease.ok().zip(expected.map(|(_, order)| order)));
                }
                Step::End => if let Some((lease, _)) = leases.pop() {
                    prop_assert!(frontier.end(lease.id).is_some());
                },
                Step::Retry { after } => if let Some((lease, order)) = leases.pop() {
                    let not_before = now + Duration::from_secs(after);
                    prop_assert!(frontier.retry(&lease, not_before).is_some());
                    let turn = twin.taken(host_number(&lease.item)) + 16;
                    twin.wait_again(lease.item, order, Retry { at: not_before, turn });
                },
                Step::PutBack { after } => if let Some((lease, order)) = leases.pop() {
                    let not_before = now + Duration::from_secs(after);
                    prop_assert!(frontier.put_back(&lease, not_before).is_some());
                    twin.wait_again(lease.item, order, Retry { at: not_before, turn: 0 });
                },
                Step::Pass { secs } => now = now + Duration::from_secs(secs),
                Step::Rescore { salt } => {
                    scores = Arc::new(Salted(salt));
                    frontier.set_order(Arc::clone(&scores));
                }
                Step::Reclassify { salt } => {
                    let salt = salt % 4;
                    let new_class = |class, url: &str, via: Option<&str>| {
                        let class = new_class(salt, class, url, via);
                        let goes = salt == 3 && url.bytes().map(u32::from).sum::<u32>() % 5 == 0;
                        if goes { Admission::Reject(PolicyRefusal::StructureTrap) } else { class.into() }
                    };
                    let mut gone: Vec<_> = frontier.reclassify(&anew, &new_class).iter().map(|gone| gone.url).collect();
                    let mut expected = Vec::new();
                    twin.waiting.retain_mut(|Listed { item, .. }| {
                        match new_class(item.class, item.url.as_str(), item.via.as_deref()) {
                            Admission::Reject(_) => {
                                expected.push(item.url.fingerprint());
                                return false;
                            }
                            Admission::Queue(class, _) if item.class != LinkClass::REVISIT => item.class = class,
                            Admission::Queue(..) => {}
                        }
                        true
                    });
                    gone.sort_unstable();
                    expected.sort_unstable();
                    prop_assert_eq!(gone, expected);
                }
            }
            prop_assert_eq!(frontier.queued() as usize, twin.waiting.len());
            prop_assert_eq!(frontier.leased(), leases.len());
            for class in (0..7).map(|apath| LinkClass::unclassified(Apath(apath))) {
                let expected: Vec<usize> = (0..3).map(|host| twin.waiting_at(host, class)).collect();
                let found: Vec<usize> = (0..3).map(|host| frontier.waiting_at(&self::host(host), class)).collect();
                prop_assert_eq!(frontier.waiting_in(class), expected.iter().sum::<usize>());
                prop_assert_eq!(found, expected);
            }
        }
        // Nothing is lost: in the end everything comes out, in the same order.
        for host in 0..3 {
            let rest = std::iter::from_fn(|| frontier.pop(&self::host(host), at(1_000_000)).ok()).map(|lease| lease.item);
            let rest: Vec<ScheduledUrl> = rest.collect();
            let expected = std::iter::from_fn(|| twin.pop(host, at(1_000_000), &*scores, explore_every));
            prop_assert_eq!(rest, expected.map(|(item, _)| item).collect::<Vec<_>>());
        }
        prop_assert_eq!((frontier.queued(), twin.waiting.len()), (0, 0));
    }
}
