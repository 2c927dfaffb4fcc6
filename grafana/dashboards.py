#!/usr/bin/env python3
"""Generates dashboards/*.json for Grafana. This file is the single source of the dashboards' contents.

Usage: dashboards.py [--check]

--check writes nothing and fails if a file differs from what would be written.

In expressions, @ stands for the selected job, instance and node. $__rate_interval is a Grafana variable: the window over which a rate must
be computed to cover several scrapes.
"""

import sys
from pathlib import Path

from panels import bars, dashboard, graph, name, number, row, share, text

FOLDER = Path(__file__).parent / "dashboards"


def rate(metric, labels="", by=""):
    """The per-second rate of a counter, summed over the selection or grouped by a label."""
    chosen = "@" + (f",{labels}" if labels else "")
    grouped = f"sum by ({by})" if by else "sum"
    return f"{grouped} (rate(harvestman_{metric}{{{chosen}}}[$__rate_interval]))"


def total(metric, labels=""):
    """The sum over the selection."""
    return f"sum (harvestman_{metric}{{@{',' if labels else ''}{labels}}})"


def each(metric, by):
    """A gauge, grouped by a label."""
    return f"sum by ({by}) (harvestman_{metric}{{@}})"


def top(count, expression):
    """The largest series only."""
    return f"topk ({count}, {expression})"


def ratio(part, whole):
    """A ratio; 0 if the denominator is 0."""
    return f"{part} / ({whole} > 0) or {part} * 0"


def quantiles(metric, by=""):
    """The 50th and 95th percentiles of a histogram."""
    labels, legend = (f"le, {by}", " {{%s}}" % by) if by else ("le", "")
    buckets = f"sum by ({labels}) (rate(harvestman_{metric}_bucket{{@}}[$__rate_interval]))"
    return [(f"histogram_quantile ({quantile}, {buckets})", text + legend)
            for quantile, text in ((0.5, "p50"), (0.95, "p95"))]


FUNNEL = [
    (total("crawl_discovered_total"), "discovered"),
    (total("filter_sent_total"), "passed the filter"),
    (total("dedup_sent_total"), "new"),
    (total("crawl_pages_total"), "fetched"),
    (total("archive_records_total", 'type=~"response|revisit"'), "archived"),
]
FUNNEL_RATES = [
    (rate("crawl_discovered_total"), "discovered"),
    (rate("filter_sent_total"), "passed the filter"),
    (rate("dedup_sent_total"), "new"),
    (rate("crawl_pages_total"), "fetched"),
    (rate("archive_records_total", 'type=~"response|revisit"'), "archived"),
]
FAILED = "sum (instance:harvestman_fetch_failures:ratio_rate5m{@})"


