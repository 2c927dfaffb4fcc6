//! The URLs of a site as values.

use std::fmt::Debug;

/// A site whose URLs can be written.
pub(super) trait Routing {
    /// One of the site's URLs.
    type Route: Copy + PartialEq + Debug;

    /// Appends the path and query of `route`, in canonical spelling.
    fn write_path(&self, route: Self::Route, out: &mut String);
}
