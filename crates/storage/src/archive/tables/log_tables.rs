//! The tables of the logs of a crawl. That of the page log has one column per field of a line, with the same name; that
//! of the link export has one row per page, with its links as a list.

use parquet::errors::ParquetError;
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::Type;
use serde::Serialize;

use super::column::{Cell, Column, Values};
use crate::archive::LinksLine;
use harvestman_core::model::PageRecord;

/// A column: its name, its Parquet type, and the function that extracts its value from a line.
pub(super) struct Field {
    pub name: &'static str,
    kind: Kind,
    required: bool,
    take: fn(&mut PageRecord) -> Option<Cell>,
}

#[derive(Clone, Copy)]
enum Kind {
    Text,
    Int,
    Long,
    Time,
    Double,
    Bool,
}

impl Kind {
    const fn in_schema(self) -> (&'static str, &'static str) {
        match self {
            Self::Text => ("BYTE_ARRAY", " (STRING)"),
            Self::Int => ("INT32", ""),
            Self::Long => ("INT64", ""),
            Self::Time => ("INT64", " (TIMESTAMP(MILLIS,true))"),
            Self::Double => ("DOUBLE", ""),
            Self::Bool => ("BOOLEAN", ""),
        }
    }

    const fn values(self) -> Values {
        match self {
            Self::Text => Values::Text(Vec::new()),
            Self::Int => Values::Int(Vec::new()),
            Self::Long | Self::Time => Values::Long(Vec::new()),
            Self::Double => Values::Double(Vec::new()),
            Self::Bool => Values::Bool(Vec::new()),
        }
    }
}

const fn required(name: &'static str, kind: Kind, take: fn(&mut PageRecord) -> Option<Cell>) -> Field {
    Field { name, kind, required: true, take }
}

const fn optional(name: &'static str, kind: Kind, take: fn(&mut PageRecord) -> Option<Cell>) -> Field {
    Field { name, kind, required: false, take }
}

fn text(value: &mut Option<String>) -> Option<Cell> {
    value.take().map(Cell::Text)
}

fn long<T: Into<u64>>(value: Option<T>) -> Option<Cell> {
    // No count comes close to the upper half of the range.
    value.map(|value| Cell::Long(i64::try_from(value.into()).unwrap_or(i64::MAX)))
}

fn int<T: Into<i32>>(value: Option<T>) -> Option<Cell> {
    value.map(|value| Cell::Int(value.into()))
}

const FIELDS: [Field; 36] = [
    required("url", Kind::Text, |page| Some(Cell::Text(std::mem::take(&mut page.url)))),
    optional("time", Kind::Time, time),
    required("fate", Kind::Text, |page| Some(Cell::Text(std::mem::take(&mut page.fate)))),
    optional("reason", Kind::Text, |page| text(&mut page.reason)),
    optional("status", Kind::Int, |page| int(page.status)),
    optional("content_type", Kind::Text, |page| text(&mut page.content_type)),
    required("bytes", Kind::Long, |page| long(Some(page.bytes))),
    optional("redirect_to", Kind::Text, |page| text(&mut page.redirect_to)),
    optional("via", Kind::Text, |page| text(&mut page.via)),
    required("depth", Kind::Int, |page| int(Some(page.depth))),
    required("attempts", Kind::Int, |page| int(Some(page.attempts))),
    optional("first_byte_ms", Kind::Long, |page| long(page.first_byte_ms)),
    optional("duration_ms", Kind::Long, |page| long(page.duration_ms)),
    optional("title", Kind::Text, |page| text(&mut page.title)),
    optional("visit", Kind::Long, |page| long(page.visit)),
    optional("changed", Kind::Bool, |page| page.changed.map(Cell::Bool)),
    optional("difference", Kind::Text, |page| text(&mut page.difference)),
    optional("links", Kind::Long, |page| long(page.links)),
    optional("links_new", Kind::Long, |page| long(page.links_new)),
    optional("cluster", Kind::Long, |page| long(page.cluster)),
    optional("class", Kind::Text, |page| text(&mut page.class)),
    optional("score", Kind::Double, |page| page.score.map(Cell::Double)),
    optional("snapshot", Kind::Long, |page| long(page.snapshot)),
    optional("rendered", Kind::Text, |page| text(&mut page.rendered)),
    optional("render_class", Kind::Text, |page| text(&mut page.render_class)),
    optional("payload_digest", Kind::Text, |page| text(&mut page.payload_digest)),
    optional("ip", Kind::Text, |page| text(&mut page.ip)),
    optional("truncated", Kind::Text, |page| text(&mut page.truncated)),
    optional("given_up", Kind::Text, |page| text(&mut page.given_up)),
    optional("unread", Kind::Text, |page| text(&mut page.unread)),
    optional("markup", Kind::Text, |page| text(&mut page.markup)),
    optional("unended", Kind::Text, |page| text(&mut page.unended)),
    optional("recovered", Kind::Text, |page| list(std::mem::take(&mut page.recovered))),
    optional("signals", Kind::Text, |page| list(std::mem::take(&mut page.signals))),
    optional("warc_file", Kind::Text, |page| text(&mut page.warc_file)),
    optional("warc_offset", Kind::Long, |page| long(page.warc_offset)),
];

