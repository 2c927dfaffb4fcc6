//! Settings of the parser.

use super::ByteSize;

crate::options! {
    /// Parsing: what is read from a page, and how much of a hostile page is.
    pub struct ParseOptions in "parse" {
        /// Whether images, style sheets, scripts and media are collected as links too. Raising it to true multiplies the
        /// requests a page causes.
        embeds: bool = false,
        /// Whether pages are read as a browser with scripting reads them: then what stands in `noscript` does not exist.
        /// By default its links are followed (Harvestman runs no scripts); it never counts for the leaf paths.
        scripting: bool = false,
        /// Most links kept of one page; the rest is counted as dropped. Raising it lets one page fill the frontier.
        links_max: u32 = 20_000,
        /// Most distinct leaf paths kept of one page; later ones are left out of the bag. Raising it costs 40 bytes each.
        leaf_paths_max: u32 = 10_000,
        /// Deepest element that has a path of its own; what is nested deeper shares the path of that depth. It is also
        /// how far an end tag looks for its element. Raising it makes deeply nested pages dearer.
        depth_max: u32 = 512,
        /// Longest title kept, in characters.
        title_max: u32 = 300,
        /// Longest attribute value read. A longer link is dropped and counted, a longer class is cut. Raising it costs
        /// memory on pages made for it.
        attribute_max: ByteSize = ByteSize::kib(8),
        /// How much of a page without declared charset is read to guess it. The guess costs 20 ns a byte.
        charset_sniff_max: ByteSize = ByteSize::kib(16),
    }
}
