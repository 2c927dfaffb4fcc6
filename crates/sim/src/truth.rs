//! The ground truth: every linked URL and its properties.

use serde::{Deserialize, Serialize};

use super::site::{Answer, Site};

/// One URL of the ground truth, i.e. one line of the truth file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TruthRow {
    /// The URL in canonical form.
    pub url: String,
    /// The name of its host, without the port.
    pub host: String,
    /// The family of its site: `forum`, `blogs`, `qa`, `media`, `client`, `static` or `portal`.
    pub family: String,
    /// Its template, for example `forum:thread`.
    pub page_type: String,
    /// The status of its answer, ignoring transient errors.
    pub status: u16,
    /// The media type of its answer.
    pub media_type: String,
    /// Whether it shows user-created content.
    pub ucc: bool,
    /// The canonical URL of the same content, if this is another address or another order of it.
    pub duplicate_of: Option<String>,
    /// The target of its redirect, without the fragment.
    pub redirect_to: Option<String>,
    /// Whether robots.txt allows it.
    pub robots_allowed: bool,
    /// The tags of the item that it shows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
}

/// The media type of pages.
pub(super) const HTML: &str = "text/html; charset=utf-8";

/// Returns the rows of one site.
pub(super) fn rows<'a, S: Site>(
    site: &'a S,
    family: &'static str,
    port: &'a str,
) -> Box<dyn Iterator<Item = TruthRow> + 'a> {
    Box::new(site.routes().map(move |route| row(site, family, port, route)))
}

fn row<S: Site>(site: &S, family: &str, port: &str, route: S::Route) -> TruthRow {
    let facts = site.facts(route);
    let host = site.host();
    let (mut duplicate_of, mut redirect_to, mut media_type) = (None, None, HTML);
    match facts.answer {
        Answer::View(of) => duplicate_of = Some(url(site, port, of)),
        Answer::Redirect(_, to) => redirect_to = Some(url(site, port, to)),
        Answer::File(file_type) => media_type = file_type,
        Answer::Page | Answer::Dead => {}
    }
    TruthRow {
        url: url(site, port, route),
        host: host.name.clone(),
        family: family.to_owned(),
        page_type: facts.page_type.to_owned(),
        status: facts.status(),
        media_type: media_type.to_owned(),
        ucc: facts.ucc,
        duplicate_of,
        redirect_to,
        robots_allowed: facts.allowed || !host.shape.options.disallow,
        tags: site.tags(route),
    }
}

/// Returns the absolute URL of a route.
pub(super) fn url<S: Site>(site: &S, port: &str, route: S::Route) -> String {
    let mut out = String::with_capacity(96);
    out.push_str("http://");
    out.push_str(&site.host().name);
    out.push_str(port);
    site.write_path(route, &mut out);
    out
}
