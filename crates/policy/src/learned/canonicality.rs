//! The order of addresses of the same content by how canonical they are.

/// The sort key of an address, the most canonical first: fewer parameters, then fewer segments, then shorter, then
/// alphabetical.
pub fn canonicality(url: &str) -> (usize, usize, usize, &str) {
    let (path, query) = url.split_once('?').unwrap_or((url, ""));
    let parameters = query.split('&').filter(|pair| !pair.is_empty()).count();
    let segments = path.split('/').filter(|segment| !segment.is_empty()).count();
    (parameters, segments, url.len(), url)
}

#[cfg(test)]
mod tests {
    use super::canonicality;

    #[test]
    fn the_plain_address_of_a_thread_comes_before_its_permalinks() {
        let mut urls = ["http://f/t/1/?post=3", "http://f/t/1/reply/", "http://f/t/1/?post=3&page=2", "http://f/t/1/"];
        urls.sort_by_key(|url| canonicality(url));
        assert_eq!(
            urls,
            ["http://f/t/1/", "http://f/t/1/reply/", "http://f/t/1/?post=3", "http://f/t/1/?post=3&page=2"]
        );
    }
}