def overview():
    """The crawl at a glance."""
    return dashboard("overview", "overview", "The crawl from discovered links to archived pages, and why links are dropped on the way.", [
        name("Version", "Version of the program.", "harvestman_build_info{@}", "version"),
        name("Policy", "The crawl policy.", "harvestman_crawl_info{@}", "policy"),
        number("Pages", "Pages fetched successfully.", "short", total("crawl_pages_total")),
        number("Queued", "URLs queued in the frontier.", "short", total("frontier_queued_urls")),
        number("Failing requests", "Share of requests in the last five minutes that got no response or a 5xx.", "percentunit", FAILED),
        number("Budget remaining", "Remaining share of the most exhausted budget; 100 % if there is no budget.", "percentunit",
               "min (harvestman_crawl_budget_remaining_ratio{@})"),
        row("Link to page"),
        bars("Funnel", "Links that reached each stage. Archived counts responses of every status and auxiliary requests (robots.txt, sitemaps), so it exceeds the number of pages.", "short", *FUNNEL, width=8),
        graph("Funnel rates", "The funnel as rates. The gap between two lines is links that ended there; the panels below give the reasons.", "ops", *FUNNEL_RATES, width=16),
        row("Link fates"),
        graph("Fates", "Final outcomes of links per second. Discovered links without a fate are still queued.", "ops",
              (rate("crawl_fates_total", by="fate"), "{{fate}}"), stacked=True),
        graph("Refused by the filter", "Links per second that are out of scope or not wanted, by reason; top eight.", "ops",
              (top(8, rate("filter_dropped_total", by="reason")), "{{reason}}")),
        graph("Rejected or discarded by the frontier", "URLs per second, by reason; top eight.", "ops",
              (top(8, rate("frontier_dropped_total", by="reason")), "{{reason}}")),
        graph("Failed", "URLs per second with the fate failed, by reason; top eight. The panel Fates has the other fates.", "ops",
              (top(8, rate("crawl_fates_total", 'fate="failed"', by="reason")), "{{reason}}")),
        graph("Not requested", "Leased URLs per second that are not requested, by reason; top eight.", "ops",
              (top(8, rate("host_dropped_total", by="reason")), "{{reason}}")),
        graph("Responses", "Responses per second, by status class.", "reqps", (rate("fetch_responses_total", by="class"), "{{class}}"), stacked=True),
        row("Current state"),
        graph("Frontier", "URLs that are queued, leased, or not yet committed to the state.", "short", (total("frontier_queued_urls"), "queued"),
              (total("frontier_leased_urls"), "leased"), (total("frontier_uncommitted_urls"), "uncommitted")),
        graph("Requests in flight", "Requests in flight.", "short", (total("fetch_in_flight_requests"), "requests")),
        graph("Received and written", "Bytes per second: bodies received from the network, WARC records written to disk.", "Bps",
              (rate("fetch_received_bytes_total"), "received"), (rate("archive_written_bytes_total"), "written")),
        share("Budgets", "Remaining share of each budget; 100 % if there is no such budget.", ("min by (budget) (harvestman_crawl_budget_remaining_ratio{@})", "{{budget}}")),
        graph("Paused, stopping", "1 while the crawl is paused, or while it is stopping and only finishes what is in flight.", "none", ("max (harvestman_crawl_paused{@})", "paused"),
              ("max (harvestman_crawl_stopping{@})", "stopping")),
        graph("Recrawl visits", "Visits per second to previously known pages, by outcome; 0 in a first crawl.", "ops",
              (rate("recrawl_visits_total", by="outcome"), "{{outcome}}"), (rate("recrawl_new_pages_total"), "new pages")),
        graph("Commands", "Commands that the crawl received, by command, in the interval of a data point.", "short",
              ("sum by (command) (increase(harvestman_crawl_commands_total{@}[$__rate_interval]))", "{{command}}")),
    ])


