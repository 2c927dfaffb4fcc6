//! The Netscape cookie file format, which curl, wget and browser extensions still write: one cookie per line, seven
//! fields separated by tabs (domain, whether subdomains are included, path, https only, expiry in seconds since 1970,
//! name, value).

use std::time::Duration;

use super::cookie::Cookie;
use harvestman_core::clock::Instant;
use harvestman_core::lines::lines;

/// The largest file that is read.
const FILE_BYTES_MAX: u64 = 16 << 20;

/// Reads a file; an empty name means no file. Appends errors to `errors`, without the values, which are secret.
pub(super) fn read_file(file: &str, errors: &mut Vec<String>) -> Vec<Cookie> {
    if file.is_empty() {
        return Vec::new();
    }
    let text = std::fs::metadata(file).and_then(|meta| match meta.len() {
        0..=FILE_BYTES_MAX => std::fs::read(file),
        _ => Err(std::io::ErrorKind::FileTooLarge.into()),
    });
    match text {
        Ok(bytes) => read(&super::text(&bytes), file, errors),
        Err(error) => {
            errors.push(format!("fetch.cookies_file: `{file}` cannot be read: {error}"));
            Vec::new()
        }
    }
}

pub(super) fn read(text: &str, file: &str, errors: &mut Vec<String>) -> Vec<Cookie> {
    let mut cookies = Vec::new();
    for (number, line) in (1..).zip(lines(text)) {
        // `#HttpOnly_` is a marker, not a comment.
        let line = line.strip_prefix("#HttpOnly_").unwrap_or(line);
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        match read_line(line) {
            Some(cookie) => cookies.push(cookie),
            None => errors.push(format!("fetch.cookies_file: `{file}`, line {number}: not seven tab-separated fields")),
        }
    }
    cookies
}

fn read_line(line: &str) -> Option<Cookie> {
    let fields: Vec<&str> = line.split('\t').collect();
    let &[domain, below, path, secure, expires, name, value] = fields.as_slice() else { return None };
    let seconds: f64 = expires.trim().parse().ok()?;
    let is_text = |text: &str| !text.bytes().any(|b| b.is_ascii_control() || b == b';');
    let fits = !domain.is_empty() && !name.is_empty() && is_text(name) && is_text(value) && path.starts_with('/');
    fits.then(|| Cookie {
        name: name.to_owned(),
        value: value.to_owned(),
        domain: domain.trim_start_matches('.').to_ascii_lowercase(),
        host_only: !below.eq_ignore_ascii_case("true") && !domain.starts_with('.'),
        path: path.to_owned(),
        secure: secure.eq_ignore_ascii_case("true"),
        // 0 and -1 mean the end of the session.
        expires: (seconds > 0.0).then(|| Instant::EPOCH + Duration::from_secs(seconds.min(1e15) as u64)),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_file_is_parsed_by_line_and_invalid_lines_are_reported_without_their_values() {
        let text = "# Netscape HTTP Cookie File\r\r\n.a.test\tTRUE\t/\tTRUE\t1900000000\tsid\tabc\r\
                    #HttpOnly_b.test\tFALSE\t/x\tFALSE\t0\tk\t\nbroken secret\r\n";
        let mut errors = Vec::new();
        let cookies = read(text, "f", &mut errors);
        assert_eq!(cookies.len(), 2);
        assert!(cookies[0].matches_domain("x.a.test") && cookies[0].secure && cookies[0].expires.is_some());
        assert!(!cookies[1].matches_domain("x.b.test") && cookies[1].matches_domain("b.test"));
        assert_eq!(cookies[1].expires, None);
        assert!(errors.len() == 1 && errors[0].contains("line 5") && !errors[0].contains("secret"), "{errors:?}");
    }

    #[test]
    fn a_missing_file_is_an_error_and_an_empty_name_is_not() {
        let mut errors = Vec::new();
        assert!(read_file("", &mut errors).is_empty() && errors.is_empty());
        assert!(read_file("/nonexistent/cookies.txt", &mut errors).is_empty() && errors.len() == 1);
    }

    proptest! {
        #[test]
        fn no_text_makes_parsing_panic(text in "[\\PC\t\n]{0,80}") {
            read(&text, "f", &mut Vec::new());
        }
    }
}
