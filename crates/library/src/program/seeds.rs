//! Parses seeds as users write them: with or without a scheme, as arguments or in a file.

use std::io::Read;
use std::net::IpAddr;

use harvestman_core::lines;
use url::{Host, Url};

use super::text_file::decode;
use harvestman_core::url::without_user_info;

/// A seed with a URL that can be crawled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seed {
    /// Its URL.
    pub url: Url,
    /// Whether its scheme was guessed.
    pub guessed: bool,
    /// Whether a user name and a password were in its URL, from which they were removed.
    pub had_log_in: bool,
}

/// Parses `text` as a seed, or returns what is wrong with it. A user name and a password in its URL would never be
/// sent; neither the seed nor what is returned has them.
pub fn parse(text: &str) -> Result<Seed, String> {
    let guessed = !text.contains("://");
    let without = if guessed { text.into() } else { without_user_info(text) };
    let (had_log_in, text) = (*without != *text, without.trim());
    let url = if guessed {
        with_scheme(text).ok_or_else(|| format!("seed `{text}` is not a URL; write it as https://example.org/"))?
    } else {
        Url::parse(text).map_err(|error| format!("seed `{text}` is not a URL: {error}"))?
    };
    match url.scheme() {
        "http" | "https" => Ok(Seed { url, guessed, had_log_in }),
        scheme => Err(format!("seed `{text}` has the scheme {scheme}; only http and https can be crawled")),
    }
}

/// Guesses the scheme of text that looks like a host, optionally with a port and a path: https, but http for addresses
/// and localhost, which rarely have certificates.
fn with_scheme(text: &str) -> Option<Url> {
    let url = Url::parse(&format!("https://{text}")).ok()?;
    // `mailto:someone@example.org` would pass for a host with a user name.
    if !url.username().is_empty() || url.password().is_some() {
        return None;
    }
    match url.host()? {
        Host::Domain("localhost") | Host::Ipv4(_) | Host::Ipv6(_) => Url::parse(&format!("http://{text}")).ok(),
        Host::Domain(name) if name.contains('.') => Some(url),
        Host::Domain(_) => None,
    }
}

/// Returns the seeds of `given` and of the file `path` (`-` reads standard input, empty means no file). All mistakes
/// are reported together.
pub fn gather(given: &[String], path: &str) -> Result<Vec<Seed>, String> {
    let mut wrong = Vec::new();
    let mut seeds = Vec::new();
    for text in given {
        parse(text).map_or_else(|text| wrong.push(text), |seed| seeds.push(seed));
    }
    if !path.is_empty() {
        let text = read(path).map_err(|error| format!("cannot read the seeds file {path}: {error}"))?;
        for (line, text) in lines(&text) {
            parse(text).map_or_else(|text| wrong.push(format!("{path}:{line}: {text}")), |seed| seeds.push(seed));
        }
    }
    if !wrong.is_empty() {
        return Err(wrong.join("\n"));
    }
    if seeds.is_empty() {
        return Err(
            "no seed given: name a URL to start from, for example `harvestman crawl https://example.org/ --out DIR`"
                .to_owned(),
        );
    }
    Ok(seeds)
}

fn read(path: &str) -> Result<String, String> {
    let mut bytes = Vec::new();
    let read = match path {
        "-" => std::io::stdin().read_to_end(&mut bytes),
        path => std::fs::File::open(path).and_then(|mut file| file.read_to_end(&mut bytes)),
    };
    read.map_err(|error| error.to_string())?;
    decode(bytes)
}

/// Returns the lines of a seeds file that hold a seed, with their numbers.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let numbered = lines::lines(text).enumerate().map(|(at, line)| (at + 1, line.trim()));
    numbered.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

/// Returns whether the host of a seed is this machine.
pub fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => IpAddr::V4(address).is_loopback(),
        Some(Host::Ipv6(address)) => IpAddr::V6(address).is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_host_without_a_scheme_gets_https_and_an_address_gets_http() {
        let cases = [
            ("https://example.org/a", "https://example.org/a", false),
            (" HTTP://Example.org ", "http://example.org/", false),
            ("example.org", "https://example.org/", true),
            ("example.org:8443/a?b", "https://example.org:8443/a?b", true),
            ("localhost:8000", "http://localhost:8000/", true),
            ("127.0.0.1:8000/x", "http://127.0.0.1:8000/x", true),
            ("[::1]:8000", "http://[::1]:8000/", true),
        ];
        for (text, url, guessed) in cases {
            assert_eq!(
                parse(text).map(|seed| (seed.url.to_string(), seed.guessed)),
                Ok((url.to_owned(), guessed)),
                "{text}"
            );
        }
    }

    #[test]
    fn a_password_in_a_seed_is_removed_and_not_repeated() {
        let seed = parse(" http://user:s3cret@example.org/a@b ").unwrap();
        assert_eq!((seed.url.as_str(), seed.had_log_in), ("http://example.org/a@b", true));
        assert!(!parse("https://example.org/?mail=a@b").unwrap().had_log_in);
        for wrong in ["http://user:s3cret@a b/", "ftp://user:s3cret@example.org/"] {
            let error = parse(wrong).unwrap_err();
            assert!(!error.contains("s3cret"), "{error}");
        }
    }

    #[test]
    fn an_invalid_url_is_quoted_in_the_error() {
        for text in
            ["", "forum", "mailto:x@example.org", "javascript:alert(1)", "https://", "ftp://example.org/", "a b.org"]
        {
            let error = parse(text).unwrap_err();
            assert!(error.contains(&format!("`{text}`")), "{error}");
        }
    }

    #[test]
    fn a_seeds_file_may_have_comments_and_all_its_mistakes_are_reported() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("seeds");
        std::fs::write(&path, "\u{feff}# ours\r\n\rexample.org\r  https://a.example/  \n").unwrap();
        let path = path.to_str().unwrap();
        let seeds = gather(&["b.example".to_owned()], path).unwrap();
        let urls: Vec<_> = seeds.iter().map(|seed| seed.url.as_str()).collect();
        assert_eq!(urls, ["https://b.example/", "https://example.org/", "https://a.example/"]);

        std::fs::write(path, "one\n\ntwo\n").unwrap();
        let error = gather(&["three".to_owned()], path).unwrap_err();
        for part in ["`three`", &format!("{path}:1: seed `one`"), &format!("{path}:3: seed `two`")] {
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn loopback_hosts_are_recognised() {
        let loopback = |url| is_loopback(&Url::parse(url).unwrap());
        assert!(
            ["http://localhost/", "http://127.9.9.9/", "http://[::1]/", "http://a.localhost/"]
                .into_iter()
                .all(loopback)
        );
        assert!(!["http://example.org/", "http://10.0.0.1/", "http://localhost.example/"].into_iter().any(loopback));
    }

    proptest! {
        #[test]
        fn a_seed_is_refused_or_http_with_a_host(text in ".*") {
            if let Ok(seed) = parse(&text) {
                prop_assert!(seed.url.scheme().starts_with("http") && seed.url.has_host());
            }
        }
    }
}
