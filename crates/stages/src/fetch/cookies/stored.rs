//! The cookies of a jar for a later run.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::cookie::Cookie;

/// Maximum number of cookies that are taken from a file, whatever the limits of the jar are.
const STORED_MAX: usize = 100_000;

/// The cookies that sites have set, for a later run. They are secret: their debug output has none of them.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StoredCookies(Vec<Cookie>);

impl StoredCookies {
    pub(super) fn of(cookies: impl Iterator<Item = Cookie>) -> Self {
        Self(cookies.take(STORED_MAX).collect())
    }

    pub(super) fn into_cookies(self) -> impl Iterator<Item = Cookie> {
        self.0.into_iter().take(STORED_MAX)
    }
}

impl fmt::Debug for StoredCookies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StoredCookies({})", self.0.len())
    }
}
