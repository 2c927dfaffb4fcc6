//! The seeds: from what a user writes to canonical URLs.

use std::path::Path;

use super::Error;
use crate::config::CrawlOptions;
use crate::url::{CanonicalUrl, Canonicaliser};

/// Reads all seeds, from the settings and from the file named there. All that are wrong are reported together.
pub(super) fn read(options: &CrawlOptions, canonicaliser: &Canonicaliser) -> Result<Vec<CanonicalUrl>, Error> {
    let mut written = options.seeds.clone();
    if !options.seeds_file.is_empty() {
        let path = Path::new(&options.seeds_file);
        let text = std::fs::read_to_string(path).map_err(|error| Error::NoUsableSeed {
            reason: format!("cannot read the seeds file {}: {error}", path.display()),
        })?;
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        written.extend(lines.map(str::to_owned));
    }
    let mut seeds = Vec::new();
    let mut wrong = Vec::new();
    for text in &written {
        match canonicaliser.parse(&with_scheme(text)) {
            Ok(url) if seeds.contains(&url) => {}
            Ok(url) => seeds.push(url),
            Err(_) => wrong.push(format!("`{text}` is no http or https URL")),
        }
    }
    if !wrong.is_empty() {
        return Err(Error::NoUsableSeed { reason: wrong.join("; ") });
    }
    if seeds.is_empty() {
        return Err(Error::NoUsableSeed { reason: "none was given; name a URL to start from".to_owned() });
    }
    Ok(seeds)
}

/// A seed without a scheme gets `https://`, or `http://` where it is an address or localhost.
fn with_scheme(text: &str) -> String {
    let text = text.trim();
    let looks_like_host = !text.contains("://") && !text.starts_with("//") && !text.contains(char::is_whitespace);
    let before_path = text.split(['/', '?', '#']).next().unwrap_or_default();
    let (host, port) = before_path.rsplit_once(':').unwrap_or((before_path, "0"));
    // `mailto:someone` and `javascript:…` have a scheme, `example.org:8080` a port.
    if !looks_like_host
        || host.is_empty()
        || port.parse::<u16>().is_err()
        || !host.contains(['.', '[']) && host != "localhost"
    {
        return text.to_owned();
    }
    let local = host == "localhost" || host.ends_with(".localhost") || host.starts_with('[');
    let address = local || host.parse::<std::net::IpAddr>().is_ok();
    format!("{}://{text}", if address { "http" } else { "https" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::url::UrlOptions;

    fn seeds(written: &[&str]) -> Result<Vec<String>, Error> {
        let options = CrawlOptions { seeds: written.iter().map(ToString::to_string).collect(), ..Default::default() };
        let canonicaliser = Canonicaliser::new(&UrlOptions::default()).unwrap();
        Ok(read(&options, &canonicaliser)?.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn a_seed_without_a_scheme_gets_the_likely_one() {
        let written =
            ["example.org/a", "example.org:8080", "127.0.0.1:8101", "localhost:8080/x", "[::1]:80", "http://a.test"];
        let expected = [
            "https://example.org/a",
            "https://example.org:8080/",
            "http://127.0.0.1:8101/",
            "http://localhost:8080/x",
            "http://[::1]/",
            "http://a.test/",
        ];
        assert_eq!(seeds(&written).unwrap(), expected);
    }

    #[test]
    fn the_same_seed_twice_counts_once() {
        assert_eq!(seeds(&["http://a.test/#x", "http://A.test"]).unwrap(), ["http://a.test/"]);
    }

    #[test]
    fn all_wrong_seeds_are_named_together() {
        let error =
            seeds(&["http://ok.test", "mailto:me@x.test", "not a url", "ftp://x.test/"]).unwrap_err().to_string();
        for wrong in ["mailto:me@x.test", "not a url", "ftp://x.test/"] {
            assert!(error.contains(wrong), "{error}");
        }
        assert!(!error.contains("ok.test"));
        assert!(seeds(&[]).is_err());
    }
}
