//! A columnar encoding of links, in which common values are stored once.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use foldhash::fast::FixedState;
use serde::{Deserialize, Serialize};

use super::strings::Strings;
use harvestman_core::model::{Apath, LinkClass, PatternId, QueueKey, ScheduledUrl, UrlPattern};
use harvestman_core::url::CanonicalUrl;

/// Bytes of a hash.
const HASH: usize = 8;

/// Links without the hashes of their classes, which are incompressible and stored separately.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct Links<'a> {
    /// The number of hashes.
    hashes: u32,
    classes: Vec<WireClass>,
    /// The pages that the links were found on.
    #[serde(borrow)]
    vias: Strings<'a>,
    /// The index of each link's class.
    class: Vec<u32>,
    /// The number of each link's page, counted from 1; 0: none.
    via: Vec<u32>,
    /// The depth of the first link of each page; the first entry is for links without a page.
    via_depth: Vec<u16>,
    /// The depth of each link relative to the first link of its page: usually 0.
    deeper: Vec<u16>,
    redirects: Vec<u8>,
    attempts: Vec<u8>,
    #[serde(borrow)]
    urls: Strings<'a>,
}

/// A link class; hashes are given by their index.
#[derive(Serialize, Deserialize)]
struct WireClass {
    /// With flags for priority and probe.
    cluster: u32,
    apath: u32,
    coarse: u32,
    fine: u32,
}

/// Numbers distinct values in order of appearance.
struct Numbered<T> {
    numbers: HashMap<T, u32, FixedState>,
    values: Vec<T>,
}

impl<T: Copy + Eq + Hash> Numbered<T> {
    fn new() -> Self {
        Self { numbers: HashMap::default(), values: Vec::new() }
    }

    fn number(&mut self, value: T) -> u32 {
        *self.numbers.entry(value).or_insert_with(|| {
            self.values.push(value);
            self.values.len() as u32 - 1
        })
    }
}

impl Links<'_> {
    /// Encodes links, in their order. The hashes are appended to `raw`.
    pub(super) fn of(items: &[&ScheduledUrl], raw: &mut Vec<u8>) -> Self {
        let mut links = Self::default();
        let mut classes = Numbered::new();
        links.class = items.iter().map(|item| classes.number(item.queue())).collect();
        let mut hashes = Numbered::new();
        for queue in &classes.values {
            let LinkClass { apath, .. } = queue.class;
            let pattern = queue.class.stored_pattern();
            let [apath, coarse, fine] = [apath.0, pattern.coarse.0, pattern.fine.0].map(|hash| hashes.number(hash));
            links.classes.push(WireClass { cluster: queue.stored_cluster(), apath, coarse, fine });
        }
        links.hashes = hashes.values.len() as u32;
        raw.extend(hashes.values.iter().flat_map(|hash| hash.to_le_bytes()));
        links.put_vias(items);
        links.redirects = items.iter().map(|item| item.redirects).collect();
        links.attempts = items.iter().map(|item| item.attempts).collect();
        links.urls = Strings::of(items.iter().map(|item| item.url.as_str()));
        links
    }

    /// Sorts the pages: neighbours have the most in common.
    fn put_vias(&mut self, items: &[&ScheduledUrl]) {
        let mut vias: Vec<&str> = items.iter().filter_map(|item| item.via.as_deref()).collect();
        vias.sort_unstable();
        vias.dedup();
        let number = |via: &str| vias.binary_search(&via).map_or(0, |at| at as u32 + 1);
        self.via = items.iter().map(|item| item.via.as_deref().map_or(0, number)).collect();
        self.vias = Strings::of(vias.iter().copied());
        self.via_depth = vec![0; vias.len() + 1];
        for (item, via) in items.iter().zip(&self.via).rev() {
            self.via_depth[*via as usize] = item.depth;
        }
        let deeper = |(item, via): (&&ScheduledUrl, &u32)| item.depth.wrapping_sub(self.via_depth[*via as usize]);
        self.deeper = items.iter().zip(&self.via).map(deeper).collect();
    }

    /// Returns the number of bytes in `raw` that belong to the links.
    pub(super) const fn raw_len(&self) -> usize {
        self.hashes as usize * HASH
    }

    /// Returns the number of links.
    pub(super) fn len(&self) -> usize {
        self.urls.len()
    }

    /// Decodes the links, or returns `None` if the columns are inconsistent or the texts exceed `text_max` bytes.
    pub(super) fn read(&self, raw: &[u8], text_max: usize) -> Option<Vec<ScheduledUrl>> {
        let count = self.len();
        let columns = [self.class.len(), self.via.len(), self.deeper.len(), self.redirects.len(), self.attempts.len()];
        if columns != [count; 5] || raw.len() != self.raw_len() {
            return None;
        }
        let (hashes, _) = raw.as_chunks::<HASH>();
        let hash = |number: u32| hashes.get(number as usize).map(|hash| u64::from_le_bytes(*hash));
        let class = |WireClass { cluster, apath, coarse, fine }: &WireClass| {
            let pattern = UrlPattern { coarse: PatternId(hash(*coarse)?), fine: PatternId(hash(*fine)?) };
            Some(QueueKey::from_stored(*cluster, Apath(hash(*apath)?), pattern))
        };
        let classes: Vec<QueueKey> = self.classes.iter().map(class).collect::<Option<_>>()?;
        let mut budget = text_max;
        let vias: Vec<Arc<str>> = self.vias.read(&mut budget)?.into_iter().map(Arc::from).collect();
        let link = |(at, url): (usize, String)| {
            let via = match self.via[at].checked_sub(1) {
                None => None,
                Some(number) => Some(vias.get(number as usize)?.clone()),
            };
            let QueueKey { class, priority } = *classes.get(self.class[at] as usize)?;
            let depth = self.via_depth.get(self.via[at] as usize)?.wrapping_add(self.deeper[at]);
            let (redirects, attempts) = (self.redirects[at], self.attempts[at]);
            let web = url.starts_with("http://") || url.starts_with("https://");
            let url = web.then(|| CanonicalUrl::from_canonical(url))?;
            Some(ScheduledUrl { url, class, priority, depth, redirects, attempts, via })
        };
        self.urls.read(&mut budget)?.into_iter().enumerate().map(link).collect()
    }
}
