//! The stations of a page between the queue of the workers and the archive.

use crate::page::gate::{Feature, Gate};
use crate::page::page_in_work::{PageInWork, Verdict};
use crate::page::page_processor::PageProcessor;
use crate::page::worker_tools::WorkerTools;

/// A station of a page.
pub(crate) struct Station {
    /// Its name in `ARCHITECTURE.md`.
    pub(crate) name: &'static str,
    work: Work,
}

/// What happens at a station.
#[derive(Clone, Copy)]
enum Work {
    /// The gate of a feature, before the page is read.
    Admit(Feature),
    /// The gate of a feature, while the page is read.
    Judge(Feature),
    /// A step of reading the page.
    Read(fn(&mut PageProcessor, &mut PageInWork) -> Verdict),
    /// A step of recording its result.
    Record(fn(&mut WorkerTools, &mut PageInWork)),
    /// The end.
    Deliver(fn(&mut WorkerTools, PageInWork)),
}

const fn station(name: &'static str, work: Work) -> Station {
    Station { name, work }
}

/// The stations of a page, in their order. A page that a station settles goes on with the first one that records it.
pub(crate) const STATIONS: [Station; 21] = [
    station("session", Work::Admit(Feature::Session)),
    station("return from the browsers", Work::Admit(Feature::BrowserReturn)),
    station("earlier visits", Work::Judge(Feature::Visits)),
    station("status", Work::Read(PageProcessor::answer)),
    station("answer of a search", Work::Read(PageProcessor::searched)),
    station("content coding", Work::Read(PageProcessor::decode)),
    station("feed", Work::Read(PageProcessor::feed)),
    station("parser", Work::Read(PageProcessor::parse)),
    station("refresh", Work::Read(PageProcessor::refresh)),
    station("block page", Work::Judge(Feature::BlockPages)),
    station("cluster", Work::Read(PageProcessor::classify)),
    station("browsers", Work::Judge(Feature::Browsers)),
    station("validator", Work::Judge(Feature::Validator)),
    station("links", Work::Read(PageProcessor::filter_links)),
    station("consent", Work::Record(WorkerTools::apply_statements)),
    station("page log", Work::Record(WorkerTools::note)),
    station("WARC records", Work::Record(WorkerTools::encode)),
    station("visit", Work::Record(WorkerTools::note_visited)),
    station("policy", Work::Record(WorkerTools::show_to_policy)),
    station("followers", Work::Record(WorkerTools::keep_tree)),
    station("delivery", Work::Deliver(WorkerTools::deliver_page)),
];

/// The stations of one crawl: those of its features, and those that every page passes.
pub(crate) struct Stations(Vec<Box<dyn Gate>>);

/// Where a page stops.
pub(crate) enum Stop<'a> {
    /// Nowhere: the next stations follow.
    Nowhere,
    /// At a gate that holds it.
    Held(&'a dyn Gate),
    /// Its URL is put back.
    PutBack,
}

impl Stations {
    /// Creates the stations of a crawl with these features.
    pub(crate) const fn new(gates: Vec<Box<dyn Gate>>) -> Self {
        Self(gates)
    }

    fn gate(&self, feature: Feature) -> Option<&dyn Gate> {
        self.0.iter().find(|gate| gate.feature() == feature).map(|gate| &**gate)
    }

    /// Leads a page past the gates before it is read.
    pub(crate) fn admit(&self, processor: &mut PageProcessor, page: &mut PageInWork) -> Stop<'_> {
        for station in &STATIONS {
            if let Work::Admit(feature) = station.work
                && let Some(gate) = self.gate(feature)
            {
                match gate.judge(processor, page) {
                    Verdict::Pass | Verdict::Settled => {}
                    Verdict::Hold => return Stop::Held(gate),
                    Verdict::PutBack => return Stop::PutBack,
                }
            }
        }
        Stop::Nowhere
    }

    /// Leads a page past the stations that read it, until one settles its result.
    pub(crate) fn read(&self, processor: &mut PageProcessor, page: &mut PageInWork) -> Stop<'_> {
        let stop = self.pass(processor, page);
        processor.end_reading(page);
        stop
    }

    fn pass(&self, processor: &mut PageProcessor, page: &mut PageInWork) -> Stop<'_> {
        for station in &STATIONS {
            let (gate, verdict) = match station.work {
                Work::Read(read) => (None, read(processor, page)),
                Work::Judge(feature) => {
                    let gate = self.gate(feature);
                    (gate, gate.map_or(Verdict::Pass, |gate| gate.judge(processor, page)))
                }
                Work::Admit(_) | Work::Record(_) | Work::Deliver(_) => continue,
            };
            if verdict != Verdict::Pass {
                tracing::trace!(
                    url = page.item().url.as_str(),
                    station = station.name,
                    ?verdict,
                    "the page stops here"
                );
            }
            match (verdict, gate) {
                (Verdict::Pass, _) => {}
                (Verdict::Hold, Some(gate)) => return Stop::Held(gate),
                (Verdict::PutBack, _) => return Stop::PutBack,
                (Verdict::Settled | Verdict::Hold, _) => break,
            }
        }
        Stop::Nowhere
    }

    /// Tells the features that a page was read.
    pub(crate) fn was_read(&self, page: &PageInWork) {
        self.0.iter().for_each(|gate| gate.was_read(page));
    }

    /// Leads a page past the stations that record it.
    pub(crate) fn record(tools: &mut WorkerTools, mut page: PageInWork) {
        for station in &STATIONS {
            match station.work {
                Work::Record(record) => record(tools, &mut page),
                Work::Deliver(deliver) => return deliver(tools, page),
                Work::Admit(_) | Work::Judge(_) | Work::Read(_) => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The stations in `ARCHITECTURE.md`, as `a → b → c`.
    fn described() -> Vec<String> {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../ARCHITECTURE.md");
        let text = std::fs::read_to_string(path).unwrap();
        let section = text.split("### The stations of a page").nth(1).unwrap();
        let list = section.split("```").nth(1).unwrap();
        list.split('→').map(|name| name.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
    }

    #[test]
    fn the_architecture_lists_the_stations_in_their_order() {
        let names = STATIONS.map(|station| station.name);
        assert_eq!(described(), names, "ARCHITECTURE.md must list: {}", names.join(" → "));
    }
}
