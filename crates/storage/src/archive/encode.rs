//! Encodes an exchange as WARC records (WARC 1.1, ISO 28500:2017).
//!
//! An answer that is not kept has only a metadata record.
//!
//! Input: an [`Exchange`] with an answer. Output: a response (or revisit) record, then its request record, then its
//! metadata record, then what a browser showed of it, if anything, each a separate gzip member. Encoding is pure except
//! for the record ids that it generates and the payload index that it queries. There is one encoder per CPU worker,
//! because compression is the most expensive step of the crawl and the compressor and buffers are reused.
//!
//! The payload digest covers the payload: the body without its transfer coding, but with its content coding. The block
//! of a revisit record is only the HTTP head (profile identical-payload-digest, section 6.7.2), hence
//! `WARC-Truncated: length`. For a 304 answer (profile server-not-modified) the block is empty: a replayer answers with
//! the head that it finds, and a visitor of the archive should see the page, not a 304.

use std::sync::Arc;

use http::header::{CONTENT_ENCODING, HeaderName};

use super::digest::{Digest, digest};
use super::gzip::{BUFFER_KEPT, Content, MemberCompressor, content_of};
use super::head;
use super::named_fields::{self, Fields, PageFacts};
use super::record_id::{RecordId, RecordIds};
use super::revisit::{OriginalRecord, RevisitIndex};
use harvestman_core::config::archive::ArchiveOptions;
use harvestman_core::model::{Answer, Exchange, ScheduledUrl, Truncation};

pub(super) const VERSION_LINE: &[u8] = b"WARC/1.1\r\n";
/// What stands before the URL of a page in the address of the document that a browser showed.
const RENDERED_PREFIX: &str = "urn:dom:";
const SAME_PAYLOAD: &str = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest";
const NOT_MODIFIED: &str = "http://netpreserve.org/warc/1.1/revisit/server-not-modified";

/// The encoded records of one exchange.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncodedPage {
    /// The concatenated records, starting with the response (or revisit).
    pub bytes: Vec<u8>,
    /// Length of the response (or revisit) record in `bytes`.
    pub response_length: u64,
    /// The number of records.
    pub records: u32,
    /// Digest of the payload.
    pub payload_digest: Digest,
    /// Whether the first record is a revisit.
    pub revisit: bool,
    /// The entry for the revisit index, to be registered once the records are written.
    pub original: Option<OriginalRecord>,
    /// The record with the payload: this page's own record, or the one that its revisit record refers to. `None` if the
    /// payload is truncated or empty.
    pub held_by: Option<OriginalRecord>,
    /// Whether the first record is the metadata record, because the answer is not kept.
    pub is_unkept: bool,
}

/// The archived capture of an earlier visit to the page, in this run or an earlier one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreviousCapture {
    /// The digest of the payload.
    pub payload: Digest,
    /// The record with the payload.
    pub original: OriginalRecord,
}

/// The first record of a page.
struct AnswerRecord {
    payload: Digest,
    /// The record that a revisit record refers to; `None` for a response record.
    refers_to: Option<OriginalRecord>,
}

/// Bodies shorter than this many bytes are always written, because the headers of a revisit record are about as long.
const REVISIT_BODY_MIN: usize = 1 << 10;

/// Encodes exchanges as WARC records.
pub struct RecordEncoder {
    options: ArchiveOptions,
    revisit_body_min: usize,
    redacted: Vec<HeaderName>,
    ids: RecordIds,
    index: Arc<RevisitIndex>,
    maker: RecordAssembler,
    head: Vec<u8>,
}

impl RecordEncoder {
    /// Creates an encoder that takes record ids from `ids` and looks up earlier payloads in `index`.
    pub fn new(options: &ArchiveOptions, ids: RecordIds, index: Arc<RevisitIndex>) -> Self {
        let redacted = options.redact_request_headers.iter().filter_map(|name| name.parse().ok()).collect();
        let maker = RecordAssembler::new(options);
        Self {
            options: options.clone(),
            revisit_body_min: REVISIT_BODY_MIN,
            redacted,
            ids,
            index,
            maker,
            head: Vec::new(),
        }
    }