def hosts():
    """How servers are treated, and how they respond."""
    return dashboard("hosts", "hosts and politeness", "How servers are treated and how they respond. Site names must not leak into dashboards, so no series names a host; `harvestman status` does.", [
        number("Known hosts", "Hosts seen so far.", "short", total("host_known_hosts")),
        number("Active hosts", "Hosts that have work now.", "short", total("host_awake_hosts")),
        number("Waiting hosts", "Hosts that currently wait longer than their delay.", "short", total("host_waiting_hosts")),
        number("Blocked", "Host names blocked by a command.", "short", total("host_blocked_names")),
        number("Refusals", "Share of responses in the last five minutes that are 403 or 429.", "percentunit",
               "sum (instance:harvestman_fetch_refused:ratio_rate5m{@})"),
        number("Failing requests", "Share of requests in the last five minutes that got no response or a 5xx.", "percentunit", FAILED),
        row("Politeness"),
        graph("Hosts", "Hosts seen so far, hosts that have work now, and hosts that ask for a longer crawl delay than the maximum.", "short",
              (total("host_known_hosts"), "known"), (total("host_awake_hosts"), "active"), (total("host_crawl_delays_capped_total"), "crawl delay capped")),
        graph("Waiting longer than the delay", "Hosts with URLs that must wait longer than their delay, by cause.", "short", (each("host_waiting_hosts", "cause"), "{{cause}}"), stacked=True),
        graph("Back-off", "Back-offs per second: hosts that have to wait longer than their delay, by cause.", "ops", (rate("host_backoffs_total", by="cause"), "{{cause}}")),
        graph("Politeness wait", "Time that a host waits before a request.", "s", *quantiles("host_politeness_wait_seconds")),
        graph("Statements of sites", "Statements of sites and pages about the use of their content (Content-Signal, Content-Usage, TDMRep, noarchive …), per second, by what was done because of them. The report names them.", "ops",
              (rate("worker_statements_total", by="effect"), "{{effect}}")),
        graph("robots.txt decisions", "Decisions about URLs per second.", "ops", (rate("host_robots_decisions_total", by="decision"), "{{decision}}")),
        graph("robots.txt fetches", "Fetches per second, by result.", "ops", (rate("host_robots_fetches_total", by="result"), "{{result}}")),
        graph("Retries", "Requests per second that will be retried, and leases returned because the host has to wait.", "ops",
              (rate("host_retries_total"), "retried"), (rate("host_put_back_total"), "returned")),
        graph("Requests", "Requests per second: pages, and auxiliary requests by kind (robots.txt, sitemaps, parts of rendered pages).", "reqps",
              (rate("host_sent_total"), "pages"), (rate("host_errands_total", by="kind"), "{{kind}}")),
        row("Responses"),
        graph("Responses by status", "Responses per second; the eight most frequent statuses.", "reqps", (top(8, rate("fetch_responses_total", by="status")), "{{status}}")),
        graph("No response", "Requests per second without a response, by reason; top eight.", "reqps",
              (top(8, rate("fetch_dropped_total", by="reason")), "{{reason}}")),
        graph("Truncated bodies", "Responses per second whose body is incomplete, by reason.", "reqps", (rate("fetch_truncated_total", by="reason"), "{{reason}}")),
        graph("Signed requests", "Signed requests per second, by reason, and answers that refused a request and asked for a signature that it did not have.", "reqps",
              (rate("fetch_signed_total", by="reason"), "{{reason}}"), (rate("fetch_signature_wanted_total"), "refused without")),
        graph("Request duration", "Duration of requests, to the first byte and to the end.", "s", *quantiles("fetch_duration_seconds", "phase"), width=12),
        share("Refusals and failures", "Shares over the last five minutes: responses with 403 or 429; requests without a response or with a 5xx.",
              ("sum (instance:harvestman_fetch_refused:ratio_rate5m{@})", "403 or 429"), (FAILED, "no response or 5xx"), width=12),
    ])


