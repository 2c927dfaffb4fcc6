//! Pages of XHTML that are served as XML, as HTML that means the same.
//!
//! In XML an empty `<script/>` ends at once, `CDATA` is text, and the content of any element is markup. A page is
//! written anew with an end tag for each element that needs one, and with its texts escaped, so that all readers of
//! HTML read what XML says. Entities that a page defines are not expanded. Time and memory are linear in the length of
//! the page.

use std::borrow::Cow;
use std::fmt::Write as _;

use quick_xml::Reader;
use quick_xml::events::{BytesRef, BytesStart, Event};

/// Maximum number of attributes of a tag: each is compared with those before it.
const ATTRIBUTES_MAX: usize = 256;
/// Maximum number of prefixes that the root declares for languages that are known.
const PREFIXES_MAX: usize = 8;
/// The namespaces whose elements HTML has without a prefix.
const NAMESPACES: [&str; 3] =
    ["http://www.w3.org/1999/xhtml", "http://www.w3.org/2000/svg", "http://www.w3.org/1998/Math/MathML"];
/// Elements that are always empty in HTML.
const VOID: [&str; 18] = [
    "area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "img", "input", "keygen", "link",
    "meta", "param", "source", "track", "wbr",
];

/// A document that is no well-formed XHTML.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NotXhtml {
    /// The root is another element.
    OtherRoot,
    /// It is not well-formed, or has what is not supported.
    Broken,
}

impl<E: std::error::Error> From<E> for NotXhtml {
    fn from(_: E) -> Self {
        Self::Broken
    }
}

/// What HTML makes of the content of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Content {
    /// Elements and texts.
    Markup,
    /// Text in which entities are read.
    Escapable,
    /// Text as written.
    Raw,
    /// Text as written, which is never shown.
    Hidden,
}

/// Writes a page as HTML.
pub(super) fn as_html(text: &str) -> Result<String, NotXhtml> {
    let mut reader = Reader::from_str(text);
    let mut writer = Writer { html: String::with_capacity(text.len() + text.len() / 8), ..Writer::default() };
    loop {
        match reader.read_event()? {
            Event::Start(tag) => writer.start(&tag)?,
            Event::Empty(tag) => {
                writer.start(&tag)?;
                writer.end()?;
            }
            Event::End(_) => writer.end()?,
            Event::Text(text) => writer.text(&text)?,
            Event::CData(text) => writer.text(&escaped(&text))?,
            Event::GeneralRef(reference) => writer.reference(&reference)?,
            // Within a text, HTML has comments too; they part texts.
            Event::Comment(_) => writer.comment(),
            Event::DocType(_) | Event::Decl(_) | Event::PI(_) => {}
            Event::Eof if writer.open.is_empty() && writer.has_root => return Ok(writer.html),
            Event::Eof => return Err(NotXhtml::Broken),
        }
    }
}

/// Writes HTML.
#[derive(Debug, Default)]
struct Writer {
    html: String,
    has_root: bool,
    /// The prefixes that stand for a known language.
    prefixes: Vec<String>,
    /// The open elements: the name as written in HTML, and the content.
    open: Vec<(Box<str>, Content)>,
    /// Number of these that are roots of SVG or MathML.
    foreign: usize,
    /// The text of the open element whose text is written as it is.
    raw: String,
}

impl Writer {
    fn content(&self) -> Content {
        self.open.last().map_or(Content::Markup, |(_, content)| *content)
    }

    fn start(&mut self, tag: &BytesStart<'_>) -> Result<(), NotXhtml> {
        if self.open.is_empty() {
            self.root(tag)?;
        }
        let outer = self.content();
        let name = self.html_name(tag.name().as_ref());
        if outer != Content::Markup {
            // In HTML there is no element here: its texts stay.
            self.open.push(("".into(), outer));
            return Ok(());
        }
        self.html.push('<');
        self.html.push_str(&name);
        self.attributes(tag)?;
        self.html.push('>');
        let content = match &*name {
            "title" | "textarea" if self.foreign == 0 => Content::Escapable,
            "script" | "style" => Content::Raw,
            "iframe" | "noembed" | "noframes" => Content::Hidden,
            _ => Content::Markup,
        };
        self.foreign += usize::from(is_foreign_root(&name));
        self.open.push((name.into(), content));
        Ok(())
    }

