//! Answers the requests of pages that are rendered, by the crawl's own requests.

use http::{HeaderMap, HeaderName, HeaderValue};

use super::assets::Assets;
use crate::run::subrequests::Subrequests;
use harvestman_core::model::Answer;
use harvestman_core::url::{CanonicalUrl, origin_of};
use harvestman_render::{Later, PageReply, PageRequest, PageRequests, Refusal};
use harvestman_stages::host::{Subrequest, SubrequestRefusal, SubrequestReply};

/// The requests of the crawl, and what they brought of scripts and style sheets.
pub(crate) struct CrawlRequests {
    subrequests: Subrequests,
    assets: Assets,
}

impl CrawlRequests {
    pub(crate) fn new(subrequests: Subrequests, assets_bytes: usize) -> Self {
        Self { subrequests, assets: Assets::new(assets_bytes) }
    }

    async fn fetch(&self, request: &PageRequest) -> PageReply {
        let wanted = Subrequest::new(CanonicalUrl::from_canonical(request.url.as_str()), &headers(request));
        match self.subrequests.fetch(wanted.caused_by(request.initiator.clone())).await {
            SubrequestReply::Answered { exchange, body } => match &exchange.result {
                Ok(answer) => PageReply::Answered { status: answer.status, headers: pairs(answer), body },
                Err(_) => PageReply::Refused(Refusal::Failed),
            },
            SubrequestReply::Refused(why) => PageReply::Refused(refusal(why)),
        }
    }
}

impl PageRequests for CrawlRequests {
    fn answer(&self, request: PageRequest) -> Later<'_, PageReply> {
        Box::pin(async move {
            if request.kind.is_asset() {
                let is_own = request.initiator.permits(origin_of(&request.url));
                self.assets.get(&request.url, is_own, self.fetch(&request)).await
            } else {
                self.fetch(&request).await
            }
        })
    }
}

fn headers(request: &PageRequest) -> HeaderMap {
    let pair = |(name, value): &(String, String)| {
        Some((HeaderName::try_from(name.as_str()).ok()?, HeaderValue::try_from(value.as_str()).ok()?))
    };
    request.headers.iter().filter_map(pair).collect()
}

fn pairs(answer: &Answer) -> Vec<(String, String)> {
    let text = |(name, value): (&HeaderName, &HeaderValue)| {
        (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned())
    };
    answer.headers.iter().map(text).collect()
}

const fn refusal(why: SubrequestRefusal) -> Refusal {
    match why {
        SubrequestRefusal::NotHttp => Refusal::Scheme,
        SubrequestRefusal::Robots => Refusal::Robots,
        SubrequestRefusal::HostBlocked => Refusal::Host,
        SubrequestRefusal::Budget | SubrequestRefusal::Aborted => Refusal::Budget,
        SubrequestRefusal::Busy | SubrequestRefusal::Failed(_) => Refusal::Failed,
    }
}
