//! Display properties: the attributes that path strings include.

use super::attributes::Attributes;
use super::bytes::squeeze_in_place;
use super::path::{Spellings, fold_run, name_word, step};
use super::text::Source;

/// The attributes that change the look of an element, in the order in which a path string has them. These are `class`
/// and `style`, the attributes that the HTML standard maps to style (section 15.3), and `dir` and `hidden`. The paper
/// names `class`, `align` and the font size as examples.
///
/// Not included are attributes that identify an element or what it refers to (`id`, `name`, `href`, `src`,
/// `background`, `title`, `alt`): their values belong to one page, so the paths of two pages would never be the same.
/// `colspan` and `rowspan` are left out because they count the cells of one page's data.
pub(super) const DISPLAY_PROPERTIES: [&str; 20] = [
    "class",
    "style",
    "align",
    "valign",
    "width",
    "height",
    "size",
    "face",
    "color",
    "bgcolor",
    "border",
    "cellpadding",
    "cellspacing",
    "hspace",
    "vspace",
    "clear",
    "nowrap",
    "noshade",
    "dir",
    "hidden",
];

/// The initial word of display properties.
const PROPERTIES: u64 = name_word(b"#display");

/// Reads the display properties of elements.
#[derive(Debug)]
pub(super) struct Display {
    value_max: usize,
    value: Vec<u8>,
}

impl Display {
    /// Creates a reader that reads the first `value_max` bytes of an attribute.
    pub const fn new(value_max: usize) -> Self {
        Self { value_max, value: Vec::new() }
    }

    /// Returns the word of the display properties among `attributes`; 0 if there are none. White space in values is
    /// collapsed. The order of the attributes does not matter.
    pub fn word(&mut self, source: Source<'_>, attributes: Attributes<'_>, spellings: &mut Spellings) -> u64 {
        let values = attributes.pick(DISPLAY_PROPERTIES);
        let (mut word, mut spelt) = (PROPERTIES, String::new());
        for (name, raw) in DISPLAY_PROPERTIES.iter().zip(values) {
            let Some(raw) = raw else { continue };
            self.value.clear();
            source.append_attribute(&raw[..raw.len().min(self.value_max)], &mut self.value);
            squeeze_in_place(&mut self.value);
            word = step(step(word, fold_run(name.as_bytes())), fold_run(&self.value));
            if spellings.is_on() {
                spelt.extend(["-", name, "/", &String::from_utf8_lossy(&self.value)]);
            }
        }
        if word == PROPERTIES {
            return 0;
        }
        spellings.learn_class(word, || spelt);
        word
    }
}