    /// Begins the document with its root.
    fn root(&mut self, tag: &BytesStart<'_>) -> Result<(), NotXhtml> {
        if std::mem::replace(&mut self.has_root, true) {
            return Err(NotXhtml::Broken);
        }
        if tag.local_name().as_ref() != "html" {
            return Err(NotXhtml::OtherRoot);
        }
        for attribute in tag.attributes().with_checks(false).flatten() {
            if let Some(prefix) = attribute.key.as_ref().strip_prefix("xmlns:")
                && NAMESPACES.contains(&&*attribute.value)
                && self.prefixes.len() < PREFIXES_MAX
            {
                self.prefixes.push(prefix.to_owned());
            }
        }
        self.html.push_str("<!DOCTYPE html>");
        Ok(())
    }

    /// Returns the name that an element has in HTML. Two elements are shown as others, because in HTML their content is
    /// text.
    fn html_name(&self, name: &str) -> String {
        let name = match name.split_once(':') {
            Some((prefix, local)) if self.prefixes.iter().any(|known| known == prefix) => local,
            _ => name,
        };
        let name = name.to_ascii_lowercase();
        if matches!(&*name, "xmp" | "plaintext") { "pre".to_owned() } else { name }
    }

    fn attributes(&mut self, tag: &BytesStart<'_>) -> Result<(), NotXhtml> {
        for (at, attribute) in tag.attributes().enumerate() {
            let attribute = attribute?;
            let name = attribute.key.as_ref();
            if at >= ATTRIBUTES_MAX || has_unknown_entity(&attribute.value) {
                return Err(NotXhtml::Broken);
            }
            if name == "xmlns" || name.starts_with("xmlns:") {
                continue;
            }
            let name = if name == "xml:lang" { "lang" } else { name };
            // Writing to a string cannot fail.
            let _ = write!(self.html, " {name}=\"{}\"", attribute.value.replace('"', "&quot;"));
        }
        Ok(())
    }

    fn end(&mut self) -> Result<(), NotXhtml> {
        let (name, content) = self.open.pop().ok_or(NotXhtml::Broken)?;
        self.foreign -= usize::from(is_foreign_root(&name));
        if content == Content::Raw && !name.is_empty() {
            // Neither may be in what HTML reads as text: an end tag would end it, and a comment hide its end.
            let text = std::mem::take(&mut self.raw);
            self.html.push_str(&text.replace("</", "<\\/").replace("<!--", "<\\!--"));
        }
        if !name.is_empty() && !VOID.contains(&&*name) {
            let _ = write!(self.html, "</{name}>");
        }
        Ok(())
    }

    /// Writes a text with entities.
    fn text(&mut self, text: &str) -> Result<(), NotXhtml> {
        if self.open.is_empty() {
            return if text.trim().is_empty() { Ok(()) } else { Err(NotXhtml::Broken) };
        }
        match self.content() {
            Content::Markup | Content::Escapable => self.html.push_str(text),
            Content::Raw => self.raw.push_str(&htmlize::unescape(text)),
            Content::Hidden => {}
        }
        Ok(())
    }

    fn comment(&mut self) {
        if !self.open.is_empty() && self.content() == Content::Markup {
            self.html.push_str("<!---->");
        }
    }

    fn reference(&mut self, reference: &BytesRef<'_>) -> Result<(), NotXhtml> {
        let written = format!("&{};", &**reference);
        if has_unknown_entity(&written) { Err(NotXhtml::Broken) } else { self.text(&written) }
    }
}

fn is_foreign_root(name: &str) -> bool {
    matches!(name, "svg" | "math")
}

fn escaped(text: &str) -> Cow<'_, str> {
    if memchr::memchr2(b'&', b'<', text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace('&', "&amp;").replace('<', "&lt;"))
}

