//! The parts of a request's URL that are explained one by one.

use url::Url;

/// Maximum number of segments and of parameters of a URL that can be learned.
const PARTS_MAX: usize = 32;

/// A URL without its fragment, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UrlParts {
    /// Scheme, host and port.
    pub origin: String,
    /// Segments of the path; a last empty one means that it ends in a slash.
    pub segments: Vec<String>,
    /// Keys, with the equals sign if they have one, and values, as they are encoded.
    pub query: Vec<(String, String)>,
}

impl UrlParts {
    /// Takes a URL apart; `None` if it has too many parts or is not of HTTP.
    pub fn of(url: &Url) -> Option<Self> {
        if matches!(url.scheme(), "http" | "https") { Self::of_any(url) } else { None }
    }

    /// Takes the URL of a socket apart; `None` if it has too many parts or is of another scheme.
    pub(super) fn of_socket(url: &Url) -> Option<Self> {
        if matches!(url.scheme(), "ws" | "wss") { Self::of_any(url) } else { None }
    }

    fn of_any(url: &Url) -> Option<Self> {
        let origin = url[..url::Position::BeforePath].to_owned();
        let segments: Vec<String> = url.path().strip_prefix('/')?.split('/').map(str::to_owned).collect();
        let pairs = url.query().unwrap_or("").split('&').filter(|pair| !pair.is_empty());
        let query: Vec<_> = pairs.map(split_pair).collect();
        (segments.len() <= PARTS_MAX && query.len() <= PARTS_MAX).then_some(Self { origin, segments, query })
    }

    /// Puts the parts together again.
    pub fn assemble(&self) -> String {
        let mut url = self.origin.clone();
        for segment in &self.segments {
            url.push('/');
            url.push_str(segment);
        }
        for (index, (key, value)) in self.query.iter().enumerate() {
            url.push(if index == 0 { '?' } else { '&' });
            url.push_str(key);
            url.push_str(value);
        }
        url
    }

    /// Returns the value of a key, counted among those of the same key.
    pub fn value(&self, key: &str, index: usize) -> Option<&str> {
        self.query.iter().filter(|(name, _)| name == key).nth(index).map(|(_, value)| value.as_str())
    }
}

fn split_pair(pair: &str) -> (String, String) {
    let (key, value) = pair.split_at(pair.find('=').map_or(pair.len(), |at| at + 1));
    (key.to_owned(), value.to_owned())
}

/// Returns whether a value looks like a time or a random number, which differ without reason.
pub fn is_volatile_value(key: &str, value: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_random = value.strip_prefix("0.").is_some_and(|fraction| fraction.len() >= 6 && digits(fraction));
    let is_time = value.len() >= 10 && value.split_once('.').map_or(digits(value), |(a, b)| digits(a) && digits(b));
    let is_buster =
        matches!(key.trim_end_matches('='), "_" | "_t" | "_ts" | "cb" | "rnd" | "rand" | "nocache" | "timestamp");
    is_random || is_time || is_buster
}

/// Returns whether a parameter looks like a proof that only the site's own script can give: by its name, or because it
/// is long and mixes letters with digits.
pub fn is_token(key: &str, value: &str) -> bool {
    let key = key.trim_end_matches('=').to_ascii_lowercase();
    let names = ["sig", "token", "hmac", "csrf", "nonce", "hash", "auth", "signature", "expires"];
    let mixed = value.bytes().any(|b| b.is_ascii_digit()) && value.bytes().any(|b| b.is_ascii_alphabetic());
    names.iter().any(|name| key.contains(name)) || (mixed && value.len() >= 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_give_the_url_again() {
        for text in ["https://h.example:81/", "http://h.example/a//b/?x&y=&z=1=2&x", "https://h.example/%20?a=%2F"] {
            let url = Url::parse(text).unwrap();
            assert_eq!(UrlParts::of(&url).unwrap().assemble(), text);
        }
        for text in ["data:,x", "ftp://h.example/", &format!("http://h.example{}", "/a".repeat(PARTS_MAX + 1))] {
            assert_eq!(UrlParts::of(&Url::parse(text).unwrap()), None);
        }
    }

    #[test]
    fn times_and_random_numbers_are_volatile_and_tokens_are_not() {
        for value in ["1699999999", "1699999999.123", "0.1234567"] {
            assert!(is_volatile_value("x=", value), "{value}");
        }
        assert!(is_volatile_value("_=", "5"));
        for value in ["", "17", "0.5", "abc", "169999999"] {
            assert!(!is_volatile_value("x=", value), "{value}");
        }
        assert!(is_token("sig=", "ab") && is_token("k=", "0123456789abcdef") && !is_token("page=", "2"));
    }
}
