//! The account of a crawl as its report has it: every link that was discovered has one fate.

use serde::Serialize;
use serde_json::Value;

/// A fate with its reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FateRow {
    /// Its name.
    pub fate: String,
    /// Its reason; empty where it has none.
    pub reason: String,
    /// How many links.
    pub count: u64,
}

/// What remains of the links after each way to drop out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Step {
    /// What they are.
    pub name: &'static str,
    /// How many there are.
    pub count: u64,
}

/// The account.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Account {
    /// Links discovered, as it is told.
    pub discovered: u64,
    /// Fates, the commonest first.
    pub fates: Vec<FateRow>,
    /// Their sum.
    pub sum: u64,
    /// Whether that is what was discovered.
    pub adds_up: bool,
    /// From what was discovered to what was fetched.
    pub funnel: Vec<Step>,
}

/// What drops out, in the order of the funnel: the fate, and what remains without it.
const STEPS: [(&str, &str); 7] = [
    ("duplicate", "addresses, each once"),
    ("out_of_scope", "in scope"),
    ("policy", "wanted by the policy"),
    ("over_budget", "within the limits"),
    ("robots", "allowed by robots.txt"),
    ("queued", "asked for"),
    ("others", "pages fetched"),
];

/// The account of a closing report, or of the status of a running crawl, whose `open` links have no fate yet; none where it has no fates.
pub fn account(report: &Value) -> Option<Account> {
    let mut fates = Vec::new();
    for (fate, counts) in report.get("fates")?.as_object()? {
        let mut add = |reason: &str, count: &Value| {
            let count = count.as_u64().unwrap_or(0);
            fates.push(FateRow { fate: fate.clone(), reason: reason.to_owned(), count });
        };
        match counts.as_object() {
            Some(reasons) => reasons.iter().for_each(|(reason, count)| add(reason, count)),
            None => add("", counts),
        }
    }
    fates.sort_by_key(|row| std::cmp::Reverse(row.count));
    let discovered = report.get("discovered").and_then(Value::as_u64).unwrap_or(0);
    let open = ["queued", "leased"].iter().filter_map(|name| report.get(name)?.as_u64()).sum::<u64>();
    // The first snapshot of a run has them among its fates already.
    if open > 0 && fates.iter().all(|row| row.fate != "queued") {
        fates.push(FateRow { fate: "queued".to_owned(), reason: String::new(), count: open });
    }
    let sum = fates.iter().map(|row| row.count).sum();
    let funnel = funnel(sum, &fates);
    Some(Account { discovered, fates, sum, adds_up: sum == discovered, funnel })
}

fn funnel(sum: u64, fates: &[FateRow]) -> Vec<Step> {
    let of = |name: &str| fates.iter().filter(|row| row.fate == name).map(|row| row.count).sum::<u64>();
    let harvest = of("fetched") + of("not_modified");
    let mut steps = vec![Step { name: "links discovered", count: sum }];
    let mut left = sum;
    for (fate, name) in STEPS {
        let before = left;
        left = if fate == "others" { harvest } else { left.saturating_sub(of(fate)) };
        // A step that takes nothing away says nothing.
        if left != before || fate == "others" {
            let unchanged = fate == "others" && of("not_modified") > 0;
            steps.push(Step { name: if unchanged { "pages fetched, or found unchanged" } else { name }, count: left });
        }
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn fates_add_up_and_the_funnel_ends_at_the_harvest() {
        let report = json!({"discovered": 100, "fates": {
            "duplicate": 60, "fetched": 20, "failed": {"http_404": 3, "dns": 1}, "robots": {"disallowed": 10}, "redirected": 6,
        }});
        let account = account(&report).unwrap();
        assert!(account.adds_up);
        assert_eq!((account.fates[0].fate.as_str(), account.fates.len(), account.sum), ("duplicate", 6, 100));
        let steps: Vec<_> = account.funnel.iter().map(|step| step.count).collect();
        assert_eq!(steps, [100, 40, 30, 20]);
    }

    #[test]
    fn what_does_not_add_up_is_told_and_a_running_crawl_has_open_links() {
        let wrong = account(&json!({"discovered": 5, "fates": {"fetched": 4}})).unwrap();
        assert!(!wrong.adds_up);
        let running = json!({"discovered": 9, "queued": 4, "leased": 1, "fates": {"fetched": 4}});
        assert!(account(&running).unwrap().adds_up);
        let first = json!({"discovered": 1, "queued": 1, "leased": 0, "fates": {"queued": 1}});
        assert!(account(&first).unwrap().adds_up);
        assert_eq!(account(&json!({"pages": 1})), None);
    }
}