    /// Returns the encoder with another minimum length of the bodies that take part in revisit records.
    #[must_use]
    pub const fn revisiting_from(mut self, bytes: usize) -> Self {
        self.revisit_body_min = bytes;
        self
    }

    /// Encodes the records of `exchange`. Returns `None` if there was no answer.
    pub fn encode(&mut self, exchange: &Exchange, item: &ScheduledUrl, facts: &PageFacts<'_>) -> Option<EncodedPage> {
        self.encode_again(exchange, item, facts, None)
    }

    /// Like [`encode`](Self::encode), for a page that was visited before. If the page is unchanged since `earlier` –
    /// the server answers 304, or its payload is the same – it is encoded as a revisit record, regardless of its
    /// length.
    pub fn encode_again(
        &mut self,
        exchange: &Exchange,
        item: &ScheduledUrl,
        facts: &PageFacts<'_>,
        earlier: Option<&PreviousCapture>,
    ) -> Option<EncodedPage> {
        let answer = exchange.result.as_ref().ok()?;
        if facts.not_kept.is_some() {
            return self.encode_unkept(exchange, item, facts);
        }
        let id = self.ids.next_id();
        let AnswerRecord { payload: payload_digest, refers_to } = self.answer_record(id, exchange, answer, earlier);
        let response_length = self.maker.out.len() as u64;
        let mut records = 1;
        if self.options.request_records {
            self.request_record(id, exchange, answer);
            records += 1;
        }
        if self.options.metadata_records {
            self.metadata_record(Some(id), exchange, item, facts);
            records += 1;
        }
        if let Some(html) = facts.rendered.filter(|_| self.options.rendered_records) {
            self.rendered_record(id, exchange, html);
            records += 1;
        }
        let revisit = refers_to.is_some();
        let own = || OriginalRecord { url: exchange.url.as_str().into(), date: exchange.timings.started, id };
        let whole = answer.truncated.is_none() && !answer.body.is_empty();
        let original = (!revisit && self.takes_part(answer)).then(own);
        let held_by = refers_to.or_else(|| whole.then(own));
        let bytes = self.maker.take();
        let is_unkept = false;
        Some(EncodedPage { bytes, response_length, records, payload_digest, revisit, original, held_by, is_unkept })
    }

    /// Encodes what is known of an exchange whose answer is not kept. Returns `None` if no metadata records are
    /// written.
    fn encode_unkept(
        &mut self,
        exchange: &Exchange,
        item: &ScheduledUrl,
        facts: &PageFacts<'_>,
    ) -> Option<EncodedPage> {
        self.options.metadata_records.then(|| self.metadata_record(None, exchange, item, facts))?;
        let bytes = self.maker.take();
        Some(EncodedPage {
            response_length: bytes.len() as u64,
            bytes,
            records: 1,
            payload_digest: digest(self.options.digest, &[]),
            revisit: false,
            original: None,
            held_by: None,
            is_unkept: true,
        })
    }

