//! From an exchange to the bytes of its WARC records (WARC 1.1, ISO 28500:2017).
//!
//! Input: an [`Exchange`] with an answer. ArchiveOutput: a response (or revisit) record, then its request, then its metadata, each
//! a gzip member of its own. Pure but for the ids it gives out and the index of payloads it asks; one encoder a CPU worker,
//! because compressing is the dearest step of all and the compressor and the buffers are kept.
//!
//! The payload digest is over the payload: the body without its transfer coding, its content coding kept. The block of a
//! revisit record is the HTTP head alone (profile identical-payload-digest, section 6.7.2), hence `WARC-Truncated: length`. Where the
//! server has answered 304 (profile server-not-modified) it is empty: a replayer answers by the head that it finds, and who looks at an
//! archive is to see the page, not a 304.

use std::sync::Arc;

use http::header::{CONTENT_ENCODING, HeaderName};

use super::digest::{Digest, digest, payload_and_block};
use super::fields::Fields;
use super::gzip::{BUFFER_KEPT, Content, MemberCompressor, content_of};
use super::head;
use super::metadata::{self, PageFacts};
use super::record_id::{RecordId, RecordIds};
use super::revisit::{OriginalRecord, RevisitIndex};
use harvestman_core::config::archive::ArchiveOptions;
use harvestman_core::model::{Answer, Exchange, ScheduledUrl, Truncation};

pub(super) const VERSION_LINE: &[u8] = b"WARC/1.1\r\n";
const SAME_PAYLOAD: &str = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest";
const NOT_MODIFIED: &str = "http://netpreserve.org/warc/1.1/revisit/server-not-modified";

/// The records of one exchange, ready to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncodedPage {
    /// The records, one after the other; the response (or revisit) is the first.
    pub bytes: Vec<u8>,
    /// Length of the response (or revisit) record in `bytes`.
    pub response_length: u64,
    /// How many records there are.
    pub records: u32,
    /// Digest of the payload.
    pub payload_digest: Digest,
    /// Whether the first record is a revisit.
    pub revisit: bool,
    /// What the revisit index is to remember once the records are written.
    pub original: Option<OriginalRecord>,
    /// The record that holds the payload: this page's own, or the one that its revisit record refers to. None where the payload is not
    /// whole, or empty.
    pub held_by: Option<OriginalRecord>,
}

/// What the archive holds of an earlier visit to the page, in this run or one before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreviousCapture {
    /// The payload.
    pub payload: Digest,
    /// The record that holds it.
    pub original: OriginalRecord,
}

/// What a page's first record is.
struct AnswerRecord {
    payload: Digest,
    /// The record that a revisit record refers to; none where it is a response record.
    refers_to: Option<OriginalRecord>,
}

/// Encodes exchanges.
pub struct RecordEncoder {
    options: ArchiveOptions,
    redacted: Vec<HeaderName>,
    ids: RecordIds,
    index: Arc<RevisitIndex>,
    maker: RecordAssembler,
    head: Vec<u8>,
}

impl RecordEncoder {
    /// An encoder that takes its ids from `ids` and looks for earlier payloads in `index`.
    pub fn new(options: &ArchiveOptions, ids: RecordIds, index: Arc<RevisitIndex>) -> Self {
        let redacted = options.redact_request_headers.iter().filter_map(|name| name.parse().ok()).collect();
        let maker = RecordAssembler::new(options);
        Self { options: options.clone(), redacted, ids, index, maker, head: Vec::new() }
    }

    /// The records of `exchange`; none where nothing was answered.
    pub fn encode(&mut self, exchange: &Exchange, item: &ScheduledUrl, facts: &PageFacts<'_>) -> Option<EncodedPage> {
        self.encode_again(exchange, item, facts, None)
    }

