//! Parameters that are removed from URLs: those that track visitors or carry a session.

use super::refusal::{BadEntry, Error};
use crate::config::url::UrlOptions;

/// The name (or the start of the name) of parameters that are removed.
#[derive(Debug, Clone)]
struct Pattern {
    /// In lower case.
    name: Box<[u8]>,
    /// Whether longer names match too.
    any_ending: bool,
    /// Whether it is removed only if the value looks like a session id.
    only_sessions: bool,
}

/// Query parameters that are removed only if their value looks like a session id (32, 40 or 64 hexadecimal digits, or
/// 26 lower-case letters and digits), because the names have other uses too: those of the forums and shops that write
/// sessions into addresses. Others can be removed with any value.
const SESSION_PARAMETERS: &[&str] = &["sid", "s", "session", "sessionid", "session_id", "zenid", "oscsid"];

/// Path parameters (`;name=value` within a path segment) that are removed: the sessions of servlets and of PHP. In
/// lower case.
const PATH_PARAMETERS: &[&str] = &["jsessionid", "phpsessid"];

/// Removes parameters.
#[derive(Debug, Clone)]
pub(super) struct Stripper {
    /// Patterns by the first byte of the parameter: nearly every parameter is decided by one look-up.
    by_first_byte: Box<[Vec<Pattern>; 256]>,
    path_parameters: Vec<Box<[u8]>>,
    sort: bool,
}

impl Stripper {
    pub(super) fn new(options: &UrlOptions) -> Result<Self, Error> {
        let mut bad = Vec::new();
        let mut by_first_byte = Box::new([const { Vec::new() }; 256]);
        let always = options.strip_parameters.iter().map(|name| (name.as_str(), false));
        let sessions = SESSION_PARAMETERS.iter().map(|name| (*name, true));
        for (written, only_sessions) in always.chain(sessions) {
            match pattern("url.strip_parameters", written, only_sessions) {
                Ok(pattern) => insert(&mut by_first_byte, pattern),
                Err(entry) => bad.push(entry),
            }
        }
        let path_parameters = PATH_PARAMETERS.iter().map(|name| name.as_bytes().into()).collect();
        Error::unless_empty(bad)?;
        Ok(Self { by_first_byte, path_parameters, sort: options.sort_parameters })
    }

    /// Returns whether the query's parameters are sorted.
    pub(super) const fn sorts(&self) -> bool {
        self.sort
    }

    /// Returns whether `parameter`, such as `name=value`, is removed.
    pub(super) fn strips(&self, parameter: &[u8]) -> bool {
        let Some(first) = parameter.first() else { return false };
        let patterns = &self.by_first_byte[usize::from(*first)];
        if patterns.is_empty() {
            return false;
        }
        let (name, value) = split_at_equals(parameter);
        patterns.iter().any(|pattern| pattern.matches(name) && (!pattern.only_sessions || is_session_id(value)))
    }

    /// Returns the canonical form of `query` (escapes normalised, no `?`); `None` if it is already canonical.
    pub(super) fn query(&self, query: &str) -> Option<String> {
        let strips = parameters(query).any(|(_, parameter)| self.strips(parameter.as_bytes()));
        let sorts = self.sort && query.contains('&');
        if !strips && !sorts {
            return None;
        }
        let mut kept = String::with_capacity(query.len());
        let mut first = true;
        for (separator, parameter) in parameters(query) {
            if !self.strips(parameter.as_bytes()) {
                kept.extend(separator.filter(|_| !first));
                kept.push_str(parameter);
                first = false;
            }
        }
        Some(if sorts { sorted(&kept) } else { kept })
    }

    /// Returns the canonical form of `path` (escapes normalised); `None` if it is already canonical.
    pub(super) fn path(&self, path: &str) -> Option<String> {
        if !path.contains(';') {
            return None;
        }
        let stripped: Vec<String> = path.split('/').map(|segment| self.segment(segment)).collect();
        Some(stripped.join("/"))
    }

    fn segment(&self, segment: &str) -> String {
        let mut parts = segment.split(';');
        let mut kept = parts.next().unwrap_or_default().to_owned();
        for parameter in parts {
            let (name, _) = split_at_equals(parameter.as_bytes());
            if !self.path_parameters.iter().any(|stripped| stripped.eq_ignore_ascii_case(name)) {
                kept.push(';');
                kept.push_str(parameter);
            }
        }
        // `..;jsessionid=1` is a name, but what would remain of it is a dot segment.
        if matches!(kept.as_str(), "." | "..") { segment.to_owned() } else { kept }
    }
}

impl Pattern {
    fn matches(&self, name: &[u8]) -> bool {
        let compared = if self.any_ending { name.get(..self.name.len()) } else { Some(name) };
        compared.is_some_and(|compared| compared.eq_ignore_ascii_case(&self.name))
    }
}

fn pattern(setting: &'static str, written: &str, only_sessions: bool) -> Result<Pattern, BadEntry> {
    let (name, any_ending) = written.strip_suffix('*').map_or((written, false), |name| (name, true));
    if name.is_empty() {
        return Err(bad_name(setting, written, "write at least the first letter of the name"));
    }
    if !name
        .bytes()
        .all(|b| b.is_ascii_graphic() && !matches!(b, b'*' | b'&' | b';' | b'=' | b'%' | b'#' | b'/' | b'?'))
    {
        return Err(bad_name(
            setting,
            written,
            "write a parameter's name without its value; `*` is allowed only at the end",
        ));
    }
    Ok(Pattern { name: name.to_ascii_lowercase().into_bytes().into(), any_ending, only_sessions })
}