def policy():
    """What the policy has learned, and the results."""
    pages = rate("classify_pages_total")
    return dashboard("policy", "policy", "What the policy has learned about the site, how it uses that, and what it expects. Clusters are numbered as in policy.jsonl and `harvestman explain`.", [
        name("Policy", "The crawl policy.", "harvestman_crawl_info{@}", "policy"),
        number("Clusters", "Page clusters known to the policy.", "short", total("policy_clusters")),
        number("Snapshot", "Version of the current snapshot.", "short", "max (harvestman_policy_snapshot_version{@})"),
        number("Generation", "Number of times that the meaning of link classes has changed.", "short", "max (harvestman_policy_snapshot_generation{@})"),
        number("Expected yield", "Share of the next requests expected to yield a page that is wanted and new.", "percentunit", "max (harvestman_frontier_expected_yield_ratio{@})"),
        number("Drift", "Model updates triggered by changes in the pages of the site.", "short", total("policy_drifts_total")),
        row("Clusters"),
        graph("Pages by cluster", "Pages per second, by cluster.", "ops", (rate("classify_pages_total", by="cluster"), "{{cluster}}"), stacked=True, width=12),
        share("Cluster shares", "Share of the pages of the last five minutes; the ten largest clusters.",
              ("topk (10, sum by (cluster) (instance_cluster:harvestman_classify_pages:ratio_rate5m{@}))", "{{cluster}}"), width=12),
        bars("Pages so far", "Pages by cluster; the twelve largest.", "short", (top(12, each("classify_pages_total", "cluster")), "{{cluster}}")),
        share("Unknown cluster", "Share of pages that belong to no known cluster. If it is high after the first model updates, the site is changing.",
              (ratio(rate("classify_dropped_total"), pages), "unknown")),
        graph("Known clusters", "Page clusters known to the policy.", "short", (total("policy_clusters"), "clusters")),
        row("Expectations"),
        share("Expected yield and score", "Share of the next requests expected to yield a page that is wanted and new, and mean score of recently leased URLs.",
              ("max (harvestman_frontier_expected_yield_ratio{@})", "yield"), ("max (harvestman_frontier_expected_worth_ratio{@})", "score")),
        share("Duplicates", "Share of the fetches observed by the policy that it classified as duplicates of other pages.",
              (ratio(rate("policy_duplicates_total"), rate("policy_observations_total")), "duplicates")),
        graph("Refused by the policy", "Links per second refused by the policy, by reason.", "ops",
              (rate("filter_dropped_total", 'reason=~"link_class|no_cluster|no_edge|header_footer|duplicate_content|uninformative|structure_trap|banned|poor_site|extension"', by="reason"), "{{reason}}")),
        row("Learning"),
        graph("Snapshots", "Version and generation of the current snapshot.", "short", ("max (harvestman_policy_snapshot_version{@})", "version"),
              ("max (harvestman_policy_snapshot_generation{@})", "generation")),
        graph("Model updates and drift", "Model updates so far, and those triggered by changes in the pages of the site.", "short", (total("policy_model_updates_total"), "model updates"),
              (total("policy_drifts_total"), "drift")),
        graph("Snapshot age", "Time since the current snapshot was published.", "s",
              ("max (time() - harvestman_policy_snapshot_timestamp_seconds{@} and harvestman_policy_snapshot_timestamp_seconds{@} > 0) or vector(0)", "age")),
        graph("Observations and proposals", "Fetches per second observed by the policy, and URLs per second that it proposes.", "ops", (rate("policy_observations_total"), "observations"),
              (rate("policy_skipped_observations_total"), "skipped while behind"),
              (rate("policy_unread_pages_total"), "pages not read"),
              (rate("policy_proposals_total"), "proposals")),
        graph("Wanted pages", "Pages that were wanted and new when they came: content, pages like the examples, accepted pages, items of the topic. Beside them all fetched pages.", "short",
              (total("policy_wanted_pages"), "wanted"), ("sum (harvestman_crawl_fates_total{@,fate=\"fetched\"})", "fetched")),
        graph("Searches", "Queries sent to searches so far, and sites that they found.", "short", ("max (harvestman_policy_queries_total{@})", "queries"),
              ("max (harvestman_policy_found_sites_total{@})", "sites found")),
        share("Policy thread", "Utilisation of the policy thread. At 100 % the crawl waits for the policy.", (rate("policy_busy_seconds_total"), "learning"),
              (rate("policy_model_update_seconds_total"), "model updates (part of learning)"), (rate("policy_waiting_seconds_total"), "workers waiting")),
        graph("Traps and steering", "URL forms that are put last or refused by the trap guard, and targets banned or pinned by commands.", "short",
              (total("policy_forms_put_last"), "put last"), (total("policy_forms_refused"), "refused"), (total("policy_banned_targets"), "banned"),
              (total("policy_pinned_targets"), "pinned")),
        row("Rendering"),
        graph("Rendered pages", "Pages per second that were rendered in a browser, by what it brought; and links that only these pages have.", "ops",
              (rate("render_pages_total", by="outcome"), "{{outcome}}"), (rate("render_gained_links_total"), "links gained")),
        graph("Clicks on rendered pages", "Clicks per second, by what came of elements of the same path on that page.", "ops",
              (rate("render_clicks_total", by="outcome"), "{{outcome}}")),
        graph("Requests of rendered pages", "Requests of rendered pages per second, answered or refused for this reason; and parts of pages that hosts refused.", "reqps",
              (top(8, rate("render_requests_total", by="outcome")), "{{outcome}}"), (rate("host_subrequests_refused_total", by="reason"), "host: {{reason}}")),
        graph("Need to render", "Classes of pages of which some were rendered, by what is known of their need.", "short",
              (each("render_classes", by="need"), "{{need}}")),
        graph("Render duration", "Duration of a render, waits for answers included.", "s", *quantiles("render_duration_seconds")),
    ])


