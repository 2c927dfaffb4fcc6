//! Which pages a browser rendered, and what it added.

use crate::RENDER_CLASSES_REPORTED;
use crate::document::Document;
use crate::document::bounded::cut;
use crate::render::block::{Block, Cell, Table};
use harvestman_core::model::{RenderClassSummary, RenderingSummary};

/// Characters of a URL, and of the description of a request.
const TEXT_MAX: usize = 300;

pub(super) fn blocks(document: &Document) -> Vec<Block> {
    let own = document.own();
    let Some((known, source)) = own.as_ref().and_then(|own| Some((own.rendering?, own.source))) else {
        return Vec::new();
    };
    let count = |name: &str, count| Cell::count(count).at(format!("{source}.rendering.{name}"));
    let facts = [
        ("Pages rendered by a browser", count("rendered", known.rendered)),
        ("Pages completed by plain requests", count("replayed", known.replayed)),
        ("Classes of pages", count("known", known.known)),
    ];
    let mut blocks = vec![Block::Facts(facts.map(|(name, cell)| (name.to_owned(), cell)).into())];
    if !known.classes.is_empty() {
        blocks.push(Block::Text(
            "A class is the form of the URL with the scripts of the page. The gain is what rendering adds to a page on average, in \
             links; ten words count as a link. Where requests are known (`ready`), they take the place of the browser. The \
             counts include those of earlier runs."
                .to_owned(),
        ));
        blocks.push(Block::Table(table(known)));
    }
    blocks
}

fn table(known: &RenderingSummary) -> Table {
    let header = vec!["first page", "pages", "rendered", "replayed", "need", "gain", "replay", "requests"];
    let rows = known.classes.iter().take(RENDER_CLASSES_REPORTED).map(row).collect();
    Table { caption: "Classes with the most pages".to_owned(), header, rows }
}

fn row(class: &RenderClassSummary) -> Vec<Cell> {
    let requests = class.requests.iter().flat_map(|requests| requests.lines());
    let requests: Vec<Cell> = requests.map(|request| Cell::Code(cut(request, TEXT_MAX))).collect();
    vec![
        Cell::Url(cut(&class.example, TEXT_MAX)),
        Cell::count(class.pages),
        Cell::count(class.rendered),
        Cell::count(class.replayed),
        Cell::text(class.need.clone()),
        Cell::number(class.gain, |gain| format!("{gain:.1}")),
        Cell::text(class.replay.clone().unwrap_or_default()),
        if requests.is_empty() { Cell::Empty } else { Cell::Lines(requests) },
    ]
}
