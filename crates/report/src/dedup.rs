//! The set of URLs seen, for the closing report.

use super::figures;
pub use harvestman_storage::dedup::DedupStats;
use harvestman_storage::dedup::{Estimate, FalsePositives};

/// Formats the set as `1,234 URLs, bloom-exact in 2.4 MiB; 3 new URLs that looked known, none dropped (2.9 expected)`.
pub(super) fn line(seen: &DedupStats) -> String {
    let disk = match seen.disk_bytes {
        0 => String::new(),
        bytes => format!(" and {} on disk", figures::bytes(bytes)),
    };
    let (urls, memory) = (figures::count(seen.urls), figures::bytes(seen.memory_bytes));
    let mistakes = mistakes(seen);
    format!("{urls} URLs, {} in {memory}{disk}{mistakes}", seen.store.name())
}

fn mistakes(seen: &DedupStats) -> String {
    let Some(FalsePositives { expected, measured }) = seen.false_positives else { return String::new() };
    let none_dropped = seen.wrongly_dropped == FalsePositives::default();
    let fate = if none_dropped { "new URLs that looked known, none dropped" } else { "new URLs wrongly dropped" };
    format!("; {} {fate} ({expected:.1} expected)", counted(measured))
}

/// Formats an estimate as `31`, or `about 31 [20 to 45]`.
fn counted(Estimate { count, low, high }: Estimate) -> String {
    let whole = |count: f64| figures::count(count.round() as u64);
    if low == high { whole(count) } else { format!("about {} [{} to {}]", whole(count), whole(low), whole(high)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use harvestman_core::config::DedupStore;

    fn seen(store: DedupStore, positives: Option<FalsePositives>, dropped: FalsePositives) -> DedupStats {
        let (memory_bytes, disk_bytes) = (3 << 20, 0);
        DedupStats {
            store,
            urls: 12_345,
            memory_bytes,
            disk_bytes,
            bloom: None,
            false_positives: positives,
            wrongly_dropped: dropped,
        }
    }

    #[test]
    fn a_store_is_shown_with_its_false_positives() {
        let mistakes = FalsePositives { expected: 2.94, measured: Estimate::exact(3) };
        let both =
            DedupStats { disk_bytes: 2048, ..seen(DedupStore::BloomExact, Some(mistakes), FalsePositives::default()) };
        let expected = "12,345 URLs, bloom-exact in 3.0 MiB and 2.0 KiB on disk; 3 new URLs that looked known, none dropped \
                        (2.9 expected)";
        assert_eq!(line(&both), expected);
        let only = seen(DedupStore::BloomOnly, Some(mistakes), mistakes);
        assert_eq!(line(&only), "12,345 URLs, bloom-only in 3.0 MiB; 3 new URLs wrongly dropped (2.9 expected)");
        let exact = seen(DedupStore::ExactOnly, None, FalsePositives::default());
        assert_eq!(line(&exact), "12,345 URLs, exact-only in 3.0 MiB");
    }

    #[test]
    fn an_estimate_is_shown_with_its_bounds() {
        assert_eq!(counted(Estimate { count: 3_100.0, low: 2_000.2, high: 4_500.0 }), "about 3,100 [2,000 to 4,500]");
    }
}
