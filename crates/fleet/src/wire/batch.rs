//! Batches of the exchange: links for the partitions of one shard.
//!
//! A batch has a fixed cost of about 150 bytes (subject and headers of its message, its frame, the first page and the
//! first URL). A link adds its entries in the columns and the novel part of its URL. So links are cheap in large
//! batches only: including the message overhead, a link of a forum with long slugs takes 54 bytes in a batch of 16, 39
//! in one of 64 and 31 in one of 256; a link of a site with ids in its URLs takes 38, 24 and 18.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::codec::{MessageKind, WireCodec, WireError, value};
use super::links::Links;
use crate::bus::PAYLOAD_MAX;
use harvestman_core::model::ScheduledUrl;

/// The most links of a batch.
pub const LINKS_MAX: usize = 256;
/// The most decompressed bytes of a batch, and the most bytes of its expanded texts.
const PLAIN_MAX: usize = 8 << 20;
/// The most bytes of texts that are put into one batch, unless a single link has more.
const TEXT_MAX: usize = 4 << 20;

/// A batch.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Batch {
    /// The generation of the site model that classified the links.
    pub generation: u64,
    /// The links. Links of one host keep the order in which they were found; the order of hosts is arbitrary, because
    /// no queue holds two of them.
    pub links: Vec<ScheduledUrl>,
}

/// The result of splitting links or an entry into messages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SplitMessages {
    /// Payloads, each of at most [`LINKS_MAX`] links and [`PAYLOAD_MAX`] bytes.
    pub messages: Vec<Bytes>,
    /// The number of links that are too long for any message. None of them is in `messages`.
    pub too_long: usize,
}

#[derive(Serialize, Deserialize)]
struct Body<'a> {
    generation: u64,
    #[serde(borrow)]
    links: Links<'a>,
}

impl Batch {
    /// Splits links into messages.
    pub fn split(links: &[ScheduledUrl], generation: u64, codec: &mut WireCodec) -> SplitMessages {
        let mut items: Vec<&ScheduledUrl> = links.iter().collect();
        // Sorting by origin saves one or two bytes per link over the order of arrival; sorting by URL would save
        // another half byte.
        items.sort_by_key(|item| item.url.origin());
        let mut split = SplitMessages::default();
        let mut rest = items.as_slice();
        while !rest.is_empty() {
            let (head, after) = rest.split_at(fitting(rest));
            pack(head, generation, codec, &mut split);
            rest = after;
        }
        split
    }

    /// Decodes a message.
    ///
    /// # Errors
    /// The message was written by a node of another format, or is corrupt.
    pub fn read(bytes: &[u8], codec: &mut WireCodec) -> Result<Self, WireError> {
        let kind = MessageKind::Batch;
        let (raw, plain) = codec.decode(kind, bytes, PLAIN_MAX)?;
        let Body { generation, links } = value(kind, &plain)?;
        if links.len() > LINKS_MAX {
            return Err(kind.corrupt("it has too many links"));
        }
        let links = links.read(raw, PLAIN_MAX).ok_or(kind.corrupt("its links are unreadable"))?;
        Ok(Self { generation, links })
    }
}

/// Returns the number of leading items that go into a batch, by count and length of texts; at least one.
fn fitting(items: &[&ScheduledUrl]) -> usize {
    let mut text = 0;
    let fits = |item: &&&ScheduledUrl| {
        text += item.url.as_str().len() + item.via.as_deref().map_or(0, str::len);
        text <= TEXT_MAX
    };
    items.iter().take(LINKS_MAX).take_while(fits).count().max(1)
}

/// Encodes one message, or two halves if it is too long: at most eight levels, because there are at most 2⁸ links.
fn pack(items: &[&ScheduledUrl], generation: u64, codec: &mut WireCodec, split: &mut SplitMessages) {
    let mut raw = Vec::new();
    let links = Links::of(items, &mut raw);
    let message = codec.encode(MessageKind::Batch, &raw, &Body { generation, links });
    if message.len() <= PAYLOAD_MAX {
        split.messages.push(message.into());
    } else if let [_] = items {
        split.too_long += 1;
    } else {
        let (one, other) = items.split_at(items.len() / 2);
        pack(one, generation, codec, split);
        pack(other, generation, codec, split);
    }
}

#[cfg(test)]
#[path = "batch_tests.rs"]
mod tests;
