//! Batches of the exchange: links for the partitions of one shard.
//!
//! A batch costs some 150 bytes of its own (its message's subject and headers, its seal, the first page and the first URL); what a link
//! adds are its place in the columns and what is new in its URL. So links are cheap in large batches only: with all that stands around
//! a message, a link of a forum with long slugs is 54 bytes in a batch of 16, 39 in one of 64 and 31 in one of 256; one of a site
//! whose URLs are ids is 38, 24 and 18.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::codec::{MessageKind, WireCodec, WireError, value};
use super::links::Links;
use crate::bus::PAYLOAD_MAX;
use harvestman_core::model::ScheduledUrl;

/// The most links of a batch.
pub const LINKS_MAX: usize = 256;
/// The most bytes of a batch, decompressed, and of the texts in it, written out.
const PLAIN_MAX: usize = 8 << 20;
/// Texts of so many bytes are not put into one batch, unless they are of one link.
const TEXT_MAX: usize = 4 << 20;

/// A batch.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Batch {
    /// The generation of the site model that the links were classified by.
    pub generation: u64,
    /// The links. Those of a host are in the order in which they were found; the hosts are in any order, for no queue holds two.
    pub links: Vec<ScheduledUrl>,
}

/// What links were put into.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Split {
    /// Payloads, each of at most [`LINKS_MAX`] links and [`PAYLOAD_MAX`] bytes.
    pub messages: Vec<Bytes>,
    /// Links that are so long that they fit into no message. None of them is in `messages`.
    pub too_long: usize,
}

#[derive(Serialize, Deserialize)]
struct Body<'a> {
    generation: u64,
    #[serde(borrow)]
    links: Links<'a>,
}

impl Batch {
    /// Puts links into messages.
    pub fn split(links: &[ScheduledUrl], generation: u64, packer: &mut WireCodec) -> Split {
        let mut items: Vec<&ScheduledUrl> = links.iter().collect();
        // In the order in which they came a link would cost one or two bytes more; sorted by their URLs half a byte less.
        items.sort_by_key(|item| item.url.origin());
        let mut split = Split::default();
        let mut rest = items.as_slice();
        while !rest.is_empty() {
            let (head, after) = rest.split_at(fitting(rest));
            pack(head, generation, packer, &mut split);
            rest = after;
        }
        split
    }

    /// Reads a message.
    ///
    /// # Errors
    /// Where it was not written by a node of this format, or has changed since.
    pub fn read(bytes: &[u8], packer: &mut WireCodec) -> Result<Self, WireError> {
        let kind = MessageKind::Batch;
        let (raw, plain) = packer.open(kind, bytes, PLAIN_MAX)?;
        let Body { generation, links } = value(kind, &plain)?;
        if links.len() > LINKS_MAX {
            return Err(kind.spoilt("it has too many links"));
        }
        let links = links.read(raw, PLAIN_MAX).ok_or(kind.spoilt("its links cannot be read"))?;
        Ok(Self { generation, links })
    }
}

/// How many of the first items go into a batch, by their number and the length of their texts; at least one.
fn fitting(items: &[&ScheduledUrl]) -> usize {
    let mut text = 0;
    let fits = |item: &&&ScheduledUrl| {
        text += item.url.as_str().len() + item.via.as_deref().map_or(0, str::len);
        text <= TEXT_MAX
    };
    items.iter().take(LINKS_MAX).take_while(fits).count().max(1)
}

/// One message, or two halves where that is too long: at most eight times, for there are at most 2⁸ links.
fn pack(items: &[&ScheduledUrl], generation: u64, packer: &mut WireCodec, split: &mut Split) {
    let mut raw = Vec::new();
    let links = Links::of(items, &mut raw);
    let message = packer.seal(MessageKind::Batch, &raw, &Body { generation, links });
    if message.len() <= PAYLOAD_MAX {
        split.messages.push(message.into());
    } else if let [_] = items {
        split.too_long += 1;
    } else {
        let (one, other) = items.split_at(items.len() / 2);
        pack(one, generation, packer, split);
        pack(other, generation, packer, split);
    }
}

#[cfg(test)]
#[path = "batch_tests.rs"]
mod tests;
