//! User information in URLs (RFC 3986, section 3.2.1): a user name and a password that are never sent.

use std::borrow::Cow;

/// Returns a text without the user information of the URL that it is.
pub fn without_user_info(url: &str) -> Cow<'_, str> {
    let start = url.find("://").map_or(0, |at| at + 3);
    let end = url[start..].find(['/', '?', '#', '\\']).map_or(url.len(), |at| start + at);
    match url[start..end].rfind('@') {
        None => url.into(),
        Some(at) => format!("{}{}", &url[..start], &url[start + at + 1..]).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_user_information_is_removed() {
        for (url, without) in [
            ("http://user:pw@a.test/@", "http://a.test/@"),
            ("nats://user:p@w@a.test:4222", "nats://a.test:4222"),
            ("user:pw@a.test/x", "a.test/x"),
            ("https://a.test/?mail=x@y", "https://a.test/?mail=x@y"),
            ("https://a.test?mail=x@y", "https://a.test?mail=x@y"),
            ("https://[::1]:8/", "https://[::1]:8/"),
            ("", ""),
        ] {
            assert_eq!(without_user_info(url), without);
        }
    }
}
