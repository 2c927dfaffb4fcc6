//! Builds a corpus directly from the site simulator: the recording of a complete crawl of a simulated world, with its
//! truth.

use std::sync::Arc;

use http::header::{CONTENT_TYPE, HeaderMap, HeaderValue, LOCATION};

use super::build::Builder;
use super::{Corpus, CorpusError, Label, Limits, Role, StoredResponse, Truth, canonicaliser};
use harvestman_core::url::{CanonicalUrl, Canonicaliser};
use harvestman_sim::{Response, TruthRow, World};

impl Corpus {
    /// Returns every URL of `world` that links lead to, in the order of its ground truth, with that truth; the seed is
    /// that of the world. The [default limits](Limits) apply; traps are endless and left out.
    ///
    /// # Errors
    /// The world exceeds the limits.
    pub fn from_world(world: &World) -> Result<Self, CorpusError> {
        let canonicaliser = canonicaliser();
        let mut builder = Builder::new(name(world), Limits::default());
        let mut labels = Vec::new();
        for row in world.truth() {
            let Ok(url) = canonicaliser.parse(&row.url) else { continue };
            let page = stored(world, &url, &canonicaliser);
            if builder.add(url, page)? {
                labels.push(Some(label(row)));
            }
        }
        let corpus = builder.finish(|| format!("{} URLs", labels.len()))?;
        let seeds = world.seeds().into_iter();
        let seed = seeds.filter_map(|seed| canonicaliser.parse(&seed).ok()).find_map(|url| corpus.find(url.as_str()));
        let truth = Truth::new(&corpus, labels, true);
        let at = seed.unwrap_or(corpus.seed());
        Ok(corpus.with_seed(at).labelled(truth))
    }
}

/// Returns the families of the world's sites, and the seed.
fn name(world: &World) -> String {
    let families: Vec<_> = world.options().families.iter().map(|family| family.name()).collect();
    format!("sim-{}-{}", families.join("-"), world.seed().0)
}

fn label(row: TruthRow) -> Label {
    let (page_type, is_duplicate_view) = (Arc::from(row.page_type.as_str()), row.duplicate_of.is_some());
    let label = Label { page_type, is_ucc: row.ucc, is_duplicate_view, role: role(&row.page_type), ..Label::default() };
    label.with_tags(row.tags.iter().map(String::as_str))
}

/// Returns the role of a page type on the photo sites, whose items have tags.
fn role(page_type: &str) -> Role {
    match page_type {
        "media:photo" | "media:photo_in_set" => Role::Detail,
        "media:people" | "media:set" | "media:favourites" => Role::List,
        "media:stream" | "media:profile" => Role::Profile,
        "media:tag" => Role::Tag,
        _ => Role::Other,
    }
}

fn stored(world: &World, url: &CanonicalUrl, canonicaliser: &Canonicaliser) -> StoredResponse {
    let (_, authority) = url.origin().split_once("://").unwrap_or_default();
    let Response { status, content_type, location, body } = world.respond(authority, url.path_and_query());
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    if let Some(value) = location.as_deref().and_then(|to| HeaderValue::from_str(to).ok()) {
        headers.insert(LOCATION, value);
    }
    let location = location.and_then(|to| canonicaliser.parse(&to).ok());
    StoredResponse { status, headers, body, location }
}