def filter_dedup():
    """Cost and losses of the two stages, in either order."""
    def took(stage):
        """The mean over five minutes, because only a few pages are timed."""
        seconds, links = (f"sum (rate(harvestman_{stage}_timed_{what}_total{{@}}[5m]))" for what in ("seconds", "links"))
        return f"{seconds} / ({links} > 0)"

    info = "harvestman_crawl_info{@}"
    return dashboard("filter-dedup", "filter and dedup", "Cost and losses of filter and dedup, by their order. To compare the orders, crawl one site with each of them and select several crawls.", [
        name("Order", "Order of the two stages (filter.order).", info, "order", width=6),
        name("Store", "Store of the URLs seen (dedup.store).", info, "store", width=6),
        number("URLs seen", "URLs in the set.", "short", total("dedup_entries")),
        number("Bloom filter", "Share of its bits that are set.", "percentunit", "max (harvestman_dedup_bloom_fill_ratio{@})"),
        number("Expected loss", "Expected number of new URLs that were dropped as known.", "short", total("dedup_wrongly_dropped_expected_urls")),
        row("Time"),
        graph("Time per URL", "Time per link in each of the two stages, sampled on one page in 64; five-minute means.", "s", (took("filter"), "filter"), (took("dedup"), "dedup"), width=12),
        graph("Time per URL, by order", "Time per link in both stages together, for each order among the selected crawls.", "s",
              ("sum by (order) (instance:harvestman_link_seconds:rate5m{@} * on (job, instance) group_left (order) harvestman_crawl_info{@})"
               " / count by (order) (harvestman_crawl_info{@})", "{{order}}"), width=12),
        row("Links"),
        graph("Filter", "Links per second that are received, passed on and refused.", "ops", (rate("filter_received_total"), "received"), (rate("filter_sent_total"), "sent"),
              (rate("filter_dropped_total"), "refused")),
        graph("Dedup", "URLs per second that are looked up, new and known.", "ops", (rate("dedup_received_total"), "looked up"), (rate("dedup_sent_total"), "new"),
              (rate("dedup_dropped_total"), "known")),
        share("Shares", "Share of links refused by the filter, and share of looked-up URLs that are known.",
              (ratio(rate("filter_dropped_total"), rate("filter_received_total")), "refused"),
              (ratio(rate("dedup_dropped_total"), rate("dedup_received_total")), "known")),
        row("Bloom filter"),
        share("Fill", "Share of bits set. Near one half the filter grows by a layer.", ("max (harvestman_dedup_bloom_fill_ratio{@})", "set")),
        graph("False positives", "New URLs that the filter took for known: measured, and expected from its fill.", "short", (total("dedup_false_positives"), "measured"),
              (total("dedup_false_positives_expected"), "expected")),
        graph("False-positive rate", "Share of new URLs that the filter would currently take for known.", "percentunit", ("max (harvestman_dedup_bloom_false_positive_ratio{@})", "rate")),
        graph("Loss", "New URLs that were dropped as known; 0 unless the Bloom filter is used without an exact set.", "short", (total("dedup_wrongly_dropped_urls"), "measured"),
              (total("dedup_wrongly_dropped_expected_urls"), "expected")),
        graph("Size", "Memory and disk usage of the set of URLs seen.", "bytes", (total("dedup_memory_bytes"), "memory"), (total("dedup_disk_bytes"), "disk")),
        graph("Bytes per URL", "Memory per URL. It starts high because the Bloom filter is allocated at its planned size.", "bytes",
              (f"{total('dedup_memory_bytes')} / ({total('dedup_entries')} > 0)", "memory")),
    ])


