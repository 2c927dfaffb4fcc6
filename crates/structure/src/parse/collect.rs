//! What a tag contributes: leaves, links, the contents of forms, and statements of the page about itself.

use super::attributes::Linked;
use super::builder::Builder;
use super::bytes::squeeze_in_place;
use super::decoded_text::Source;
use super::element::Tag;
use super::formatting_entry::Anchor;
use super::meta::has_token;
use super::path::class_word;
use super::tokens::TagToken;
use harvestman_core::model::{Apath, LinkKind, LinkPosition};

const NOFOLLOW: &[&str] = &["nofollow", "ugc", "sponsored"];

impl Builder {
    /// Counts an `a` and collects its link with the address `href`.
    pub fn anchor(&mut self, source: Source<'_>, tag: &TagToken<'_>, href: Option<&[u8]>) -> Anchor {
        let Linked { class, rel, .. } = tag.linked;
        let (word, apath) = self.place(source, tag, class);
        if self.is_shown() {
            // Among the leaves it counts with its kept tokens, where names are chosen.
            let leaf = if self.classes.choose() { self.element_path(tag).rich } else { apath };
            self.leaves.add(leaf);
        }
        let href = href.filter(|_| !self.in_template());
        let link = href.and_then(|href| {
            let nofollow = rel.is_some_and(|rel| has_token(rel, NOFOLLOW));
            self.links.text = self.units.begun();
            self.links.place = self.link_place();
            self.links.add(apath, LinkKind::Anchor, nofollow, source, href)
        });
        Anchor { word, link }
    }

    /// Returns the position of a link that begins here.
    fn link_place(&self) -> LinkPosition {
        let (parent, grandparent) = self.open.numbers();
        LinkPosition { parent, grandparent, image: false }
    }

    /// Collects the link in the attribute `name`.
    pub fn collect(&mut self, source: Source<'_>, tag: &TagToken<'_>, kind: LinkKind, name: &str) {
        let [value, class, rel] = Self::attributes(source, tag).pick([name, "class", "rel"]);
        if let Some(value) = value.filter(|_| !self.in_template()) {
            let (_, apath) = self.place(source, tag, class);
            let nofollow = rel.is_some_and(|rel| has_token(rel, NOFOLLOW));
            self.links.place = self.link_place();
            self.links.add(apath, kind, nofollow, source, value);
        }
    }

    /// Collects the links in the attributes `names`, resources that the page needs to be shown, if that is enabled.
    pub fn embed(&mut self, source: Source<'_>, tag: &TagToken<'_>, names: &[&str]) {
        if !self.options.embeds {
            return;
        }
        for name in names {
            if *name == "srcset" {
                self.srcset(source, tag);
            } else {
                self.collect(source, tag, LinkKind::Embed, name);
            }
        }
    }

    /// Collects the addresses of a `srcset` (HTML standard, section "Parsing a srcset attribute").
    fn srcset(&mut self, source: Source<'_>, tag: &TagToken<'_>) {
        let [value, class] = Self::attributes(source, tag).pick(["srcset", "class"]);
        let value = value.filter(|value| !self.in_template() && value.len() <= self.limits.attribute);
        let Some(value) = value else { return };
        let (_, apath) = self.place(source, tag, class);
        let text = source.attribute(value);
        let mut rest = &*text;
        loop {
            rest = rest.trim_start_matches(|c: char| c == ',' || c.is_ascii_whitespace());
            if rest.is_empty() {
                break;
            }
            let end = rest.find(|c: char| c.is_ascii_whitespace()).unwrap_or(rest.len());
            let (address, descriptors) = rest.split_at(end);
            let trimmed = address.trim_end_matches(',');
            self.links.add_text(apath, LinkKind::Embed, false, trimmed);
            // A comma at its end ends the part; otherwise its descriptors follow, up to the next comma.
            rest = if trimmed.len() < address.len() {
                descriptors
            } else {
                &descriptors[end_of_descriptors(descriptors)..]
            };
        }
    }

