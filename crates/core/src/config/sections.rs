//! All sections of the configuration, in the order in which they are printed.

use serde::{Deserialize, Serialize};

use super::archive::ArchiveOptions;
use super::filter::FilterOptions;
use super::frontier::FrontierOptions;
use super::host::HostOptions;
use super::options::{OptionDoc, Section};
use super::parse::ParseOptions;
use super::url::{ScopeOptions, UrlOptions};
use super::{
    BudgetOptions, CrawlOptions, DedupOptions, FetchOptions, FleetOptions, IdentityOptions, LogOptions, LoginOptions,
    MetricsOptions, PolicyOptions, RecrawlOptions, RenderOptions, RobotsOptions, SearchOptions, SignalOptions,
    StateOptions,
};

/// A section without its type, for code that treats all sections alike: loading, printing, the reference.
#[derive(Debug, Clone, Copy)]
pub struct SectionInfo {
    /// Its name in the configuration file.
    pub name: &'static str,
    /// Its description.
    pub about: &'static [&'static str],
    /// Its settings, in the order in which they are printed.
    pub options: &'static [OptionDoc],
    /// Its settings with their defaults.
    pub defaults: fn() -> toml::Table,
    /// Checks settings of the section.
    ///
    /// # Errors
    ///
    /// What is wrong with them.
    pub check: fn(toml::Table) -> Result<(), toml::de::Error>,
}

impl SectionInfo {
    pub(super) const fn of<S: Section>() -> Self {
        Self {
            name: S::NAME,
            about: S::ABOUT,
            options: S::OPTIONS,
            defaults: || toml::Table::try_from(S::default()).unwrap_or_default(),
            check: |table| table.try_into::<S>().map(drop),
        }
    }

    /// Returns whether the section has a setting called `key`.
    pub fn has(&self, key: &str) -> bool {
        self.options.iter().any(|option| option.key == key)
    }
}

macro_rules! sections {
    ($( $(#[doc = $doc:literal])+ $name:ident: $options:ty ),+ $(,)?) => {
        /// The configuration of a crawl: one section per stage, every setting with its default.
        #[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct Config {
            $( $(#[doc = $doc])+ pub $name: $options, )+
        }

        /// All sections, in the order in which they are printed.
        pub const SECTIONS: &[SectionInfo] = &[$( SectionInfo::of::<$options>() ),+];

        #[cfg(test)]
        const FIELDS: &[&str] = &[$( stringify!($name) ),+];
    };
}

sections! {
    /// The crawl as a whole.
    crawl: CrawlOptions,
    /// The budgets.
    budget: BudgetOptions,
    /// Which URLs belong to the crawl.
    scope: ScopeOptions,
    /// The canonical form of URLs.
    url: UrlOptions,
    /// Politeness.
    host: HostOptions,
    /// robots.txt and sitemaps.
    robots: RobotsOptions,
    /// Statements of sites about the use of their content.
    signals: SignalOptions,
    /// Requests.
    fetch: FetchOptions,
    /// Signed requests.
    identity: IdentityOptions,
    /// A log-in by a form.
    login: LoginOptions,
    /// The parser.
    parse: ParseOptions,
    /// The link filter.
    filter: FilterOptions,
    /// The set of URLs seen.
    dedup: DedupOptions,
    /// The policy.
    policy: PolicyOptions,
    /// Searches.
    search: SearchOptions,
    /// Rendering in a browser.
    render: RenderOptions,
    /// The frontier.
    frontier: FrontierOptions,
    /// The archive.
    archive: ArchiveOptions,
    /// The state on disk.
    state: StateOptions,
    /// Recrawls.
    recrawl: RecrawlOptions,
    /// The log.
    log: LogOptions,
    /// The monitoring HTTP server.
    metrics: MetricsOptions,
    /// The fleet.
    fleet: FleetOptions,
}

/// Returns the section called `name`.
pub fn section(name: &str) -> Option<&'static SectionInfo> {
    SECTIONS.iter().find(|section| section.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_section_stands_under_its_own_name_in_the_file() {
        let names: Vec<_> = SECTIONS.iter().map(|section| section.name).collect();
        assert_eq!(names, FIELDS);
    }

    #[test]
    fn every_setting_has_a_default_that_can_be_written_and_passes_its_own_check() {
        for section in SECTIONS {
            let defaults = (section.defaults)();
            for option in section.options {
                let (name, key) = (section.name, option.key);
                let value = defaults.get(key).unwrap_or_else(|| panic!("{name}.{key} has no default to print"));
                let leaf = toml::Table::from_iter([(key.to_owned(), value.clone())]);
                assert!((section.check)(leaf).is_ok(), "{name}.{key} refuses its own default");
            }
            assert_eq!(defaults.len(), section.options.len(), "{}", section.name);
        }
    }

    #[test]
    fn names_fit_into_environment_variables() {
        for section in SECTIONS {
            assert!(section.name.bytes().all(|b| b.is_ascii_lowercase()), "{}", section.name);
            for option in section.options {
                assert!(option.key.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_'));
            }
        }
    }
}