    /// Appends the response record, or a revisit record if the payload is already archived.
    fn answer_record(
        &mut self,
        id: RecordId,
        exchange: &Exchange,
        answer: &Answer,
        earlier: Option<&PreviousCapture>,
    ) -> AnswerRecord {
        self.head.clear();
        head::write_response(answer, &mut self.head);
        let algorithm = self.options.digest;
        let not_modified = earlier.filter(|_| answer.status == 304);
        let payload = not_modified.map_or_else(|| digest(algorithm, &[&answer.body]), |earlier| earlier.payload);
        let original = not_modified.map(|earlier| earlier.original.clone());
        let original = original.or_else(|| self.same_payload(&payload, answer, earlier));
        let profile = if not_modified.is_some() { NOT_MODIFIED } else { SAME_PAYLOAD };
        let content = content_of(answer.headers.get(CONTENT_ENCODING).map(|v| v.as_bytes()), answer.content_type());
        let mut fields = self.maker.start(if original.is_some() { "revisit" } else { "response" });
        common_fields(&mut fields, id, exchange, answer, &self.ids);
        fields.put("Content-Type", "application/http;msgtype=response").digest("WARC-Payload-Digest", &payload);
        if let Some(original) = &original {
            fields.put("WARC-Profile", profile).id("WARC-Refers-To", original.id);
            fields.uri("WARC-Refers-To-Target-URI", &original.url).date("WARC-Refers-To-Date", original.date);
            if not_modified.is_some() {
                self.head.clear();
            } else {
                fields.put("WARC-Truncated", "length");
            }
            fields.digest("WARC-Block-Digest", &digest(algorithm, &[&self.head]));
            self.maker.finish(&[&self.head], Content::Text);
        } else {
            if let Some(why) = answer.truncated {
                fields.put("WARC-Truncated", truncation(why));
            }
            fields.digest("WARC-Block-Digest", &digest(algorithm, &[&self.head, &answer.body]));
            self.maker.finish(&[&self.head, &answer.body], content);
        }
        AnswerRecord { payload, refers_to: original }
    }

    /// Returns the record that already has this payload, if a revisit record may refer to it.
    fn same_payload(
        &self,
        payload: &Digest,
        answer: &Answer,
        earlier: Option<&PreviousCapture>,
    ) -> Option<OriginalRecord> {
        let comparable = self.options.revisits && answer.truncated.is_none() && !answer.body.is_empty();
        match earlier.filter(|earlier| comparable && earlier.payload == *payload) {
            Some(earlier) => Some(earlier.original.clone()),
            None if self.takes_part(answer) => self.index.find(payload),
            None => None,
        }
    }

    fn request_record(&mut self, response: RecordId, exchange: &Exchange, answer: &Answer) {
        self.head.clear();
        head::write_request(&exchange.url, answer.version, &exchange.request_headers, &self.redacted, &mut self.head);
        let id = self.ids.next_id();
        let mut fields = self.maker.start("request");
        common_fields(&mut fields, id, exchange, answer, &self.ids);
        fields.put("Content-Type", "application/http;msgtype=request").id("WARC-Concurrent-To", response);
        fields.digest("WARC-Block-Digest", &digest(self.options.digest, &[&self.head]));
        self.maker.finish(&[&self.head], Content::Text);
    }

    /// Appends the metadata record of a response, or of an answer without one.
    fn metadata_record(
        &mut self,
        response: Option<RecordId>,
        exchange: &Exchange,
        item: &ScheduledUrl,
        facts: &PageFacts<'_>,
    ) {
        self.head.clear();
        named_fields::write(exchange, item, facts, &mut self.head);
        let id = self.ids.next_id();
        let mut fields = self.maker.start("metadata");
        fields.id("WARC-Record-ID", id).date("WARC-Date", exchange.timings.started);
        fields.uri("WARC-Target-URI", exchange.url.as_str());
        fields.id("WARC-Warcinfo-ID", self.ids.run().warcinfo());
        if let Some(response) = response {
            fields.id("WARC-Concurrent-To", response);
        }
        fields.put("Content-Type", "application/warc-fields");
        fields.digest("WARC-Block-Digest", &digest(self.options.digest, &[&self.head]));
        self.maker.finish(&[&self.head], Content::Text);
    }