/// Returns a list, as JSON like in the page log.
fn list<T: Serialize>(values: Vec<T>) -> Option<Cell> {
    let text = (!values.is_empty()).then(|| serde_json::to_string(&values));
    Some(Cell::Text(text?.ok()?))
}

/// Converts the time of a line, which was validated when the line was parsed.
fn time(page: &mut PageRecord) -> Option<Cell> {
    let time: jiff::Timestamp = page.time.take()?.parse().ok()?;
    Some(Cell::Long(time.as_millisecond()))
}

pub(super) fn page_schema() -> Result<Type, ParquetError> {
    let column = |field: &Field| {
        let (kind, meaning) = field.kind.in_schema();
        let repetition = if field.required { "REQUIRED" } else { "OPTIONAL" };
        format!("{repetition} {kind} {}{meaning};", field.name)
    };
    parse_message_type(&format!("message page {{ {} }}", FIELDS.iter().map(column).collect::<String>()))
}

pub(super) fn page_columns() -> Vec<Column> {
    FIELDS.iter().map(|field| Column::new(field.kind.values(), !field.required, false)).collect()
}

/// Adds a line to the columns. Adds nothing and returns an error if it is not a line of the page log.
pub(super) fn push_page(line: &[u8], columns: &mut [Column]) -> Result<(), String> {
    let mut page: PageRecord = serde_json::from_slice(line).map_err(|error| error.to_string())?;
    if let Some(time) = &page.time {
        time.parse::<jiff::Timestamp>().map_err(|_| format!("`{time}` is not a timestamp"))?;
    }
    for (field, column) in FIELDS.iter().zip(columns) {
        column.push((field.take)(&mut page));
    }
    Ok(())
}

const SCHEMA: &str = "message page {
    REQUIRED BYTE_ARRAY url (STRING);
    REQUIRED GROUP links (LIST) {
        REPEATED GROUP list {
            REQUIRED GROUP element {
                REQUIRED BYTE_ARRAY href (STRING);
                REQUIRED BYTE_ARRAY class (STRING);
                REQUIRED BOOLEAN new;
                OPTIONAL BYTE_ARRAY refused (STRING);
            }
        }
    }
}";

pub(super) fn link_schema() -> Result<Type, ParquetError> {
    parse_message_type(SCHEMA)
}

pub(super) fn link_columns() -> Vec<Column> {
    let text = || Values::Text(Vec::new());
    let of_links = [text(), text(), Values::Bool(Vec::new()), text()].map(|values| Column::new(values, true, true));
    std::iter::once(Column::new(text(), false, false)).chain(of_links).collect()
}

/// Adds a line to the columns. Adds nothing and returns an error if it is not a line of the link export.
pub(super) fn push_link(line: &[u8], columns: &mut [Column]) -> Result<(), String> {
    let LinksLine { url, links } = serde_json::from_slice(line).map_err(|error| error.to_string())?;
    let [of_url, of_links @ ..] = columns else { unreachable!("the columns of this table") };
    of_url.push(Some(Cell::Text(url)));
    if links.is_empty() {
        of_links.iter_mut().for_each(|column| column.push_at(None, 0, 0));
    }
    for (place, link) in links.into_iter().enumerate() {
        let repetition = i16::from(place > 0);
        // Within a list only the last column is optional, which adds one level.
        let refusal = (link.refused.map(Cell::Text), 2);
        let cells = [Cell::Text(link.href), Cell::Text(link.class), Cell::Bool(link.new)].map(|cell| (Some(cell), 1));
        for ((cell, highest), column) in cells.into_iter().chain([refusal]).zip(of_links.iter_mut()) {
            let definition = if cell.is_some() { highest } else { highest - 1 };
            column.push_at(cell, definition, repetition);
        }
    }
    Ok(())
}
