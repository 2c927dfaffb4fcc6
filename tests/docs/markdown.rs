//! A document, read once: its links, headings, code and fenced blocks.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// A fenced block of code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// What stands behind the opening fence: the language and marks.
    pub info: String,
    /// The text.
    pub text: String,
}

/// A document.
#[derive(Debug, Clone, Default)]
pub struct Page {
    pub path: PathBuf,
    /// Destinations of links and pictures, as they are written.
    pub links: Vec<String>,
    /// Anchors of its headings.
    pub anchors: BTreeSet<String>,
    /// Texts of its headings.
    pub headings: BTreeSet<String>,
    /// Words that are set as code within text.
    pub code: Vec<String>,
    pub blocks: Vec<Block>,
}

impl Page {
    pub fn read(path: &Path) -> Self {
        let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Self::parse(path, &text)
    }

    pub fn parse(path: &Path, text: &str) -> Self {
        let mut page = Self { path: path.to_owned(), ..Self::default() };
        let mut heading: Option<String> = None;
        let mut block: Option<Block> = None;
        for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
            match event {
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    page.links.push(dest_url.into_string())
                }
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::End(TagEnd::Heading(_)) => page.take_heading(&heading.take().unwrap_or_default()),
                Event::Start(Tag::CodeBlock(kind)) => block = Some(Block { info: info(kind), text: String::new() }),
                Event::End(TagEnd::CodeBlock) => page.blocks.extend(block.take()),
                Event::Text(text) => {
                    if let Some(part) = heading.as_mut().or(block.as_mut().map(|block| &mut block.text)) {
                        part.push_str(&text);
                    }
                }
                Event::Code(code) => {
                    if let Some(heading) = &mut heading {
                        heading.push_str(&code);
                    }
                    page.code.push(code.into_string());
                }
                _ => {}
            }
        }
        page
    }

    /// Headings that read the same get numbers, as on the sites that show them.
    fn take_heading(&mut self, text: &str) {
        let slug = slug(text);
        let more = (1..).map(|number| format!("{slug}-{number}"));
        let free = std::iter::once(slug.clone()).chain(more).find(|anchor| !self.anchors.contains(anchor));
        self.anchors.extend(free);
        self.headings.insert(text.to_owned());
    }
}

fn info(kind: CodeBlockKind<'_>) -> String {
    match kind {
        CodeBlockKind::Fenced(info) => info.into_string(),
        CodeBlockKind::Indented => String::new(),
    }
}

/// The anchor of a heading.
fn slug(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|char| char.is_alphanumeric() || matches!(char, ' ' | '-' | '_'));
    kept.map(|char| if char == ' ' { '-' } else { char.to_ascii_lowercase() }).collect()
}

/// The part of a document below a heading, up to the next heading of any depth.
pub fn section<'a>(text: &'a str, heading: &str) -> &'a str {
    let from = text.find(&format!("\n{heading}\n")).unwrap_or_else(|| panic!("no `{heading}`")) + heading.len() + 2;
    let to = text[from..].find("\n#").map_or(text.len(), |to| from + to);
    &text[from..to]
}

#[test]
fn a_document_is_read_as_it_is_shown() {
    let text = "# A `b`, c\n\n[l](x.md#y) `code` ![p](p.png)\n\n```sh tutorial\nrun\n```\n\n## D\n\n## D\n";
    let page = Page::parse(Path::new("a.md"), text);
    assert_eq!(page.links, ["x.md#y", "p.png"]);
    assert_eq!(page.anchors, ["a-b-c", "d", "d-1"].map(str::to_owned).into());
    assert_eq!(page.blocks, [Block { info: "sh tutorial".to_owned(), text: "run\n".to_owned() }]);
    assert!(page.code.contains(&"code".to_owned()) && page.headings.contains("A b, c"));
}
