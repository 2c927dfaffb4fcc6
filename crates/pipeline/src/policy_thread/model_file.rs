//! The site model as a file: the one that a crawl starts from, and the one that it writes to its directory.

use std::collections::BTreeSet;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::policy_thread::example::spelling_reader;
use harvestman_core::config::{Config, ParseOptions, PolicyKind};
use harvestman_core::crawl_file;
use harvestman_core::url::{CanonicalUrl, Scope};
use harvestman_policy::Policy;
use harvestman_policy::learned::{ModelError, ReadPage, SiteModel};

/// The site model that a crawl has learned, in the crawl directory.
pub const MODEL_FILE: &str = "site-model.json.gz";
/// The maximum number of hosts that a warning names.
const HOSTS_MAX: usize = 3;

/// Returns the model that the settings name; `None` if they name none, or one that does not fit the policy or the site.
pub(crate) fn model(config: &Config, seeds: &[CanonicalUrl], scope: &Scope) -> Result<Option<SiteModel>, Error> {
    let path = config.policy.model.as_str();
    // What a policy that the program adds starts from, it reads itself.
    if path.is_empty() || matches!(config.crawl.policy, PolicyKind::Added(_)) {
        return Ok(None);
    }
    let bytes = std::fs::read(path)
        .map_err(|error| Error::Configuration(format!("cannot read the site model {path}: {error}")))?;
    let model = SiteModel::from_bytes(&bytes).map_err(|error| {
        Error::Configuration(format!("cannot use the site model {path}: {error}; {}", what_to_do(&error)))
    })?;
    if !model.knows_classes() {
        tracing::warn!(
            "the site model {path} was made by `cluster-graph` of an earlier version and has nothing to start from: the \
             crawl learns from scratch, without the model"
        );
        return Ok(None);
    }
    if is_of(&model.facts.hosts, seeds, scope) {
        return Ok(Some(model));
    }
    let of = origin_list(model.facts.hosts.iter().map(String::as_str));
    let seeds = origin_list(seeds.iter().map(CanonicalUrl::origin));
    tracing::warn!(
        "the site model {path} is of {of}, and the crawl starts at {seeds}: it learns from scratch, without the model"
    );
    Ok(None)
}

const fn what_to_do(error: &ModelError) -> &'static str {
    match error {
        ModelError::Newer(_) => "use a newer version of this program, or crawl the site again",
        ModelError::NotAModel => "name a file that a crawl wrote, or none",
        ModelError::Older(_) | ModelError::Truncated | ModelError::TooLong | ModelError::Damaged(_) => {
            "crawl the site again, or name no model"
        }
    }
}

/// Returns whether a site with one of these origins is crawled. The scheme does not matter: sites move to https.
fn is_of(origins: &[String], seeds: &[CanonicalUrl], scope: &Scope) -> bool {
    origins.iter().any(|origin| {
        let host = without_scheme(origin);
        let is_seed = seeds.iter().any(|seed| without_scheme(seed.origin()) == host);
        is_seed || scope.check(&format!("{origin}/")).is_ok()
    })
}

fn without_scheme(origin: &str) -> &str {
    origin.split_once("://").map_or(origin, |(_, host)| host)
}

/// Lists the first few origins in their order, each once.
fn origin_list<'a>(origins: impl Iterator<Item = &'a str>) -> String {
    let mut seen = BTreeSet::new();
    let origins: Vec<&str> = origins.filter(|origin| seen.insert(*origin)).collect();
    match origins.len() {
        0 => "no site".to_owned(),
        n if n <= HOSTS_MAX => origins.join(", "),
        n => format!("{} and {} more hosts", origins[..HOSTS_MAX].join(", "), n - HOSTS_MAX),
    }
}

/// Writes a model to a file atomically.
pub fn write_model(model: &SiteModel, path: &Path) -> io::Result<()> {
    let bytes = model.to_bytes().map_err(io::Error::other)?;
    let mut partial = path.as_os_str().to_owned();
    partial.push(".partial");
    crawl_file::create(Path::new(&partial))?.write_all(&bytes)?;
    std::fs::rename(&partial, path)
}

/// The file that a crawl writes its model to.
pub(crate) struct ModelFile {
    path: PathBuf,
    read: Box<ReadPage>,
}

impl ModelFile {
    /// Returns the model file of a crawl directory.
    pub(crate) fn new(directory: &Path, options: &ParseOptions) -> Self {
        Self { path: directory.join(MODEL_FILE), read: spelling_reader(options) }
    }

    /// Writes what `policy` has learned, if there is anything. Errors are only logged: a crawl is useful without its
    /// model.
    pub(crate) fn leave(&mut self, policy: &mut dyn Policy) {
        let Some(model) = policy.site_model(&mut *self.read) else { return };
        if model.facts.pages == 0 {
            return;
        }
        if let Err(error) = write_model(&model, &self.path) {
            tracing::error!("cannot write the site model {}: {error}", self.path.display());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use harvestman_core::config::url::ScopeOptions;

    fn fits(origins: &[&str], seed: &str) -> bool {
        let seeds = [CanonicalUrl::from_canonical(seed)];
        let scope = Scope::new(&ScopeOptions::default(), &seeds).unwrap();
        is_of(&origins.iter().map(|origin| (*origin).to_owned()).collect::<Vec<_>>(), &seeds, &scope)
    }

    #[test]
    fn a_model_fits_a_site_that_has_one_of_its_hosts_under_any_scheme() {
        assert!(fits(&["http://h.test"], "https://h.test/forum/"));
        assert!(fits(&["http://other.test", "http://h.test:81"], "http://h.test:81/"));
        assert!(!fits(&["http://h.test:81"], "http://h.test:82/"));
        assert!(!fits(&["http://other.test"], "http://h.test/") && !fits(&[], "http://h.test/"));
    }

    #[test]
    fn a_warning_names_few_hosts() {
        assert_eq!(origin_list(["a", "b", "a"].into_iter()), "a, b");
        assert_eq!(origin_list(["a", "b", "c", "d", "e"].into_iter()), "a, b, c and 2 more hosts");
        assert_eq!(origin_list(std::iter::empty()), "no site");
    }

    #[test]
    fn a_failed_write_leaves_no_file_behind() {
        let dir = tempfile::tempdir().unwrap();
        let options = ParseOptions::default();
        let mut policy = harvestman_policy::make(
            harvestman_core::config::PolicyKind::Ucc,
            &harvestman_policy::PolicyInputs::new(harvestman_core::seed::Seed(1)),
            spelling_reader(&options),
        );
        ModelFile::new(dir.path(), &options).leave(&mut *policy);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0, "nothing was learned");
        let model = policy.site_model(&mut *spelling_reader(&options)).unwrap();
        assert!(write_model(&model, &dir.path().join("missing/model")).is_err());
        write_model(&model, &dir.path().join("model")).unwrap();
        let names: Vec<_> = std::fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["model"]);
    }
}
