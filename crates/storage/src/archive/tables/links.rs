//! The table of the link export: one row per page, with its links as a list.

use parquet::errors::ParquetError;
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::Type;

use super::column::{Cell, Column, Values};
use crate::archive::LinksLine;

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

pub(super) fn schema() -> Result<Type, ParquetError> {
    parse_message_type(SCHEMA)
}

pub(super) fn columns() -> Vec<Column> {
    let text = || Values::Text(Vec::new());
    let of_links = [text(), text(), Values::Bool(Vec::new()), text()].map(|values| Column::new(values, true, true));
    std::iter::once(Column::new(text(), false, false)).chain(of_links).collect()
}

/// Adds a line to the columns. Adds nothing and returns an error if it is not a line of the link export.
pub(super) fn push(line: &[u8], columns: &mut [Column]) -> Result<(), String> {
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
