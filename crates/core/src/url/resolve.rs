//! Resolves the links of one page.

use std::borrow::Cow;

use ::url::Url;
use encoding_rs::Encoding;

use super::canonical::{Base, CanonicalUrl, Fingerprint};
use super::canonicalise::Canonicaliser;
use super::fast;
use super::refusal::OutOfScope;
use super::whatwg::{self, has_other_scheme, join};

/// A canonical URL whose text is in a [`Resolver`]'s buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CanonicalRef<'a> {
    text: &'a str,
    origin_end: usize,
}

impl<'a> CanonicalRef<'a> {
    /// Returns the URL.
    pub const fn as_str(&self) -> &'a str {
        self.text
    }

    /// Returns scheme and authority.
    pub fn origin(&self) -> &'a str {
        &self.text[..self.origin_end]
    }

    /// Returns path and query, from the first `/` on.
    pub fn path_and_query(&self) -> &'a str {
        &self.text[self.origin_end..]
    }

    /// Returns its fingerprint.
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(self.text)
    }

    /// Returns an owned copy.
    pub fn to_url(&self) -> CanonicalUrl {
        CanonicalUrl::from_canonical(self.text)
    }
}

/// The base that the page's links are relative to.
#[derive(Debug)]
enum Context<'a> {
    /// The page, or its `<base href>`: an http(s) URL.
    Web(Base<'a>),
    /// A `<base href>` of another scheme: only absolute links are useful.
    Other(Url),
}

/// Capacity that suffices for most URLs.
const BUFFER_BYTES: usize = 256;

/// Resolves and canonicalises the links of one page. Its buffer is reused for each link, so that a known link costs no
/// allocation.
#[derive(Debug)]
pub struct Resolver<'a> {
    canonicaliser: &'a Canonicaliser,
    context: Context<'a>,
    /// The encoding of queries; `None` for UTF-8. It does not change ASCII, and so does not matter to the fast path.
    encoding: Option<&'static Encoding>,
    /// The base as the `url` crate represents it, created by the first link on the slow path.
    parsed_base: Option<Url>,
    buffer: String,
}

impl Canonicaliser {
    /// Creates a resolver for the links of `page`, a document in UTF-8 with this `<base href>`.
    pub fn resolver<'a>(&'a self, page: &'a CanonicalUrl, base_href: Option<&str>) -> Resolver<'a> {
        Resolver::new(self, page, base_href, None)
    }

    /// Creates a resolver for the links of `page`, a document in `charset` (by its name or a label) with this `<base
    /// href>`. The queries of its links are percent-encoded in that charset ("encoding-parse a URL" of the HTML
    /// standard); documents in UTF-16 or an unknown charset count as UTF-8.
    pub fn document_resolver<'a>(
        &'a self,
        page: &'a CanonicalUrl,
        base_href: Option<&str>,
        charset: &str,
    ) -> Resolver<'a> {
        Resolver::new(self, page, base_href, whatwg::encoding(charset))
    }
}

impl<'a> Resolver<'a> {
    /// Creates a resolver for `page` with this `<base href>`, which is ignored if it is not a URL, or is a `data:` or
    /// `javascript:` URL (as in the HTML standard).
    pub(super) fn new(
        canonicaliser: &'a Canonicaliser,
        page: &'a CanonicalUrl,
        base_href: Option<&str>,
        encoding: Option<&'static Encoding>,
    ) -> Self {
        let web = |text| Self {
            canonicaliser,
            context: Context::Web(Base::new(text)),
            encoding,
            parsed_base: None,
            buffer: String::new(),
        };
        let mut resolver = web(Cow::Borrowed(page.as_str()));
        let Some(href) = base_href else { return resolver };
        match resolver.resolve(href) {
            Ok(base) => return web(Cow::Owned(base.as_str().to_owned())),
            Err(OutOfScope::Scheme) => {}
            Err(_) => return resolver,
        }
        let usable = |url: &Url| !matches!(url.scheme(), "data" | "javascript");
        if let Some(url) = resolver.join(href).filter(usable) {
            resolver.context = Context::Other(url);
        }
        resolver
    }

    /// Returns the canonical form of the link `href`.
    ///
    /// # Errors
    ///
    /// If it does not lead to an http(s) URL, or is longer than 64 KiB.
    pub fn resolve(&mut self, href: &str) -> Result<CanonicalRef<'_>, OutOfScope> {
        self.buffer.clear();
        // Not earlier: on many pages no link is resolved at all.
        self.buffer.reserve(BUFFER_BYTES);
        self.canonicaliser.check_length(href)?;
        let fast = match &self.context {
            Context::Web(base) => fast::resolve(base, href, &self.canonicaliser.stripper, &mut self.buffer),
            Context::Other(_) => None,
        };
        let origin_end = match fast {
            Some(outcome) => outcome?,
            None => self.resolve_slowly(href)?,
        };
        Ok(CanonicalRef { text: &self.buffer, origin_end })
    }

    /// Does the same as [`Self::resolve`], always by the `url` crate: the slow path, and the reference for the fast
    /// path in tests and benches.
    #[doc(hidden)]
    pub fn resolve_by_parser(&mut self, href: &str) -> Result<CanonicalRef<'_>, OutOfScope> {
        self.canonicaliser.check_length(href)?;
        let origin_end = self.resolve_slowly(href)?;
        Ok(CanonicalRef { text: &self.buffer, origin_end })
    }

    fn resolve_slowly(&mut self, href: &str) -> Result<usize, OutOfScope> {
        self.buffer.clear();
        let Some(url) = self.join(href) else {
            return Err(if has_other_scheme(href) { OutOfScope::Scheme } else { OutOfScope::Invalid });
        };
        self.canonicaliser.write(&url, &mut self.buffer)
    }

    fn join(&mut self, href: &str) -> Option<Url> {
        match &self.context {
            Context::Other(base) => join(base, href, self.encoding),
            Context::Web(base) => {
                if self.parsed_base.is_none() {
                    self.parsed_base = Url::parse(base.text()).ok();
                }
                join(self.parsed_base.as_ref()?, href, self.encoding)
            }
        }
    }
}
