//! `docs/METRICS.md`, made from the catalogue.

use std::fmt::Write;

use super::catalogue::groups;
use super::instrument::Definition;

const HEAD: &str = "\
# Metrics

<!-- Made from src/metrics/catalogue/; `HARVESTMAN_BLESS=1 cargo test --test cli` writes it anew. -->

`harvestman crawl --metrics 127.0.0.1:9900 …` serves these at `http://127.0.0.1:9900/metrics` in Prometheus' text format. A
label has the values that are listed, and `other` for all that are not; so the number of series has a bound, however long a crawl runs
and whatever it meets. No label holds a URL or a host name: a crawl may meet a million hosts, each would be a series for ever, and what
a site is called is nobody's business who reads a dashboard. Single hosts are named by `harvestman status` and `/api/status`.

Each stage says of what passes through it what it received, what it sent on, and what it dropped and why; so nothing can be lost
without a reason. For all of a crawl:
`harvestman_crawl_discovered_total` = sum of `harvestman_crawl_fates_total` + `harvestman_frontier_queued_urls` +
`harvestman_frontier_leased_urls`, to the last link when the crawl is at rest.

In a fleet every series of a node has the label `node` besides, the node's name, and there are the metrics of the group Fleet. A crawl on
one machine has neither.

`grafana/` in the repository has dashboards and alerting rules made of these.
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