fn bad_name(setting: &'static str, value: &str, problem: &str) -> BadEntry {
    BadEntry { setting, value: value.to_owned(), problem: problem.to_owned() }
}

fn insert(by_first_byte: &mut [Vec<Pattern>; 256], pattern: Pattern) {
    let first = pattern.name[0];
    if !first.is_ascii_lowercase() {
        by_first_byte[usize::from(first)].push(pattern);
        return;
    }
    by_first_byte[usize::from(first.to_ascii_uppercase())].push(pattern.clone());
    by_first_byte[usize::from(first)].push(pattern);
}

/// Returns the parameters of `query`, each with the separator before it. Old software separates with `;`, so what
/// follows a session id there must not be removed with it.
fn parameters(query: &str) -> impl Iterator<Item = (Option<char>, &str)> {
    let mut rest = Some((None, query));
    std::iter::from_fn(move || {
        let (separator, text) = rest?;
        let end = memchr::memchr2(b'&', b';', text.as_bytes());
        rest = end.map(|end| (text[end..].chars().next(), &text[end + 1..]));
        Some((separator, end.map_or(text, |end| &text[..end])))
    })
}

fn split_at_equals(parameter: &[u8]) -> (&[u8], &[u8]) {
    match memchr::memchr(b'=', parameter) {
        Some(at) => (&parameter[..at], &parameter[at + 1..]),
        None => (parameter, &[]),
    }
}

/// Sorts parameters by name; parameters of one name keep their order, which often carries meaning.
fn sorted(query: &str) -> String {
    let mut parts: Vec<&str> = query.split('&').collect();
    parts.sort_by_key(|part| part.split('=').next());
    parts.join("&")
}

/// Returns whether `value` is one of the usual session ids: a hash in hexadecimal, or PHP's 26 digits of base 32.
/// Values that are shorter or less regular may also be record numbers, so they are not removed.
fn is_session_id(value: &[u8]) -> bool {
    let mixed = value.iter().any(u8::is_ascii_digit) && value.iter().any(u8::is_ascii_alphabetic);
    mixed
        && match value.len() {
            32 | 40 | 64 => value.iter().all(u8::is_ascii_hexdigit),
            26 => value.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'v')),
            _ => false,
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(text: &str) -> String {
        Stripper::new(&UrlOptions::default()).unwrap().query(text).unwrap_or_else(|| text.to_owned())
    }

    #[test]
    fn tracking_parameters_go_and_the_order_of_the_others_stays() {
        for (given, wanted) in [
            ("utm_source=x", ""),
            ("b=2&UTM_Medium=y&a=1", "b=2&a=1"),
            ("fbclid=1&a=1", "a=1"),
            ("a=1&gclid", "a=1"),
            ("a=utm_source", "a=utm_source"),
            ("xutm_source=1&gclids=2", "xutm_source=1&gclids=2"),
            ("PHPSESSID=abc;topic=5.0", "topic=5.0"),
            ("topic=5.0;PHPSESSID=abc&x", "topic=5.0&x"),
            ("&&a=1&", "&&a=1&"),
        ] {
            assert_eq!(query(given), wanted, "{given}");
        }
    }

    #[test]
    fn a_sid_goes_only_where_it_is_clearly_a_session() {
        let hash = "0123456789abcdef0123456789abcdef";
        assert_eq!(query(&format!("t=5&sid={hash}")), "t=5");
        assert_eq!(query(&format!("s={hash}&t=5")), "t=5");
        assert_eq!(query("sid=3p7jv0qf1m0s0f7c9l5d6k2r4a"), "");
        for kept in ["sid=17", "sid=0123456789abcdef", "s=hello", "sid=01ARZ3NDEKTSV4RRFFQ69G5FAV", "sid="] {
            assert_eq!(query(kept), kept);
        }
        let digits_only = "sid=01234567890123456789012345678901";
        assert_eq!(query(digits_only), digits_only);
    }

    #[test]
    fn path_parameters_of_sessions_go_and_no_way_up_appears() {
        let stripper = Stripper::new(&UrlOptions::default()).unwrap();
        for (given, wanted) in [
            ("/a.do;jsessionid=1A", "/a.do"),
            ("/a;JSESSIONID=1;v=2/b", "/a;v=2/b"),
            ("/a/..;jsessionid=1/b", "/a/..;jsessionid=1/b"),
            ("/;jsessionid=1", "/"),
        ] {
            assert_eq!(stripper.path(given).unwrap(), wanted);
        }
        assert!(stripper.path("/plain").is_none());
    }

    #[test]
    fn sorting_is_by_name_and_keeps_the_order_of_equals() {
        let options = UrlOptions { sort_parameters: true, ..UrlOptions::default() };
        let stripper = Stripper::new(&options).unwrap();
        assert_eq!(stripper.query("b=2&a=2&utm_x=1&a=1").unwrap(), "a=2&a=1&b=2");
    }

    #[test]
    fn all_bad_names_are_reported_together() {
        let options = UrlOptions {
            strip_parameters: vec!["*".into(), "a*b".into(), "fine".into(), String::new()],
            ..UrlOptions::default()
        };
        let Error::Entries(entries) = Stripper::new(&options).unwrap_err();
        assert_eq!(entries.iter().map(|entry| entry.value.as_str()).collect::<Vec<_>>(), ["*", "a*b", ""]);
    }
}
