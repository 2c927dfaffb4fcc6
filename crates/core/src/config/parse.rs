//! Settings of the parser.

use super::ByteSize;

crate::options! {
    /// Parsing: what is extracted from a page, and limits against hostile pages.
    pub struct ParseOptions in "parse" {
        /// Whether images, style sheets, scripts and media are collected as links too. Setting it to true multiplies
        /// the requests that a page causes.
        embeds: bool = false,
        /// Whether pages are read as by a browser with scripting, in which case the content of `noscript` does not
        /// exist. By default its links are followed (Harvestman runs no scripts); it never counts for the leaf paths.
        scripting: bool = false,
        /// Maximum number of links of one page; further ones are counted as dropped. Raising it lets one page fill the
        /// frontier.
        links_max: u32 = 20_000,
        /// Maximum number of distinct leaf paths of one page; later ones are left out of the bag. Raising it costs 40
        /// bytes each.
        leaf_paths_max: u32 = 10_000,
        /// Maximum depth of an element with a path of its own; deeper elements share the path of that depth. It is also
        /// how far an end tag looks for its element. Raising it makes deeply nested pages more expensive.
        depth_max: u32 = 512,
        /// Maximum length of a title, in characters.
        title_max: u32 = 300,
        /// Maximum length of an attribute value that is read. A longer link is dropped and counted, a longer class is
        /// truncated. Raising it costs memory on hostile pages.
        attribute_max: ByteSize = ByteSize::kib(8),
        /// How much of a page without declared charset is read to guess it. The guess costs 20 ns per byte.
        charset_sniff_max: ByteSize = ByteSize::kib(16),
    }
}
