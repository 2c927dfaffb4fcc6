//! Pages that were visited before: those that have not changed are not read.

use std::sync::Arc;

use crate::page::gate::{Feature, Gate};
use crate::page::page_in_work::{PageInWork, Verdict};
use crate::page::page_processor::PageProcessor;
use crate::page::page_result::PageResult;
use crate::page::visits::{Visits, is_conditional};
use harvestman_core::model::Fate;

/// Looks up what is known of earlier visits.
pub(crate) struct VisitGate(pub(crate) Arc<Visits>);

impl Gate for VisitGate {
    fn feature(&self) -> Feature {
        Feature::Visits
    }

    fn judge(&self, _: &mut PageProcessor, page: &mut PageInWork) -> Verdict {
        page.before = self.0.before(&page.item().url);
        let exchange = &page.fetched.exchange;
        let is_asked = page.before.is_some() && is_conditional(&exchange.request_headers);
        let is_unchanged = is_asked && exchange.result.as_ref().is_ok_and(|answer| answer.status == 304);
        if is_unchanged && page.arrival.may_be_held() {
            page.settle(PageResult::of(Fate::NotModified))
        } else {
            Verdict::Pass
        }
    }
}
