//! Readers of bytes from outside that nothing but this module calls directly, for fuzz targets.

use super::cookies;
use harvestman_core::clock::Instant;

/// Reads the value of a `Set-Cookie` header of `https://e.example/a/b`. Returns the name and value that would be sent
/// back.
pub fn set_cookie(value: &[u8]) -> Option<String> {
    cookies::pair_set_by(value, "e.example", "/a/b", Instant::EPOCH)
}

/// Reads a cookie file. Returns the number of its cookies, and its errors.
pub fn cookie_file(text: &str) -> (usize, Vec<String>) {
    let mut errors = Vec::new();
    let count = cookies::count_in_file(text, &mut errors);
    (count, errors)
}
