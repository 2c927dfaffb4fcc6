//! The snapshot of the models of several sites.

use std::sync::Arc;

use super::table::{SiteTable, site_of};
use crate::learned::RecentYield;
use crate::{Link, PolicySnapshot, StoredSnapshot};
use harvestman_core::model::{
    Admission, ClassOrder, ClassTokens, ClusterId, LeafPath, LinkClass, PageCluster, Prospect, UrlPattern,
};

/// The snapshots of all models at one moment.
pub struct SitesSnapshot {
    pub(super) version: u64,
    pub(super) generation: u64,
    pub(super) patterns_version: u64,
    pub(super) recent_yield: RecentYield,
    pub(super) sites: Arc<SiteTable>,
    pub(super) models: Vec<Arc<dyn PolicySnapshot>>,
}

impl SitesSnapshot {
    /// The number of the model of the site of a URL, with its snapshot. A site without one waits under model 0.
    fn at(&self, url: &str) -> (u16, &dyn PolicySnapshot) {
        let number = if self.models.len() == 1 { 0 } else { self.sites.get(site_of(url)).copied().unwrap_or(0) };
        (number, self.numbered(number))
    }

    /// The snapshot of a model. A class that was stored before models had numbers may name one that there is not.
    fn numbered(&self, number: u16) -> &dyn PolicySnapshot {
        &**self.models.get(usize::from(number)).unwrap_or(&self.models[0])
    }

    /// The snapshot of the model that a class is under.
    fn of(&self, class: LinkClass) -> &dyn PolicySnapshot {
        self.numbered(class.pattern.coarse.model())
    }
}

impl ClassOrder for SitesSnapshot {
    fn score(&self, class: LinkClass) -> f64 {
        self.of(class).score(class.under(0))
    }

    fn curiosity(&self, class: LinkClass) -> f64 {
        self.of(class).curiosity(class.under(0))
    }

    fn recent_yield(&self) -> Option<f64> {
        Some(self.recent_yield.share())
    }

    fn prospect(&self, class: LinkClass) -> Option<Prospect> {
        self.of(class).prospect(class.under(0))
    }
}

impl PolicySnapshot for SitesSnapshot {
    fn version(&self) -> u64 {
        self.version
    }

    fn admit(&self, link: &Link<'_>) -> Admission {
        let class = link.class();
        let model = class.pattern.coarse.model();
        let admission = self.numbered(model).admit(&link.with_class(class.under(0)));
        match admission {
            Admission::Queue(class, priority) => Admission::Queue(class.under(model), priority),
            rejected @ Admission::Reject(_) => rejected,
        }
    }

    fn cluster(&self, bag: &[LeafPath]) -> ClusterId {
        self.models[0].cluster(bag)
    }

    fn page_cluster(&self, waited: LinkClass, url: &str, bag: &[LeafPath]) -> PageCluster {
        self.at(url).1.page_cluster(waited.under(0), url, bag)
    }

    fn class_tokens(&self, url: &str) -> Option<Arc<ClassTokens>> {
        self.at(url).1.class_tokens(url)
    }

    fn pattern(&self, url: &str) -> UrlPattern {
        let (number, model) = self.at(url);
        model.pattern(url).under(number)
    }

    fn rejects_by_pattern(&self) -> bool {
        self.models[0].rejects_by_pattern()
    }

    fn generation(&self) -> u64 {
        self.generation
    }

    fn generation_at(&self, url: &str) -> u64 {
        let (number, model) = self.at(url);
        // Grows with the model's, and is another one where the site has moved to another model.
        u64::from(number) << 48 | model.generation()
    }

    fn patterns_version(&self) -> u64 {
        self.patterns_version
    }

    fn class_of(&self, class: LinkClass, url: &str, via: Option<&str>) -> LinkClass {
        let (number, model) = self.at(url);
        model.class_of(class.under(0), url, via).under(number)
    }

    fn class_of_new(&self, class: LinkClass, url: &str, via: &str, context: &[u32]) -> LinkClass {
        let (number, model) = self.at(url);
        model.class_of_new(class.under(0), url, via, context).under(number)
    }

    fn explain(&self, class: LinkClass) -> Option<serde_json::Value> {
        self.of(class).explain(class.under(0))
    }

    fn describe(&self) -> Option<serde_json::Value> {
        match &*self.models {
            [one] => one.describe(),
            all => Some(all.iter().map(|model| model.describe().unwrap_or_default()).collect()),
        }
    }

    fn reads_text(&self, class: LinkClass) -> bool {
        self.of(class).reads_text(class.under(0))
    }

    fn stored(&self) -> Option<StoredSnapshot> {
        self.to_stored()
    }

    fn spell(&self, url: &str) -> Option<String> {
        self.at(url).1.spell(url)
    }
}