    /// The same for a page that was visited before. Where it is as it was `earlier` – the server says so (304), or its payload is the
    /// same – a revisit record stands for it, however short it is.
    pub fn encode_again(
        &mut self,
        exchange: &Exchange,
        item: &ScheduledUrl,
        facts: &PageFacts<'_>,
        earlier: Option<&PreviousCapture>,
    ) -> Option<EncodedPage> {
        let answer = exchange.result.as_ref().ok()?;
        let id = self.ids.next_id();
        let AnswerRecord { payload: payload_digest, refers_to } = self.answer_record(id, exchange, answer, earlier);
        let response_length = self.maker.out.len() as u64;
        let mut records = 1;
        if self.options.request_records {
            self.request_record(id, exchange, answer);
            records += 1;
        }
        if self.options.metadata_records {
            self.metadata_record(id, exchange, item, facts);
            records += 1;
        }
        let revisit = refers_to.is_some();
        let own = || OriginalRecord { url: exchange.url.as_str().into(), date: exchange.timings.started, id };
        let whole = answer.truncated.is_none() && !answer.body.is_empty();
        let original = (!revisit && self.takes_part(answer)).then(own);
        let held_by = refers_to.or_else(|| whole.then(own));
        let bytes = self.maker.take();
        Some(EncodedPage { bytes, response_length, records, payload_digest, revisit, original, held_by })
    }

    /// Appends the response record, or a revisit record where the payload is held already.
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
        let (payload, block) = payload_and_block(algorithm, &self.head, &answer.body);
        let not_modified = earlier.filter(|_| answer.status == 304);
        let payload = not_modified.map_or(payload, |earlier| earlier.payload);
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
            fields.digest("WARC-Block-Digest", &digest(algorithm, &self.head));
            self.maker.finish(&[&self.head], Content::Text);
        } else {
            if let Some(why) = answer.truncated {
                fields.put("WARC-Truncated", truncation(why));
            }
            fields.digest("WARC-Block-Digest", &block);
            self.maker.finish(&[&self.head, &answer.body], content);
        }
        AnswerRecord { payload, refers_to: original }
    }

    /// The record that holds this payload already, if a revisit record may stand for it.
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
        fields.digest("WARC-Block-Digest", &digest(self.options.digest, &self.head));
        self.maker.finish(&[&self.head], Content::Text);
    }

    fn metadata_record(&mut self, response: RecordId, exchange: &Exchange, item: &ScheduledUrl, facts: &PageFacts<'_>) {
        self.head.clear();
        metadata::write(exchange, item, facts, &mut self.head);
        let id = self.ids.next_id();
        let mut fields = self.maker.start("metadata");
        fields.id("WARC-Record-ID", id).date("WARC-Date", exchange.timings.started);
        fields.uri("WARC-Target-URI", exchange.url.as_str());
        fields.id("WARC-Warcinfo-ID", self.ids.run().warcinfo()).id("WARC-Concurrent-To", response);
        fields.put("Content-Type", "application/warc-fields");
        fields.digest("WARC-Block-Digest", &digest(self.options.digest, &self.head));
        self.maker.finish(&[&self.head], Content::Text);
    }

    /// Whether revisits are made of, or from, answers like this one: whole, and long enough to save something.
    fn takes_part(&self, answer: &Answer) -> bool {
        let body = answer.body.len() as u64;
        self.options.revisits && body > 0 && body >= self.options.revisit_body_min.0 && answer.truncated.is_none()
    }
}

/// The fields that response, revisit and request records share.
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

/// Puts records together: header, block, the two line breaks at the end, and the member around them.
pub(super) struct RecordAssembler {
    /// Compresses members; none where records are written plain.
    members: Option<MemberCompressor>,
    plain: Vec<u8>,
    out: Vec<u8>,
}

impl RecordAssembler {
    pub fn new(options: &ArchiveOptions) -> Self {
        let members = options.compress.then(|| MemberCompressor::new(options.level, options.level_encoded));
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

    /// Ends the header, and the record with the block that is made of `parts`.
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

    /// All records finished since the last call, in a buffer of their exact size: pages wait in a queue, and the working
    /// buffers are several times as large.
    pub fn take(&mut self) -> Vec<u8> {
        let bytes = self.out.as_slice().to_vec();
        self.out.clear();
        self.out.shrink_to(BUFFER_KEPT);
        self.plain.clear();
        self.plain.shrink_to(BUFFER_KEPT);
        bytes
    }
}