def resources():
    """Resource usage of the process, and what it waits for."""
    return dashboard("resources", "resources", "Resource usage of the process, bottlenecks, and disk.", [
        number("Memory", "Resident memory.", "bytes", "sum (process_resident_memory_bytes{@})"),
        number("CPU", "CPU cores in use.", "none", "sum (rate(process_cpu_seconds_total{@}[$__rate_interval]))"),
        number("Open files", "Open file descriptors as a share of the limit.", "percentunit", "max (process_open_fds{@} / process_max_fds{@})"),
        number("Free disk", "Free bytes on the file system of the crawl directory.", "bytes", "min (harvestman_archive_free_bytes{@})"),
        number("Written", "Bytes written to WARC files.", "bytes", total("archive_written_bytes_total")),
        number("Uptime", "Time since the process started.", "s", "max (time() - process_start_time_seconds{@})"),
        row("Process"),
        graph("CPU", "CPU cores in use.", "none", ("sum (rate(process_cpu_seconds_total{@}[$__rate_interval]))", "cores")),
        graph("Memory", "Resident memory of the process, and the part used by the set of URLs seen.", "bytes", ("sum (process_resident_memory_bytes{@})", "process"),
              (total("dedup_memory_bytes"), "URLs seen")),
        graph("Files and threads", "Open file descriptors and threads.", "short", ("sum (process_open_fds{@})", "files"), ("sum (process_threads{@})", "threads")),
        row("Bottlenecks"),
        share("Thread utilisation", "Share of time that threads are busy. A stage at 100 % is the bottleneck of the crawl.",
              (f"{rate('worker_busy_seconds_total')} / ({total('worker_threads')} > 0)", "workers"),
              (rate("frontier_busy_seconds_total"), "frontier"), (rate("policy_busy_seconds_total"), "policy"), (rate("archive_busy_seconds_total"), "archive")),
        share("Worker time", "Work of the worker threads, as a share of one CPU core.", (rate("parse_busy_seconds_total"), "decoding and parsing"),
              (rate("classify_busy_seconds_total"), "classifying"), (rate("worker_busy_seconds_total"), "all")),
        share("Backpressure", "Time spent waiting for the next stage, as a share of one thread.", (rate("worker_waiting_seconds_total"), "workers for the archive"),
              (rate("policy_waiting_seconds_total"), "workers for the policy"), (rate("frontier_waiting_seconds_total"), "frontier for the state")),
        graph("Queues", "Queue length of each stage.", "short", (total("worker_queue_length"), "workers"), (total("policy_queue_length"), "policy"),
              (total("archive_queue_length"), "archive"), (total("state_queue_length"), "state")),
        graph("Parser", "Pages per second that were parsed, parsed only in part, or failed.", "ops", (rate("parse_sent_total"), "parsed"), (rate("parse_cut_pages_total"), "truncated"),
              (rate("parse_dropped_total"), "failed")),
        graph("Substitute pages", "Answers in place of what was asked for, per second: suspect ones (requested again), soft 404s, block pages (the host pauses).",
              "ops", (rate("parse_substitute_pages_total", by="kind"), "{{kind}}"), stacked=True),
        graph("Parsed bytes", "Bytes parsed per second, after decompression.", "Bps", (rate("parse_parsed_bytes_total"), "parsed")),
        row("Disk"),
        graph("Records", "WARC records per second, by type.", "ops", (rate("archive_records_total", by="type"), "{{type}}"), stacked=True),
        graph("Archive sync duration", "Time to sync the archive to the disk.", "s", *quantiles("archive_sync_seconds")),
        graph("Commit duration", "Time to commit a group of changes, including the archive sync.", "s", *quantiles("state_commit_seconds")),
        graph("Pages per commit", "Mean number of pages whose outcomes are committed together.", "short",
              (f"{rate('state_pages_total')} / ({rate('state_commits_total')} > 0)", "pages")),
        graph("Lost or failed", "Must be 0: outcomes that could not be written, failed commits, queued URLs that cannot be read, panics.", "short",
              (total("archive_dropped_total"), "not written"), (total("state_commit_failures_total"), "failed commits"), (total("frontier_lost_urls"), "lost URLs"),
              (total("policy_panics_total"), "policy panics"), (total("parse_dropped_total"), "parser panics")),
        graph("Free disk", "Free bytes on the file system of the crawl directory.", "bytes", ("min (harvestman_archive_free_bytes{@})", "free")),
        graph("Uploads", "Closed WARC files that are not uploaded yet, if archive.upload names a destination, and failed uploads.", "short",
              (total("archive_upload_waiting_files"), "waiting"), (total("archive_uploads_total", 'outcome="failed"'), "failed")),
        graph("Uploaded bytes", "Bytes of WARC files uploaded per second.", "Bps", (rate("archive_uploaded_bytes_total"), "uploaded")),
        graph("Posts", "New and changed posts written to posts.jsonl per second, if archive.posts is set, and the pages read for them.", "ops",
              (rate("archive_posts_total"), "posts"), (rate("archive_posts_pages_total"), "pages")),
        graph("Threads with posts", "Threads of the posts in posts.jsonl.", "short", (total("archive_posts_threads"), "threads")),
        graph("Posts lag", "Bytes of the page log whose pages were not read for their posts yet. The rest is read at the end of the crawl.", "bytes",
              (total("archive_posts_behind_bytes"), "not read")),
    ])