    /// Reads a `base`, `link` or `meta`.
    pub fn about_the_page(&mut self, source: Source<'_>, tag: &TagToken<'_>) {
        let value_max = self.limits.attribute;
        let attributes = Self::attributes(source, tag);
        match tag.tag {
            Tag::BASE => self.meta.base(source, attributes, value_max),
            Tag::META => {
                if let Some(target) = self.meta.meta(source, attributes, value_max, &self.agent) {
                    let Apath(apath) = Apath::REFRESH;
                    self.spellings.learn(apath, super::path::DOCUMENT, apath, || "meta[refresh]".to_owned());
                    self.links.add_text(apath, LinkKind::Refresh, false, &target);
                }
            }
            _ => {
                let [rel, href, media] = attributes.pick(["rel", "href", "type"]);
                let (Some(rel), Some(href)) = (rel, href.filter(|href| href.len() <= value_max)) else { return };
                if has_token(rel, &["license"]) {
                    self.meta.license(source, href);
                }
                if let Some(media) = media.filter(|_| has_token(rel, &["alternate", "feed"])) {
                    self.meta.alternate(source, media, href);
                }
                if has_token(rel, &["canonical"]) {
                    self.meta.canonical(source, href);
                } else if has_token(rel, &["stylesheet", "icon"]) {
                    self.embed(source, tag, &["href"]);
                }
            }
        }
    }

    /// Returns the word of `tag` with its class, and its Apath when it is placed here.
    fn place(&mut self, source: Source<'_>, tag: &TagToken<'_>, class: Option<&[u8]>) -> (u64, u64) {
        self.squeeze_class(source, class.unwrap_or_default());
        let word = class_word(tag.word, &self.class);
        let parent = self.parent_path(Some(tag.tag)).plain;
        let path = super::path::step(parent, word);
        let class = &self.class;
        self.spellings.learn(path, parent, word, || spelt_with_class(tag.name, class));
        (word, path)
    }

    fn squeeze_class(&mut self, source: Source<'_>, raw: &[u8]) {
        self.class.clear();
        if raw.is_empty() {
            return;
        }
        let raw = &raw[..raw.len().min(self.limits.attribute)];
        source.append_attribute(raw, &mut self.class);
        squeeze_in_place(&mut self.class);
    }
}

/// Returns where descriptors end: before the first comma that is not in parentheses.
fn end_of_descriptors(text: &str) -> usize {
    let mut is_in_parentheses = false;
    let is_end = |byte: u8| {
        match byte {
            b'(' => is_in_parentheses = true,
            b')' => is_in_parentheses = false,
            _ => {}
        }
        byte == b',' && !is_in_parentheses
    };
    text.bytes().position(is_end).unwrap_or(text.len())
}

fn spelt_with_class(name: &[u8], class: &[u8]) -> String {
    let name = super::builder::spelt(name);
    if class.is_empty() { name } else { format!("{name}[{}]", String::from_utf8_lossy(class)) }
}

impl Builder {
    /// Counts a `form` that is opened.
    pub fn form(&mut self, source: Source<'_>, tag: &TagToken<'_>) {
        let [method] = Self::attributes(source, tag).pick(["method"]);
        if method.is_some_and(|method| method.eq_ignore_ascii_case(b"post")) {
            self.forms.post_forms = self.forms.post_forms.saturating_add(1);
        }
    }

    /// Counts an `input`.
    pub fn input(&mut self, source: Source<'_>, tag: &TagToken<'_>) {
        let [kind] = Self::attributes(source, tag).pick(["type"]);
        if !self.in_template() && kind.is_some_and(|kind| kind.eq_ignore_ascii_case(b"password")) {
            self.forms.password_fields = self.forms.password_fields.saturating_add(1);
        }
    }

    /// Counts a `textarea`.
    pub fn text_area(&mut self) {
        if !self.in_template() {
            self.forms.text_areas = self.forms.text_areas.saturating_add(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::parse::Parser;
    use harvestman_core::config::ParseOptions;
    use harvestman_core::model::FormFacts;

    fn facts(html: &str) -> FormFacts {
        Parser::new(&ParseOptions::default()).parse(html.as_bytes(), None).forms
    }

    #[test]
    fn controls_are_counted_wherever_they_may_stand() {
        let html = "<FORM Method=POST><input type=Password><input><input type=text><textarea></textarea></form>\
                    <form></form><form method=get></form><table><form method=post><tr><td><input type=password></table>";
        assert_eq!(facts(html), FormFacts { password_fields: 2, text_areas: 1, post_forms: 2 });
    }

    #[test]
    fn what_is_no_element_of_the_page_does_not_count() {
        let html = "<template><form method=post><input type=password><textarea></textarea></template>\
                    <!-- <input type=password> --><form><form method=post>";
        assert_eq!(facts(html), FormFacts::default());
    }

    #[test]
    fn a_page_of_nothing_but_controls_is_counted_up_to_what_fits() {
        assert_eq!(facts(&"<input type=password>".repeat(70_000)).password_fields, u16::MAX);
    }
}
