//! What users say of the places of fields, for the pages of a host: a place that is right wins over the one that was
//! learned, and one that is wrong is not used. Pure.

mod select;
mod taught;
mod types;

use std::collections::BTreeMap;

use scraper::Selector;

use crate::parsed_page::Page;
use crate::tree::NodeIndex;
pub(crate) use taught::Taught;
use types::{CORRECTIONS_MAX, SELECTOR_BYTES_MAX};
pub use types::{Correction, InvalidCorrection, TaughtField};

/// Maximum number of nodes of a page on which selectors with `~` are tried: it may compare each element with all
/// siblings before it.
const SIBLINGS_MAX: usize = 20_000;

/// Corrections, ready to be used.
#[derive(Debug, Clone, Default)]
pub struct Corrections {
    hosts: BTreeMap<String, Vec<Rule>>,
}

#[derive(Debug, Clone)]
struct Rule {
    field: TaughtField,
    is_wrong: bool,
    selector: Selector,
    /// Whether matching may take long on pages with many siblings.
    has_siblings: bool,
}

impl Corrections {
    /// Reads the selectors of corrections.
    ///
    /// # Errors
    ///
    /// A selector cannot be used, or there are too many corrections.
    pub fn new(list: &[Correction]) -> Result<Self, InvalidCorrection> {
        if list.len() > CORRECTIONS_MAX {
            return Err(InvalidCorrection::TooMany);
        }
        let mut hosts: BTreeMap<String, Vec<Rule>> = BTreeMap::new();
        for Correction { host, field, path, is_wrong } in list {
            let rule =
                Rule { field: *field, is_wrong: *is_wrong, selector: parse(path)?, has_siblings: path.contains('~') };
            hosts.entry(host.clone()).or_default().push(rule);
        }
        Ok(Self { hosts })
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.hosts.is_empty()
    }

    /// Returns whether some are about a host.
    pub(crate) fn concern(&self, host: &str) -> bool {
        self.hosts.contains_key(host)
    }

    /// Returns the elements of a page that the corrections of its host match; `None` if the host has none.
    pub(crate) fn on(&self, page: &Page) -> Option<Taught> {
        let rules = self.hosts.get(page.url.authority())?;
        let is_small = page.tree.nodes().len() <= SIBLINGS_MAX;
        let rules: Vec<&Rule> = rules.iter().filter(|rule| is_small || !rule.has_siblings).collect();
        let selectors: Vec<&Selector> = rules.iter().map(|rule| &rule.selector).collect();
        let found = select::select(&page.tree, &selectors);
        let mut taught = Taught::default();
        for (rule, nodes) in rules.iter().zip(found) {
            taught.add(rule.field, rule.is_wrong, nodes);
        }
        Some(taught)
    }
}

impl Correction {
    /// Returns the elements of a page that it matches, whatever its host.
    ///
    /// # Errors
    ///
    /// Its selector cannot be used.
    pub fn elements(&self, page: &Page) -> Result<Vec<NodeIndex>, InvalidCorrection> {
        let selector = parse(&self.path)?;
        Ok(select::select(&page.tree, &[&selector]).pop().unwrap_or_default())
    }
}

fn parse(path: &str) -> Result<Selector, InvalidCorrection> {
    if path.len() > SELECTOR_BYTES_MAX {
        return Err(InvalidCorrection::TooLong);
    }
    Selector::parse(path).map_err(|_| InvalidCorrection::Selector(path.to_owned()))
}

#[cfg(test)]
mod tests;