def fleet():
    """A fleet: which node holds what, and the traffic between nodes."""
    pages = rate("crawl_pages_total", by="node")
    return dashboard("fleet", "fleet", "Nodes that crawl together: what each holds and does, the traffic between them, and their bus. Empty outside a fleet.", [
        number("Nodes", "Live nodes, as seen by one of them.", "short", 'max (harvestman_fleet_nodes{@,state="live"})'),
        name("Leader", "The node that adds the seeds, removes obsolete data and detects the end of the crawl.", "harvestman_fleet_leads{@} == 1", "node"),
        number("Unheld partitions", "Partitions that no live node holds; their hosts are not crawled meanwhile.", "short", "max (harvestman_fleet_unheld_partitions{@})"),
        number("Exchange lag", "Messages of the exchange that nodes have not logged yet.", "short", total("fleet_behind_messages")),
        number("Lowest lease margin", "Smallest remaining lease of any node, as a share of its value right after a renewal.", "percentunit",
               "min (harvestman_fleet_lease_margin_seconds{@} / (harvestman_fleet_lease_seconds{@} > 0))"),
        number("Bus", "1 while the bus responds to all nodes.", "none", "min (harvestman_fleet_bus_reachable{@})"),
        row("Nodes"),
        graph("Partitions held", "Partitions, by the node that holds them.", "short", ('sum by (node) (harvestman_fleet_partitions{@,state="held"})', "{{node}}"), stacked=True),
        graph("Partition states", "Partitions that are held, that have caught up with the messages they had missed, and that are still to be taken.", "short",
              (each("fleet_partitions", "state"), "{{state}}")),
        graph("Nodes", "Nodes by state, as seen by one of them. A silent node is considered dead when its lease expires.", "short",
              ("max by (state) (harvestman_fleet_nodes{@})", "{{state}}")),
        graph("Pages", "Pages per second, by node.", "ops", (pages, "{{node}}"), stacked=True),
        share("Load", "Share of the pages fetched by each node.", (f"{pages} / on () group_left () (sum ({pages}) > 0)", "{{node}}")),
        graph("Queued", "Queued URLs, by node.", "short", (each("frontier_queued_urls", "node"), "{{node}}"), stacked=True),
        row("Exchange"),
        graph("Exchange lag", "Messages of the exchange that each node has not logged yet. If it grows, the node is too slow for its partitions.", "short",
              (each("fleet_behind_messages", "node"), "{{node}}")),
        graph("Outgoing links", "Links per second to hosts held by other nodes: sent, or held back because the same link was sent recently.", "ops",
              (rate("fleet_foreign_links_total", by="done"), "{{done}}")),
        graph("Incoming links", "Links per second received from other nodes, by what they are on this node. Each node reads whole shards, so some belong elsewhere.", "ops",
              (rate("fleet_arrived_links_total", by="what"), "{{what}}"), stacked=True),
        graph("Batches", "Link batches per second.", "ops", (rate("fleet_batches_total", by="way"), "{{way}}")),
        graph("Batch bytes", "Bytes of link batches per second, compressed.", "Bps", (rate("fleet_batch_bytes_total", by="way"), "{{way}}")),
        graph("Bytes per link", "Bytes per transferred link, by node; five-minute means.", "bytes",
              ("avg by (node) (instance:harvestman_fleet_link_bytes:rate5m{@})", "{{node}}")),
        row("Leases and takeovers"),
        graph("Lease margin", "Seconds until each node must stop fetching unless its lease is renewed.", "s",
              ("min by (node) (harvestman_fleet_lease_margin_seconds{@})", "{{node}}")),
        graph("Partitions taken and released", "Partitions that changed their holder in the interval of a data point; taken ones by their previous holder.", "short",
              ("sum by (from) (increase(harvestman_fleet_taken_partitions_total{@}[$__rate_interval]))", "{{from}}"),
              ("sum (increase(harvestman_fleet_released_partitions_total{@}[$__rate_interval]))", "released")),
        graph("Evictions", "Sessions of other nodes that a node evicted, and its own sessions evicted by others; each one costs a takeover.", "short",
              ("sum by (node) (increase(harvestman_fleet_evictions_total{@}[$__rate_interval]))", "{{node}} evicted another"),
              ("sum by (node) (increase(harvestman_fleet_lost_sessions_total{@}[$__rate_interval]))", "{{node}} lost its own")),
        graph("Take duration", "Time to take partitions, several at a time.", "s", *quantiles("fleet_take_seconds"), width=12),
        graph("Release duration", "Time to release partitions, several at a time.", "s", *quantiles("fleet_release_seconds"), width=12),
        row("Bus"),
        graph("Calls", "Calls to the bus per second, by type.", "ops", (rate("fleet_bus_calls_total", by="call"), "{{call}}"), stacked=True),
        graph("Unsuccessful calls", "Unsuccessful calls to the bus per second, by outcome, and pauses before retries. Conflicts are normal.", "ops",
              (rate("fleet_bus_calls_total", 'outcome!="ok"', by="outcome"), "{{outcome}}"), (rate("fleet_bus_repeats_total"), "retried")),
        graph("Call duration", "Duration of calls; an append is acknowledged once it is replicated.", "s", *quantiles("fleet_bus_call_seconds", "call")),
        graph("Messages", "Messages between nodes and bus per second, by subject.", "ops", (rate("fleet_bus_messages_total", by="about"), "{{about}}"), stacked=True),
        graph("Bytes", "Bytes between nodes and bus per second, by subject and direction.", "Bps",
              (rate("fleet_bus_bytes_total", by="about, way"), "{{about}} {{way}}"), stacked=True),
        share("Bus unavailable", "Share of time without a response from the bus, by node.", (rate("fleet_bus_away_seconds_total", by="node"), "{{node}}")),
        row("Log and checkpoints"),
        graph("Log", "Messages logged by nodes per second.", "ops", (rate("fleet_log_entries_total", by="node"), "{{node}}"), stacked=True, width=6),
        graph("Persisted bytes", "Bytes per second that nodes write to logs and checkpoint parts.", "Bps", (rate("fleet_log_bytes_total"), "log"),
              (rate("fleet_checkpoint_bytes_total"), "parts"), width=6),
        graph("Checkpoints", "Duration of checkpoints, and checkpoints per minute.", "s", *quantiles("fleet_checkpoint_seconds"),
              (f"60 * {rate('fleet_checkpoints_total')}", "per minute"), width=6),
        graph("Dropped observations", "Fetches per second that the policy never observes because the bus was unavailable or full for too long. Nothing else is lost.", "ops",
              (rate("fleet_dropped_observations_total", by="node"), "{{node}}"), width=6),
    ])


DASHBOARDS = {"overview": overview, "hosts": hosts, "policy": policy, "filter-dedup": filter_dedup, "resources": resources, "fleet": fleet}


def main():
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        sys.exit(__doc__)
    wrong = []
    for file, make in DASHBOARDS.items():
        path, wanted = FOLDER / f"{file}.json", text(make())
        if not check:
            path.write_text(wanted, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != wanted:
            wrong.append(path.name)
    wrong += [path.name for path in FOLDER.glob("*.json") if path.stem not in DASHBOARDS]
    if wrong:
        sys.exit(f"out of date with dashboards.py: {', '.join(wrong)}; run python3 grafana/dashboards.py")


if __name__ == "__main__":
    main()
