//! The warcinfo record at the start of every WARC file: operator, software and crawl rules (WARC 1.1, section 6.2).

use super::digest::digest;
use super::encode::RecordAssembler;
use super::fields::Fields;
use super::gzip::Content;
use super::record_id::RecordId;
use harvestman_core::clock::Instant;
use harvestman_core::config::archive::ArchiveOptions;

const CONFORMS_TO: &str = "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/";

/// The description of the crawl in the warcinfo record.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CrawlInfo {
    /// The robots.txt policy: `obeyed` or `ignored` (`classic` or `ignore` in other tools).
    pub robots: String,
    /// The contact for the crawl: a name, an address, a URL.
    pub operator: Option<String>,
    /// The User-Agent header of all requests.
    pub user_agent: Option<String>,
    /// The purpose of the crawl.
    pub description: Option<String>,
    /// The host name of the machine. The writer fills it in if `archive.hostname` is set.
    pub hostname: Option<String>,
}

/// Encodes the first record of a file.
pub(super) fn encode(
    maker: &mut RecordAssembler,
    options: &ArchiveOptions,
    info: &CrawlInfo,
    id: RecordId,
    file_name: &str,
    now: Instant,
) -> Vec<u8> {
    let block = block(info);
    let mut fields = maker.start("warcinfo");
    fields.id("WARC-Record-ID", id).date("WARC-Date", now).text("WARC-Filename", file_name);
    fields.put("Content-Type", "application/warc-fields");
    fields.digest("WARC-Block-Digest", &digest(options.digest, &[&block]));
    maker.finish(&[&block], Content::Text);
    maker.take()
}

fn block(info: &CrawlInfo) -> Vec<u8> {
    let mut block = Vec::new();
    let mut fields = Fields(&mut block);
    fields.put("software", concat!("harvestman/", env!("CARGO_PKG_VERSION")));
    fields.put("format", "WARC File Format 1.1").put("conformsTo", CONFORMS_TO);
    fields.text("robots", &info.robots);
    let optional = [
        ("operator", info.operator.as_deref()),
        ("http-header-user-agent", info.user_agent.as_deref()),
        ("description", info.description.as_deref()),
        ("hostname", info.hostname.as_deref()),
    ];
    for (name, value) in optional {
        if let Some(value) = value {
            fields.text(name, value);
        }
    }
    block
}
