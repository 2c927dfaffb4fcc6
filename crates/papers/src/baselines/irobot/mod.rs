//! iRobot without human intervention (Cai, Yang, Lai, Wang, Zhang: *iRobot: An Intelligent Crawler for Web Forums*, WWW
//! 2008), as SOUrCe (2018, sections 5.2 and 5.3) compares with it.
//!
//! A sample of pages is taken, clustered by repetitive regions and joined by links into a sitemap; from then on only
//! links on the chosen paths through it are followed. Nothing is learned after that.
//!
//! Simplified: the sample is drawn at random from the waiting URLs, where the original draws from either end of a
//! queue; a region is a leaf path that repeats ([`Regions`]); clusters are not split by URL pattern, but links are told
//! apart by it; a cluster's informativeness is share × size × diversity with a threshold that adapts to the sample;
//! links that turn pages are not recognised by their texts, all links within an informative cluster count as such.
//! Corrections of the paths by people are left out.

mod regions;
mod sitemap;
mod url_form;

use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64_with_seed;

pub use regions::{RegionOptions, Regions, single_link};

use self::sitemap::{Sitemap, SitemapPage, stands_on_no_page};
use self::url_form::url_form;
use super::random::{random_bucket, unit};
use super::versions::Versions;
use super::wanted::{Judge, Wanted};
use harvestman_core::model::{Admission, ClassOrder, ClusterId, LeafPath, LinkClass, PolicyRefusal, UrlPattern};
use harvestman_core::seed::Seed;
use harvestman_policy::{Link, Needs, Observation, Outcome, PageFacts, Policy, PolicySnapshot};

/// Maximum number of links of a page that are remembered.
const LINKS_MAX: usize = 1000;
/// Maximum number of times that the sample doubles while nothing informative was found.
const DOUBLINGS_MAX: u32 = 3;

/// The parameters of [`IRobot`].
#[derive(Debug, Clone, Copy)]
pub struct IRobotOptions {
    /// Number of pages to sample; their bags and links are kept until the sitemap is made. If none of them is wanted,
    /// the sample is doubled.
    pub sample_pages: usize,
    /// How the sample is clustered.
    pub regions: RegionOptions,
}

impl Default for IRobotOptions {
    fn default() -> Self {
        Self { sample_pages: 1000, regions: RegionOptions::default() }
    }
}

/// The policy that follows chosen paths through a sitemap.
#[derive(Debug)]
pub struct IRobot {
    options: IRobotOptions,
    judge: Judge,
    seed: Seed,
    sample: Vec<SitemapPage>,
    sample_size: usize,
    doublings: u32,
    sitemap: Option<Arc<Sitemap>>,
    versions: Versions,
}

impl IRobot {
    /// The policy that looks for `wanted`.
    pub fn new(wanted: Wanted, options: IRobotOptions, seed: Seed) -> Self {
        Self {
            options,
            judge: Judge::new(wanted),
            seed: seed.child("policy-irobot"),
            sample: Vec::new(),
            sample_size: options.sample_pages.max(1),
            doublings: 0,
            sitemap: None,
            versions: Versions::default(),
        }
    }

    fn add_to_sample(&mut self, seen: Observation, page: PageFacts) {
        let wanted = self.judge.wants(&page);
        let texts = page.units.iter().fold(0, |hash, unit| xxh3_64_with_seed(&unit.hash.to_le_bytes(), hash));
        let mut links = page.links;
        links.truncate(LINKS_MAX);
        self.sample.push(SitemapPage { url: seen.url, bag: page.bag, links, texts, wanted });
        if self.sample.len() >= self.sample_size {
            self.make_sitemap();
        }
    }

    fn make_sitemap(&mut self) {
        let sitemap = Sitemap::learn(&self.sample, self.judge.is_content(), &self.options.regions);
        if sitemap.is_none() && self.doublings < DOUBLINGS_MAX {
            self.doublings += 1;
            self.sample_size *= 2;
            return;
        }
        self.sitemap = sitemap.map(Arc::new);
        self.sample = Vec::new();
        self.sample_size = usize::MAX;
    }

    const fn is_sampling(&self) -> bool {
        self.sample_size < usize::MAX
    }
}

impl Policy for IRobot {
    fn observe(&mut self, mut seen: Observation) {
        self.versions.outdate();
        if !self.is_sampling() {
            return;
        }
        if let Outcome::Page(page) = std::mem::replace(&mut seen.outcome, Outcome::Failed) {
            self.add_to_sample(seen, *page);
        }
    }

    fn snapshot(&mut self) -> Arc<dyn PolicySnapshot> {
        let version = self.versions.next();
        match &self.sitemap {
            Some(sitemap) => Arc::new(Paths { version, sitemap: Arc::clone(sitemap) }),
            None => Arc::new(Sampling { version, seed: self.seed }),
        }
    }

    fn needs(&self) -> Needs {
        let sampling = self.is_sampling();
        Needs { units: sampling, links: sampling, ..Needs::default() }
    }
}

/// The snapshot while the sample is being taken: random order.
#[derive(Debug)]
struct Sampling {
    version: u64,
    seed: Seed,
}

impl ClassOrder for Sampling {
    fn score(&self, class: LinkClass) -> f64 {
        unit(self.seed.nth(self.version).nth(class.pattern.fine.0))
    }
}

impl PolicySnapshot for Sampling {
    fn version(&self) -> u64 {
        self.version
    }

    fn pattern(&self, url: &str) -> UrlPattern {
        random_bucket(self.seed, url)
    }
}

/// The snapshot with a sitemap: its paths.
#[derive(Debug)]
struct Paths {
    version: u64,
    sitemap: Arc<Sitemap>,
}

impl ClassOrder for Paths {
    fn score(&self, class: LinkClass) -> f64 {
        if stands_on_no_page(class.apath) {
            return 1.0;
        }
        // URLs on no path that wait since the sample was taken come last.
        self.sitemap.worth(class).unwrap_or(-1.0)
    }
}

impl PolicySnapshot for Paths {
    fn version(&self) -> u64 {
        self.version
    }

    fn admit(&self, link: &Link<'_>) -> Admission {
        let class = link.class();
        let on_path = match link {
            Link::Waiting { .. } => true,
            _ if stands_on_no_page(class.apath) => true,
            _ if class.pattern == UrlPattern::NONE => self.sitemap.has_place(class),
            _ => self.sitemap.worth(class).is_some(),
        };
        link.unless((!on_path).then_some(PolicyRefusal::LinkClass))
    }

    fn cluster(&self, bag: &[LeafPath]) -> ClusterId {
        self.sitemap.cluster(bag)
    }

    fn pattern(&self, url: &str) -> UrlPattern {
        url_form(url)
    }

    fn generation(&self) -> u64 {
        1
    }

    fn class_of(&self, class: LinkClass, url: &str, via: Option<&str>) -> LinkClass {
        let cluster = via.map_or(class.cluster, |via| self.sitemap.cluster_of_url(via));
        LinkClass { cluster, ..class }.with_pattern(url_form(url))
    }
}

#[cfg(test)]
mod tests;
