//! Rules for tables (HTML standard, sections 13.2.6.4.9 to 15). `None` means that the rules of the body apply.

use super::builder::{Builder, Next};
use super::decoded_text::Source;
use super::element::{self, Tag};
use super::open::Mode;
use super::tokens::TagToken;

impl Builder {
    /// Handles a start tag in a table.
    pub fn table_start(&mut self, mode: Mode, source: Source<'_>, tag: &TagToken<'_>) -> Option<Next> {
        match mode {
            Mode::Cell | Mode::Caption if tag.tag.is(element::TABLE_PART) => Some(self.close_cell()),
            Mode::Body | Mode::Template | Mode::Cell | Mode::Caption => None,
            Mode::Table => self.start_in_table(source, tag),
            Mode::TableBody => match tag.tag {
                Tag::TR => self.push_in(is_section, Tag::TR, tag.class, Next::Done),
                Tag::TD | Tag::TH => self.push_in(is_section, Tag::TR, 0, Next::Again),
                part if part.is(element::TABLE_PART) => Some(self.close_context(is_section)),
                _ => self.start_in_table(source, tag),
            },
            Mode::Row => match tag.tag {
                Tag::TD | Tag::TH => self.push_in(is_row, tag.tag, tag.class, Next::Done),
                part if part.is(element::TABLE_PART) => Some(self.close_context(is_row)),
                _ => self.start_in_table(source, tag),
            },
            Mode::Colgroup => match tag.tag {
                Tag::COL | Tag::HTML => Some(Next::Done),
                Tag::TEMPLATE => None,
                _ => Some(self.close_colgroup()),
            },
        }
    }

    fn start_in_table(&mut self, source: Source<'_>, tag: &TagToken<'_>) -> Option<Next> {
        match tag.tag {
            Tag::CAPTION | Tag::COLGROUP | Tag::TBODY | Tag::TFOOT | Tag::THEAD => {
                self.push_in(is_table, tag.tag, tag.class, Next::Done)
            }
            Tag::COL => self.push_in(is_table, Tag::COLGROUP, 0, Next::Again),
            Tag::TD | Tag::TH | Tag::TR => self.push_in(is_table, Tag::TBODY, 0, Next::Again),
            Tag::TABLE => Some(if self.close_table() { Next::Again } else { Next::Done }),
            Tag::FORM => {
                if !self.open.has_form() && !self.in_template() {
                    // The form is empty, but no other form begins before its end tag.
                    self.open.begin_form();
                    self.form(source, tag);
                    self.push(Tag::FORM);
                    self.open.pop();
                }
                Some(Next::Done)
            }
            Tag::INPUT if is_hidden(source, tag) => Some(Next::Done),
            _ => None,
        }
    }

    /// Handles an end tag in a table.
    pub fn table_end(&mut self, mode: Mode, tag: Tag) -> Option<Next> {
        let ignored = tag.is(element::TABLE_PART) || tag == Tag::BODY || tag == Tag::HTML;
        let is_end = tag == Tag::TABLE || is_section(tag) || is_row(tag);
        match (mode, tag) {
            (Mode::Body | Mode::Template, _) => return None,
            (Mode::Cell, Tag::TD | Tag::TH) | (Mode::Caption, Tag::CAPTION) => {
                if let Some(at) = self.open.find_in_scope(tag, element::TABLE_SCOPE) {
                    self.open.truncate(at);
                }
            }
            (Mode::Cell, _) if is_end && self.open.in_table_scope(tag) => return Some(self.close_cell()),
            (Mode::Caption, Tag::TABLE) => return Some(self.close_cell()),
            (Mode::Table, Tag::TABLE) => {
                self.close_table();
            }
            (Mode::TableBody, Tag::TBODY | Tag::TFOOT | Tag::THEAD) if self.open.in_table_scope(tag) => {
                self.close_context(is_section);
            }
            (Mode::TableBody, Tag::TABLE) => return Some(self.close_context(is_section)),
            (Mode::Row, Tag::TR) => {
                self.close_context(is_row);
            }
            (Mode::Row, _) if is_end && self.open.in_table_scope(tag) => return Some(self.close_context(is_row)),
            (Mode::Colgroup, Tag::COLGROUP) => {
                self.close_colgroup();
            }
            (Mode::Colgroup, Tag::COL) => {}
            (Mode::Colgroup, Tag::TEMPLATE) => return None,
            (Mode::Colgroup, _) => return Some(self.close_colgroup()),
            _ if ignored || tag == Tag::TABLE => {}
            _ => return None,
        }
        Some(Next::Done)
    }

    /// Closes the elements inside the innermost `context` and opens `tag` there, with the class tokens of the word
    /// `class`.
    fn push_in(&mut self, context: fn(Tag) -> bool, tag: Tag, class: u64, next: Next) -> Option<Next> {
        self.open.pop_to(|open| context(open) || open == Tag::TEMPLATE);
        self.push_with(tag, class);
        Some(next)
    }

    /// Closes the innermost `context`.
    fn close_context(&mut self, context: fn(Tag) -> bool) -> Next {
        self.open.pop_to(|open| context(open) || open == Tag::TEMPLATE);
        if !context(self.open.tag()) {
            return Next::Done;
        }
        self.open.pop();
        Next::Again
    }

    /// Closes the cell or caption.
    fn close_cell(&mut self) -> Next {
        let cells = [Tag::TD, Tag::TH, Tag::CAPTION];
        let innermost = cells.iter().filter_map(|cell| self.open.find_in_scope(*cell, element::TABLE_SCOPE)).max();
        let Some(at) = innermost else { return Next::Done };
        self.open.truncate(at);
        Next::Again
    }

    pub fn close_colgroup(&mut self) -> Next {
        if self.open.tag() != Tag::COLGROUP {
            return Next::Done;
        }
        self.open.pop();
        Next::Again
    }

    fn close_table(&mut self) -> bool {
        let table = self.open.find_in_scope(Tag::TABLE, element::TABLE_SCOPE);
        if let Some(at) = table {
            self.open.truncate(at);
        }
        table.is_some()
    }
}

fn is_table(tag: Tag) -> bool {
    tag == Tag::TABLE
}

fn is_section(tag: Tag) -> bool {
    matches!(tag, Tag::TBODY | Tag::TFOOT | Tag::THEAD)
}

fn is_row(tag: Tag) -> bool {
    tag == Tag::TR
}

fn is_hidden(source: Source<'_>, tag: &TagToken<'_>) -> bool {
    let [kind] = Builder::attributes(source, tag).pick(["type"]);
    kind.is_some_and(|kind| kind.eq_ignore_ascii_case(b"hidden"))
}
