//! The account of the links of a crawl: every link that was discovered has one fate.

use serde::Serialize;

use super::own_figures::OwnFigures;
use crate::{FunnelStep, funnel};

/// A fate with its reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FateRow {
    /// Its name.
    pub fate: String,
    /// Its reason; empty if it has none.
    pub reason: String,
    /// The number of links.
    pub count: u64,
}

/// The account.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Account {
    /// Links discovered, as the crawl states it.
    pub discovered: u64,
    /// The fates, the most frequent first.
    pub fates: Vec<FateRow>,
    /// The sum over the fates.
    pub sum: u64,
    /// Whether the sum is the number of links discovered.
    pub adds_up: bool,
    /// The steps from the links discovered to the pages fetched.
    pub funnel: Vec<FunnelStep>,
}

/// Makes the account of a report, a snapshot or sums. Links of a running crawl that have no fate yet are `queued`.
/// Returns `None` if the crawl has no links at all.
pub fn account(own: &OwnFigures<'_>) -> Option<Account> {
    let table = own.fates_with_open();
    let (discovered, sum) = (own.discovered, table.total());
    if discovered == 0 && sum == 0 {
        return None;
    }
    let row = |row: harvestman_core::model::FateCount<'_>| FateRow {
        fate: row.fate.to_owned(),
        reason: row.reason.to_owned(),
        count: row.count,
    };
    let mut fates: Vec<FateRow> = table.iter().map(row).collect();
    fates.sort_by_key(|row| std::cmp::Reverse(row.count));
    Some(Account { discovered, fates, sum, adds_up: sum == discovered, funnel: funnel(&table, own.leased) })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{CrawlStatus, Report, read_object};

    fn of_report(value: &serde_json::Value) -> Option<Account> {
        account(&(&read_object::<Report>("report.json", value.to_string().as_bytes()).unwrap()).into())
    }

    fn of_status(value: &serde_json::Value) -> Account {
        account(&(&read_object::<CrawlStatus>("status", value.to_string().as_bytes()).unwrap()).into()).unwrap()
    }

    #[test]
    fn fates_add_up_and_the_funnel_ends_at_the_pages() {
        let account = of_report(&json!({"discovered": 100, "fates": {
            "duplicate": 50, "handed_over": 10, "fetched": 20, "failed": {"http_404": 3, "dns": 1}, "robots": {"disallowed": 10},
            "redirected": 6,
        }}))
        .unwrap();
        assert!(account.adds_up);
        assert_eq!((account.fates[0].fate.as_str(), account.fates.len(), account.sum), ("duplicate", 7, 100));
        let steps: Vec<_> = account.funnel.iter().map(|step| (step.stage, step.count)).collect();
        assert_eq!(steps, [("discovered", 100), ("wanted", 100), ("new", 40), ("requested", 30), ("pages", 20)]);
    }

    #[test]
    fn what_does_not_add_up_is_stated_and_a_running_crawl_has_open_links() {
        assert!(!of_report(&json!({"discovered": 5, "fates": {"fetched": 4}})).unwrap().adds_up);
        assert!(of_status(&json!({"discovered": 9, "queued": 4, "leased": 1, "fates": {"fetched": 4}})).adds_up);
        let first = of_status(&json!({"discovered": 2, "queued": 1, "leased": 1, "fates": {"queued": 2}}));
        assert!(first.adds_up);
        let gone: Vec<_> = first.funnel[3].gone.iter().map(|gone| (gone.reason.as_str(), gone.count)).collect();
        assert_eq!(gone, [("leased", 1), ("queued", 1)]);
        assert_eq!(of_report(&json!({"pages": 1})), None);
    }
}
