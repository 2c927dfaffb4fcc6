//! Generates `docs/METRICS.md` from the catalogue.

use std::fmt::Write;

use super::catalogue::groups;
use super::instrument::Definition;

const HEAD: &str = "\
# Metrics

<!-- Generated from crates/metrics/src/catalogue/ by `HARVESTMAN_BLESS=1 cargo test --test cli`. -->

`harvestman crawl --metrics 127.0.0.1:9900 …` serves these metrics at `http://127.0.0.1:9900/metrics` in Prometheus' text format. A label
has the listed values, and `other` for all others, so the number of series is bounded for a crawl of any length and of any site. No label
contains a URL or a host name: a crawl may visit a million hosts, each of which would be a series forever, and site names must not leak
into dashboards. Single hosts are listed by `harvestman ctl DIR status` and `/api/status`.

Each stage counts the items that it received, the items that it sent on, and the items that it dropped with the reason, so nothing can be
lost without a reason. For a whole crawl:
`harvestman_crawl_discovered_total` = sum of `harvestman_crawl_fates_total` + `harvestman_frontier_queued_urls` +
`harvestman_frontier_leased_urls`, exactly, whenever nothing is in progress.

In a fleet every series of a node also has the label `node`, the node's name, and there are the metrics of the group Fleet. A crawl on one
machine has neither.

`grafana/` in the repository has dashboards and alerting rules that use these metrics.
";

const PROCESS: &str = "
## Process

`process_cpu_seconds_total` (whole seconds), `process_open_fds`, `process_max_fds`, `process_virtual_memory_bytes`,
`process_resident_memory_bytes`, `process_start_time_seconds` and `process_threads`, as in every Prometheus client.
";

/// Returns the text of `docs/METRICS.md`.
pub fn reference() -> String {
    let mut text = String::from(HEAD);
    for (title, about, definitions) in groups() {
        let _ = write!(text, "\n## {title}\n\n{}\n\n", joined(about));
        text.push_str("| metric | kind | labels | meaning |\n| --- | --- | --- | --- |\n");
        for definition in &definitions {
            let _ = writeln!(
                text,
                "| `{}` | {} | {} | {} |",
                definition.name,
                definition.kind.name(),
                labels(definition),
                definition.help
            );
        }
    }
    text + PROCESS
}

fn joined(lines: &[&str]) -> String {
    lines.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ")
}

fn labels(definition: &Definition) -> String {
    let one = |label: &super::instrument::Label| {
        let values: Vec<String> = label.values.iter().map(|value| format!("`{value}`")).collect();
        format!("`{}`: {}", label.name, values.join(", "))
    };
    definition.labels.iter().map(one).collect::<Vec<_>>().join("<br>")
}
