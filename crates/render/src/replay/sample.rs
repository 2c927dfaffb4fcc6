//! What is known of a rendered page: its plain body and the requests that its scripts made.

use url::Url;

/// Maximum number of samples that learning and verification read; later ones are ignored.
pub const SAMPLES_MAX: usize = 16;
/// Maximum number of requests that are read of one sample; later ones are ignored.
pub const SAMPLE_REQUESTS_MAX: usize = 200;

/// A page that was rendered, with the requests of its scripts in the order in which they were made.
#[derive(Debug, Clone)]
pub struct Sample {
    /// The page's URL after redirects.
    pub page_url: Url,
    /// The body that plain HTTP gives for it.
    pub html: String,
    /// What its scripts requested. At most [`SAMPLE_REQUESTS_MAX`] are read.
    pub requests: Vec<SampleRequest>,
}

/// How a script asked for something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SampleKind {
    /// A GET request, the only one that can be replayed.
    #[default]
    Get,
    /// No request: a link that a script put into the page. Its URL is made from answers as those of requests are.
    Link,
    /// A request with a body, or of another method. Repeating it could change the site.
    Post,
    /// A socket, whose messages are no answers to requests.
    Socket,
}

/// A request that a script of a page made.
#[derive(Debug, Clone)]
pub struct SampleRequest {
    /// Its URL; a fragment is ignored.
    pub url: Url,
    /// The body of the answer, empty if there was none.
    pub body: Vec<u8>,
    /// The type that the answer claimed. It is only recorded: sites label JSON as scripts, so the body decides.
    pub content_type: String,
    /// Whether the answer holds links or texts that the plain page lacks.
    pub is_useful: bool,
    /// How the script asked.
    pub kind: SampleKind,
    /// The headers of the request, in any order.
    pub headers: Vec<(String, String)>,
    /// The fields of a JSON answer whose URLs the rendered page shows as links, named as by
    /// [`json_field`](super::json_field).
    pub link_fields: Vec<String>,
}
