"""What the policy has learned, and the results."""

from grafana_foundation_sdk.models import units

from expressions import each, largest, quantiles, rate, ratio, top, total
from panels import Row, bars, dashboard, graph, name, number, share, stacked

BY_POLICY = ('reason=~"link_class|no_cluster|no_edge|header_footer|duplicate_content|uninformative|structure_trap|banned|poor_site|'
             'poor_feed|log_out|member_action|extension"')
PUBLISHED = "harvestman_policy_snapshot_timestamp_seconds{@}"


def figures():
    return [
        name("Policy",
             "The crawl policy. If clusters and forecasts stay 0, this policy does not learn.", "harvestman_crawl_info{@}", "policy"),
        number("Clusters",
               "Page clusters: pages made from the same template. If there are hundreds on one site, its templates cannot be told apart; "
               "see Unknown cluster.", units.Short, total("policy_clusters")),
        number("Snapshot",
               "Version of the current snapshot of the policy. If it stands still while pages are fetched, see Snapshot age.",
               units.Short, largest("policy_snapshot_version")),
        number("Generation",
               "How often link classes have changed their meaning. If it keeps rising, the site keeps changing; see Model updates and "
               "drift.", units.Short, largest("policy_snapshot_generation")),
        number("Expected yield",
               "Share of the next requests expected to bring a new wanted page. If it is below what a request is worth to you, stop the "
               "crawl or set `budget.early_stop`.", units.PercentUnit, largest("frontier_expected_yield_ratio")),
        number("Drift",
               "Model updates because the pages of the site changed. More than a few: see the alert HarvestmanTemplatesUnsteady.",
               units.Short, total("policy_drifts_total")),
    ]


def clusters():
    return [
        Row("Clusters"),
        stacked("Pages by cluster",
                "Pages by cluster; numbers are those of policy.jsonl and `harvestman explain`. If an unwanted cluster dominates, ban it "
                "with `harvestman ctl DIR ban`.", units.CountsPerSecond,
                (rate("classify_pages_total", by="cluster"), "{{cluster}}")).span(12),
        share("Cluster shares",
              "Share of the pages of the last five minutes; the ten largest clusters. If the share of the wanted cluster falls, the site "
              "is nearly exhausted; see Expected yield.",
              ("topk (10, sum by (cluster) (instance_cluster:harvestman_classify_pages:ratio_rate5m{@}))", "{{cluster}}")).span(12),
        bars("Pages so far",
             "Pages by cluster; the twelve largest. If the wanted cluster is not among them, check its pages with `harvestman explain`.",
             units.Short,
             (top(12, each("classify_pages_total", "cluster")), "{{cluster}}")),
        share("Unknown cluster",
              "Share of pages of no known cluster. If it is high after the first model updates, the site is changing, or its templates "
              "cannot be told apart.",
              (ratio(rate("classify_dropped_total"), rate("classify_pages_total")), "unknown")),
        graph("Known clusters",
              "Page clusters known to the policy. If the number jumps, a model update has split clusters: their numbers mean something "
              "else.", units.Short, (total("policy_clusters"), "clusters")),
    ]


def expectations():
    return [
        Row("Expectations"),
        share("Expected yield and score",
              "What the policy expects of the next requests, and the mean score of recently leased URLs. While both fall, the best is "
              "taken: consider stopping.",
              (largest("frontier_expected_yield_ratio"), "yield"), (largest("frontier_expected_worth_ratio"), "score")),
        share("Duplicates",
              "Share of observed fetches that repeat another page. If it is high, requests are wasted: ban those URL forms (`harvestman ctl "
              "DIR ban`).",
              (ratio(rate("policy_duplicates_total"), rate("policy_observations_total")), "duplicates")),
        graph("Refused by the policy",
              "Links that the policy refuses, by reason. If wanted pages are missing, ask `harvestman explain` about one of their URLs; "
              "pin it if the policy is wrong.", units.CountsPerSecond,
              (rate("filter_dropped_total", BY_POLICY, by="reason"), "{{reason}}")),
        graph("Wanted pages",
              "Wanted new pages (content, pages like the examples, accepted pages, items of the topic), and all fetched pages. If the "
              "lines drift apart, each wanted page costs more.", units.Short,
              (total("policy_wanted_pages"), "wanted"), (total("crawl_fates_total", 'fate="fetched"'), "fetched")),
        graph("Searches",
              "Queries sent to searches, and sites that they found. If queries rise and sites do not, the topic is exhausted or the "
              "search does not respond; see the log.", units.Short,
              (largest("policy_queries_total"), "queries"), (largest("policy_found_sites_total"), "sites found")),
        graph("Traps and steering",
              "URL forms that the trap guard puts last or refuses, and targets banned or pinned by commands. If many are refused, check "
              "with `harvestman explain` that none is wanted.", units.Short,
              (total("policy_forms_put_last"), "put last"), (total("policy_forms_refused"), "refused"),
              (total("policy_banned_targets"), "banned"),
              (total("policy_pinned_targets"), "pinned")),
    ]


