//! Settings of the parser.

crate::options! {
    /// Parsing: what is extracted from a page.
    pub struct ParseOptions in "parse" {
        /// Whether images, style sheets, scripts and media are collected as links too. Setting it to true multiplies
        /// the requests that a page causes.
        embeds: bool = false,
    }
}