/// Returns whether a text as written has an entity that HTML does not know, or an `&` that begins none.
fn has_unknown_entity(text: &str) -> bool {
    text.split('&').skip(1).any(|part| {
        let Some((name, _)) = part.split_once(';') else { return true };
        let written = format!("&{name};");
        htmlize::unescape(written.as_str()) == written
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn page(body: &str) -> String {
        format!(
            "<?xml version='1.0'?>\n<!DOCTYPE html PUBLIC 'x' 'y'>\n<html xmlns='http://www.w3.org/1999/xhtml'>{body}</html>\n"
        )
    }

    #[track_caller]
    fn reads(body: &str, as_html: &str) {
        assert_eq!(super::as_html(&page(body)), Ok(format!("<!DOCTYPE html><html>{as_html}</html>")), "{body}");
    }

    #[test]
    fn empty_elements_end_at_once_and_void_ones_have_no_end_tag() {
        reads(
            "<head><title/><script src='/a?b&amp;c'/></head><body><p/><br/><hr></hr><iframe src='\"'/><textarea/></body>",
            "<head><title></title><script src=\"/a?b&amp;c\"></script></head>\
             <body><p></p><br><hr><iframe src=\"&quot;\"></iframe><textarea></textarea></body>",
        );
    }

    #[test]
    fn the_text_of_a_cdata_section_is_escaped_and_that_of_a_script_is_not() {
        reads("<p><![CDATA[<a href='/x'>&amp;]]></p>", "<p>&lt;a href='/x'>&amp;amp;</p>");
        reads(
            "<script><![CDATA[if (a<b && c) '</p>']]>&amp;&lt;!--<b>d</b></script>",
            "<script>if (a<b && c) '<\\/p>'&<\\!--d</script>",
        );
        reads("<title>a &lt;b&gt; &eacute;&#233; <i>c</i></title>", "<title>a &lt;b&gt; &eacute;&#233; c</title>");
    }

    #[test]
    fn elements_whose_content_is_text_in_html_have_what_is_shown() {
        reads(
            "<iframe><p><a href='/x'>y</a></p></iframe><noframes>n</noframes>",
            "<iframe></iframe><noframes></noframes>",
        );
        reads("<xmp>a <b>c</b></xmp>", "<pre>a <b>c</b></pre>");
        reads(
            "<svg><title><b>x</b></title><path d=''/></svg>",
            "<svg><title><b>x</b></title><path d=\"\"></path></svg>",
        );
    }

    #[test]
    fn prefixes_of_known_languages_are_left_out() {
        let page =
            "<h:html xmlns:h='http://www.w3.org/1999/xhtml' xmlns:o='urn:x'><h:p xml:lang='de'><o:p/></h:p></h:html>";
        assert_eq!(as_html(page).unwrap(), "<!DOCTYPE html><html><p lang=\"de\"><o:p></o:p></p></html>");
    }

    #[test]
    fn what_is_not_well_formed_is_no_xhtml() {
        for body in [
            "<p>",
            "</p>",
            "<p></b>",
            "<p a='1' a='2'/>",
            "<p a=1/>",
            "<p a/>",
            "a & b",
            "&unknown;",
            "<p a='&x;'/>",
            "<p",
        ] {
            assert_eq!(as_html(&page(body)), Err(NotXhtml::Broken), "{body}");
        }
        for text in ["", "x", "<html/>x", "<html/><html/>", "<html>"] {
            assert_eq!(as_html(text), Err(NotXhtml::Broken), "{text}");
        }
        assert_eq!(as_html("<?xml version='1.0'?><rss><html/></rss>"), Err(NotXhtml::OtherRoot));
        let declared = "<!DOCTYPE html [<!ENTITY x 'y'>]><html><p>&x;</p></html>";
        assert_eq!(as_html(declared), Err(NotXhtml::Broken));
    }

    #[test]
    fn the_attributes_of_a_tag_are_bounded() {
        let page =
            |count: usize| page(&format!("<p{}/>", (0..count).map(|at| format!(" a{at}=''")).collect::<String>()));
        assert!(as_html(&page(ATTRIBUTES_MAX)).is_ok());
        assert_eq!(as_html(&page(ATTRIBUTES_MAX + 1)), Err(NotXhtml::Broken));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_text_is_read(text in "(<html>|</html>|<[a-c]/?>|</[a-c]>|<script>|</script>|<!\\[CDATA\\[|\\]\\]>|&[a-c]|;|<!--|-->|\\PC){0,30}") {
            let _ = as_html(&text);
            let _ = as_html(&page(&text));
        }
    }
}
