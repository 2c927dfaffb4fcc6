//! The addresses of whole recorded forums: all are canonical, none is refused, fast path and slow path agree.

use std::io::Read;
use std::path::PathBuf;

use crate::config::url::ScopeOptions;
use crate::url::Scope;

use super::{canonical, canonicaliser};

/// Returns the URLs of a corpus's label file; `None`, with a visible message, if the corpora are missing.
fn labelled_urls(name: &str) -> Option<Vec<String>> {
    let folder =
        std::env::var_os("HARVESTMAN_CORPORA").map_or_else(|| PathBuf::from("../../../shared/corpora"), PathBuf::from);
    let file = match std::fs::File::open(folder.join(name)) {
        Ok(file) => file,
        Err(error) => {
            let required = std::env::var_os("HARVESTMAN_REQUIRE_CORPORA").is_some_and(|value| value == "1");
            assert!(!required, "{name} is required: {error}");
            // Written directly, because the test harness hides what a passing test prints.
            let _ = std::io::Write::write_all(
                &mut std::io::stderr(),
                format!("SKIPPED: no {name} in {} ({error}); set HARVESTMAN_CORPORA\n", folder.display()).as_bytes(),
            );
            return None;
        }
    };
    let mut text = String::new();
    flate2::read::MultiGzDecoder::new(file).read_to_string(&mut text).unwrap();
    Some(text.lines().skip(1).map(first_field).collect())
}

/// Returns the first field of a line of comma-separated values.
fn first_field(line: &str) -> String {
    match line.strip_prefix('"').and_then(|rest| rest.split_once('"')) {
        Some((quoted, _)) => quoted.to_owned(),
        None => line.split(',').next().unwrap_or_default().to_owned(),
    }
}

fn check_corpus(name: &str, seed: &str, count: usize) {
    let Some(urls) = labelled_urls(name) else { return };
    assert_eq!(urls.len(), count);
    let scope = Scope::new(&ScopeOptions::default(), &[canonical(seed)]).unwrap();
    let canonicaliser = canonicaliser();
    let page = canonical(seed);
    let mut resolver = canonicaliser.resolver(&page, None);
    for url in &urls {
        let parsed = canonicaliser.parse(url).unwrap();
        assert_eq!(scope.check(parsed.as_str()), Ok(()), "{url}");
        assert_eq!(resolver.resolve(url).unwrap().to_url(), parsed, "{url}");
        assert_eq!(resolver.resolve(parsed.path_and_query()).unwrap().to_url(), parsed, "{url}");
        assert_eq!(parsed.as_str(), url, "a forum's own address is not canonical");
    }
}

#[test]
fn no_address_of_the_machina_forum_is_refused() {
    check_corpus("machina.labels.csv.gz", "http://127.0.0.1:8101/", 14_444);
}

#[test]
fn no_address_of_the_spirit_forum_is_refused() {
    check_corpus("spirit.labels.csv.gz", "http://127.0.0.1:8102/", 5_703);
}
