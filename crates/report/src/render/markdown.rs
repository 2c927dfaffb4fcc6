//! Renders a document as GitHub Flavored Markdown, for its tables.

use std::fmt::Write as _;

use super::block::{Block, Cell, Section, Table, visible};
use crate::document::Document;
use crate::plot::Chart;
use crate::sections::{colophon, sections, state};

/// Renders the report.
pub fn markdown(document: &Document) -> String {
    let mut out = format!("# {}\n\n{}\n", plain(&super::title(document)), plain(&state(document)));
    if !document.notes.is_empty() {
        out.push('\n');
        list(&mut out, &document.notes);
    }
    for section in sections(document) {
        write_section(&mut out, &section);
    }
    // Writing to a string cannot fail.
    let _ = write!(out, "\n---\n\n{}\n", plain(&colophon(document)));
    out
}

fn list(out: &mut String, lines: &[String]) {
    for line in lines {
        let _ = writeln!(out, "- {}", plain(line));
    }
}

fn write_section(out: &mut String, section: &Section) {
    let _ = writeln!(out, "\n## {}", plain(section.title));
    for block in &section.blocks {
        out.push('\n');
        match block {
            Block::Text(text) => {
                let _ = writeln!(out, "{}", plain(text));
            }
            Block::Remarks(lines) => list(out, lines),
            Block::Facts(facts) => {
                for (name, cell) in facts {
                    let _ = writeln!(out, "- {}: {}", plain(name), written(cell));
                }
            }
            Block::Table(table) => write_table(out, table),
            Block::Plot(chart, said) => {
                let (Chart::Lines { title, .. } | Chart::Bars { title, .. } | Chart::Lengths { title, .. }) = chart;
                let _ = writeln!(out, "*{}:* {}", plain(title), plain(said));
            }
            Block::Commands(commands) => {
                for command in commands {
                    // The fence is longer than any run of backticks in the command.
                    let line = visible(&command.command);
                    let ticks = "`".repeat(longest_run(&line).max(2) + 1);
                    let _ = writeln!(out, "{}:\n\n{ticks}sh\n{line}\n{ticks}\n", plain(&command.what));
                }
            }
        }
    }
}

fn write_table(out: &mut String, table: &Table) {
    let _ = writeln!(out, "**{}**\n", plain(&table.caption));
    let _ = writeln!(out, "| {} |", table.header.iter().map(|name| plain(name)).collect::<Vec<_>>().join(" | "));
    let rules = (0..table.header.len()).map(|column| if table.is_numeric(column) { "---:" } else { "---" });
    let _ = writeln!(out, "| {} |", rules.collect::<Vec<_>>().join(" | "));
    for row in &table.rows {
        let _ = writeln!(out, "| {} |", row.iter().map(written).collect::<Vec<_>>().join(" | "));
    }
}

fn written(cell: &Cell) -> String {
    match cell {
        Cell::Empty => String::new(),
        Cell::Text(text) => plain(text),
        Cell::Code(text) => code(text),
        Cell::Url(url) => address(url),
        Cell::Figure(figure) => plain(&figure.shown),
        Cell::Share(share) => format!("{:.1} %", share * 100.0),
        Cell::Lines(cells) => cells.iter().map(written).collect::<Vec<_>>().join("<br>"),
    }
}

/// Escapes all markup in a text.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in visible(text).chars() {
        match letter {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '#' => out.extend(['\\', letter]),
            // Otherwise a URL would become a link.
            ':' => out.push_str("&#58;"),
            _ => out.push(letter),
        }
    }
    out.replace("&#58; ", ": ").trim().to_owned()
}

/// Formats a text as code. In a table a bar ends the cell even within code, unless it is escaped.
fn code(text: &str) -> String {
    let text = visible(text).replace('|', "\\|");
    let ticks = "`".repeat(longest_run(&text) + 1);
    if text.contains('`') || text.trim() != text || text.is_empty() {
        format!("{ticks} {text} {ticks}")
    } else {
        format!("{ticks}{text}{ticks}")
    }
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// Formats a URL as a link if it is safe, otherwise as code.
fn address(url: &str) -> String {
    let linked = super::html::is_link(url)
        && !url.contains(|c: char| "<>|`\\\"'".contains(c) || c.is_whitespace() || !c.is_ascii());
    if linked { format!("<{url}>") } else { code(url) }
}