def learning():
    return [
        Row("Learning"),
        graph("Snapshots",
              "Version and generation of the current snapshot. If the version stands still, the policy learns nothing new; see Snapshot "
              "age.", units.Short,
              (largest("policy_snapshot_version"), "version"), (largest("policy_snapshot_generation"), "generation")),
        graph("Model updates and drift",
              "Model updates so far, and those because the pages of the site changed. If drift keeps rising, crawl one host at a time.",
              units.Short,
              (total("policy_model_updates_total"), "model updates"), (total("policy_drifts_total"), "drift")),
        graph("Snapshot age",
              "Time since the current snapshot was published. If it grows while pages are fetched, the policy has failed or falls behind:"
              " see the log and Policy thread.", units.Seconds,
              (f"max (time() - {PUBLISHED} and {PUBLISHED} > 0) or vector(0)", "age")),
        graph("Observations and proposals",
              "Fetches that the policy observed or skipped because it was behind, pages that it did not need to read, and URLs that it "
              "proposed. If skipped ones persist, the policy is the bottleneck.", units.CountsPerSecond,
              (rate("policy_observations_total"), "observed"), (rate("policy_skipped_observations_total"), "skipped"),
              (rate("policy_unread_pages_total"), "not read"), (rate("policy_proposals_total"), "proposed")),
        share("Policy thread",
              "Utilisation of the policy thread, and time that workers wait for it. If workers wait, choose a cheaper policy or a faster "
              "processor.",
              (rate("policy_busy_seconds_total"), "learning"),
              (rate("policy_model_update_seconds_total"), "model updates (part of learning)"),
              (rate("policy_waiting_seconds_total"), "workers waiting")).span(16),
    ]


def rendering():
    return [
        Row("Rendering"),
        graph("Rendered pages",
              "Pages rendered in a browser, by result, and links found only there. If cannot_start, crashed or hung persist, check the "
              "browser's memory and the log.", units.CountsPerSecond,
              (rate("render_pages_total", by="outcome"), "{{outcome}}"), (rate("render_gained_links_total"), "links gained")),
        graph("Clicks on rendered pages",
              "Clicks, by result. If most bring nothing, they only cost time: set `render.clicks` to 0.", units.CountsPerSecond,
              (rate("render_clicks_total", by="outcome"), "{{outcome}}")),
        graph("Requests of rendered pages",
              "Requests of rendered pages, answered or refused by reason, and those that hosts refused. If robots or scope refuse many, "
              "pages are rendered incompletely.", units.RequestsPerSecond,
              (top(8, rate("render_requests_total", by="outcome")), "{{outcome}}"),
              (rate("host_subrequests_refused_total", by="reason"), "host: {{reason}}")),
        graph("Need to render",
              "Classes of pages by what is known of their need for a browser. If failing ones grow, the browser cannot render them; see "
              "Rendered pages.", units.Short,
              (each("render_classes", by="need"), "{{need}}")),
        graph("Render duration",
              "Duration of a render, including waits for answers. If p95 is near `render.page_time`, pages never finish loading or the "
              "machine is overloaded.", units.Seconds,
              *quantiles("render_duration_seconds")).span(16),
    ]


def board():
    return dashboard("policy", "policy",
                     "What the policy has learned about the site, how it uses that, and what it expects. Clusters are numbered as in "
                     "policy.jsonl and `harvestman explain`.",
                     [*figures(), *clusters(), *expectations(), *learning(), *rendering()])