    /// Appends what a browser showed, as a resource of its own: no server sent it (iipc/warc-specifications issue 5).
    fn rendered_record(&mut self, response: RecordId, exchange: &Exchange, html: &str) {
        let id = self.ids.next_id();
        let mut fields = self.maker.start("resource");
        fields.id("WARC-Record-ID", id).date("WARC-Date", exchange.timings.started);
        fields.uri("WARC-Target-URI", &format!("{RENDERED_PREFIX}{}", exchange.url.as_str()));
        fields.id("WARC-Warcinfo-ID", self.ids.run().warcinfo()).id("WARC-Concurrent-To", response);
        fields.put("Content-Type", "text/html; charset=utf-8");
        fields.digest("WARC-Block-Digest", &digest(self.options.digest, &[html.as_bytes()]));
        self.maker.finish(&[html.as_bytes()], Content::Text);
    }

    /// Returns whether an answer may become a revisit or be referred to by one: it must be complete, and long enough to
    /// save space.
    fn takes_part(&self, answer: &Answer) -> bool {
        let body = answer.body.len();
        self.options.revisits && body > 0 && body >= self.revisit_body_min && answer.truncated.is_none()
    }
}

/// Appends the common fields of response, revisit and request records.
fn common_fields(fields: &mut Fields<'_>, id: RecordId, exchange: &Exchange, answer: &Answer, ids: &RecordIds) {
    fields.id("WARC-Record-ID", id).date("WARC-Date", exchange.timings.started);
    fields.uri("WARC-Target-URI", exchange.url.as_str()).id("WARC-Warcinfo-ID", ids.run().warcinfo());
    if let Some(remote) = answer.remote {
        fields.put("WARC-IP-Address", remote);
    }
    if let Some(protocol) = head::protocol(answer.version) {
        fields.put("WARC-Protocol", protocol);
    }
}

const fn truncation(why: Truncation) -> &'static str {
    match why {
        Truncation::Length => "length",
        Truncation::Time => "time",
        Truncation::Disconnect => "disconnect",
        Truncation::UnwantedType => "unspecified",
    }
}

/// Assembles records: the header, the block, the two line breaks at the end, and the gzip member around them.
pub(super) struct RecordAssembler {
    /// The compressor; `None` if records are written uncompressed.
    members: Option<MemberCompressor>,
    plain: Vec<u8>,
    out: Vec<u8>,
}

/// Compression level of bodies that are already compressed (content-encoded, or images, video, audio): none, as they do
/// not shrink further.
const ENCODED_LEVEL: u8 = 0;

impl RecordAssembler {
    pub fn new(options: &ArchiveOptions) -> Self {
        let members = options.compress.then(|| MemberCompressor::new(options.level, ENCODED_LEVEL));
        Self { members, plain: Vec::new(), out: Vec::new() }
    }

    /// Starts a record's header.
    pub fn start(&mut self, record_type: &str) -> Fields<'_> {
        self.plain.clear();
        self.plain.extend_from_slice(VERSION_LINE);
        let mut fields = Fields(&mut self.plain);
        fields.put("WARC-Type", record_type);
        fields
    }

    /// Finishes the header, and the record with a block concatenated from `parts`.
    pub fn finish(&mut self, parts: &[&[u8]], content: Content) {
        let length: usize = parts.iter().map(|part| part.len()).sum();
        Fields(&mut self.plain).put("Content-Length", length);
        self.plain.extend_from_slice(b"\r\n");
        self.plain.reserve(length + 4);
        for part in parts {
            self.plain.extend_from_slice(part);
        }
        self.plain.extend_from_slice(b"\r\n\r\n");
        match &mut self.members {
            Some(members) => members.append(&self.plain, content, &mut self.out),
            None => self.out.extend_from_slice(&self.plain),
        }
    }

    /// Returns all records finished since the last call, in a buffer of the exact size: pages wait in a queue, and the
    /// working buffers are several times as large.
    pub fn take(&mut self) -> Vec<u8> {
        let bytes = self.out.as_slice().to_vec();
        self.out.clear();
        self.out.shrink_to(BUFFER_KEPT);
        self.plain.clear();
        self.plain.shrink_to(BUFFER_KEPT);
        bytes
    }
}
