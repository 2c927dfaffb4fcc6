#!/usr/bin/env python3
"""Writes dashboards/*.json, which Grafana reads. What is on the dashboards is said here, once.

Usage: dashboards.py [--check]

--check writes nothing and fails where a file is not what would be written.

In expressions @ stands for the chosen job, instance and node. $__rate_interval is Grafana's: the time that a rate has to be taken over
so that it holds several scrapes.
"""

import sys
from pathlib import Path

from panels import bars, dashboard, graph, name, number, row, share, text

FOLDER = Path(__file__).parent / "dashboards"


def rate(metric, labels="", by=""):
    """How much a counter rises a second, over all that is chosen, or by a label."""
    chosen = "@" + (f",{labels}" if labels else "")
    grouped = f"sum by ({by})" if by else "sum"
    return f"{grouped} (rate(harvestman_{metric}{{{chosen}}}[$__rate_interval]))"


def total(metric, labels=""):
    """The sum over all that is chosen."""
    return f"sum (harvestman_{metric}{{@{',' if labels else ''}{labels}}})"


def each(metric, by):
    """A gauge by a label."""
    return f"sum by ({by}) (harvestman_{metric}{{@}})"


def top(count, expression):
    """Only the greatest."""
    return f"topk ({count}, {expression})"


def ratio(part, whole):
    """A share; 0 where there is nothing to share."""
    return f"{part} / ({whole} > 0) or {part} * 0"


def quantiles(metric, by=""):
    """The middle of a histogram, and what 95 in 100 do not exceed."""
    labels, legend = (f"le, {by}", " {{%s}}" % by) if by else ("le", "")
    buckets = f"sum by ({labels}) (rate(harvestman_{metric}_bucket{{@}}[$__rate_interval]))"
    return [(f"histogram_quantile ({quantile}, {buckets})", text + legend)
            for quantile, text in ((0.5, "half are below"), (0.95, "95 % are below"))]


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
    """The whole crawl at a glance."""
    return dashboard("overview", "overview", "A crawl: from the links discovered to the pages archived, and why links are lost on the way.", [
        name("Version", "The program's version.", "harvestman_build_info{@}", "version"),
        name("Policy", "What the crawl wants.", "harvestman_crawl_info{@}", "policy"),
        number("Pages", "Pages fetched with success.", "short", total("crawl_pages_total")),
        number("Waiting", "URLs that wait in the frontier.", "short", total("frontier_queued_urls")),
        number("Failing requests", "Share of the requests of the last five minutes without an answer or with a 5xx.", "percentunit", FAILED),
        number("Left of the budget", "Share left of the budget that is used up most; 100 % where there is none.", "percentunit",
               "min (harvestman_crawl_budget_remaining_ratio{@})"),
        row("From link to page"),
        bars("Funnel", "How many links came how far. Archived are answers of every status and the crawl's own errands, so there are more of them than pages.", "short", *FUNNEL, width=8),
        graph("Funnel, a second", "The same as rates. Where two lines part, links end: the panels below say why.", "ops", *FUNNEL_RATES, width=16),
        row("Where links end"),
        graph("Fates", "What became of links, a second. What is missing to the links discovered waits.", "ops",
              (rate("crawl_fates_total", by="fate"), "{{fate}}"), stacked=True),
        graph("Refused by the filter", "Links a second that are out of scope or not wanted, by reason; the eight most frequent.", "ops",
              (top(8, rate("filter_dropped_total", by="reason")), "{{reason}}")),
        graph("Turned away or let go by the frontier", "URLs a second, by reason; the eight most frequent.", "ops",
              (top(8, rate("frontier_dropped_total", by="reason")), "{{reason}}")),
        graph("Failed", "URLs a second whose fate is failed, by reason; the eight most frequent. The others are in the fates.", "ops",
              (top(8, rate("crawl_fates_total", 'fate="failed"', by="reason")), "{{reason}}")),
        graph("Not requested", "Leased URLs a second that are not requested, by reason; the eight most frequent.", "ops",
              (top(8, rate("host_dropped_total", by="reason")), "{{reason}}")),
        graph("Answers", "Answers a second, by class of status.", "reqps", (rate("fetch_responses_total", by="class"), "{{class}}"), stacked=True),
        row("Now"),
        graph("Frontier", "URLs that wait, and URLs that are under way.", "short", (total("frontier_queued_urls"), "waiting"),
              (total("frontier_leased_urls"), "leased"), (total("frontier_unkept_urls"), "not kept yet")),
        graph("Requests under way", "Requests under way.", "short", (total("fetch_in_flight_requests"), "requests")),
        graph("Received and written", "Bytes a second: bodies from the network, WARC records to the disk.", "Bps",
              (rate("fetch_received_bytes_total"), "received"), (rate("archive_written_bytes_total"), "written")),
        share("Budgets", "What is left of each budget; 100 % where there is none.", ("min by (budget) (harvestman_crawl_budget_remaining_ratio{@})", "{{budget}}")),
        graph("Paused, stopping", "1 while the crawl rests, or only ends what is under way.", "none", ("max (harvestman_crawl_paused{@})", "paused"),
              ("max (harvestman_crawl_stopping{@})", "stopping")),
        graph("Recrawl: visits", "Visits a second to pages that were known before, by what they found; 0 in a first crawl.", "ops",
              (rate("recrawl_visits_total", by="outcome"), "{{outcome}}"), (rate("recrawl_new_pages_total"), "new pages")),
        graph("Told", "What people have told the crawl, by command, in the time shown by a point.", "short",
              ("sum by (command) (increase(harvestman_crawl_commands_total{@}[$__rate_interval]))", "{{command}}")),
    ])


def hosts():
    """How servers are treated, and how they answer."""
    return dashboard("hosts", "hosts and politeness", "How servers are treated and how they answer. No series names a host: `harvestman status` does.", [
        number("Hosts met", "Hosts met so far.", "short", total("host_known_hosts")),
        number("Hosts with work", "Hosts that have work now.", "short", total("host_awake_hosts")),
        number("Left alone", "Hosts that are left alone longer than their delay now.", "short", total("host_waiting_hosts")),
        number("Blocked", "Names of hosts that somebody has blocked.", "short", total("host_blocked_names")),
        number("Refusing answers", "Share of the answers of the last five minutes that are 403 or 429.", "percentunit",
               "sum (instance:harvestman_fetch_refused:ratio_rate5m{@})"),
        number("Failing requests", "Share of the requests of the last five minutes without an answer or with a 5xx.", "percentunit", FAILED),
        row("How they are treated"),
        graph("Hosts", "Hosts met, and those that have work now.", "short", (total("host_known_hosts"), "met"), (total("host_awake_hosts"), "with work")),
        graph("Left alone longer than their delay", "Hosts with URLs that must wait, by cause.", "short", (each("host_waiting_hosts", "cause"), "{{cause}}"), stacked=True),
        graph("Back-off", "Times a second that a host is left alone longer than its delay, by cause.", "ops", (rate("host_backoffs_total", by="cause"), "{{cause}}")),
        graph("Waits", "How long hosts are left alone before a request.", "s", *quantiles("host_politeness_wait_seconds")),
        graph("robots.txt about URLs", "Decisions a second.", "ops", (rate("host_robots_decisions_total", by="decision"), "{{decision}}")),
        graph("robots.txt fetched", "Fetches a second, by what came of them.", "ops", (rate("host_robots_fetches_total", by="result"), "{{result}}")),
        graph("Further tries", "Requests a second that will be made once more, and leases given back because a host must be left alone.", "ops",
              (rate("host_retries_total"), "tried again"), (rate("host_put_back_total"), "given back")),
        graph("Requests", "Requests a second: pages, and the crawl's own (robots.txt, sitemaps).", "reqps",
              (rate("host_sent_total"), "pages"), (rate("host_errands_total"), "errands")),
        row("How they answer"),
        graph("Answers by status", "Answers a second, the eight most frequent statuses.", "reqps", (top(8, rate("fetch_responses_total", by="status")), "{{status}}")),
        graph("No answer", "Requests a second without an answer, by reason; the eight most frequent.", "reqps",
              (top(8, rate("fetch_dropped_total", by="reason")), "{{reason}}")),
        graph("Not read to the end", "Answers a second whose body is not whole, by reason.", "reqps", (rate("fetch_truncated_total", by="reason"), "{{reason}}")),
        graph("Duration", "How long requests take, to the first byte and to the end.", "s", *quantiles("fetch_duration_seconds", "phase"), width=12),
        share("Refused and failing", "Shares of the last five minutes: answers with 403 or 429; requests without an answer or with a 5xx.",
              ("sum (instance:harvestman_fetch_refused:ratio_rate5m{@})", "403 or 429"), (FAILED, "no answer or 5xx"), width=12),
    ])


def policy():
    """What the policy has learnt, and what comes of it."""
    pages = rate("classify_pages_total")
    return dashboard("policy", "policy", "What the policy has learnt of the site, what it does with that, and what it expects. Clusters are numbered as in policy.jsonl and `harvestman explain`.", [
        name("Policy", "What the crawl wants.", "harvestman_crawl_info{@}", "policy"),
        number("Clusters", "Clusters of pages that the policy knows.", "short", total("policy_clusters")),
        number("Snapshot", "Version of the snapshot that holds.", "short", "max (harvestman_policy_snapshot_version{@})"),
        number("Generation", "How often link classes have changed their meaning.", "short", "max (harvestman_policy_snapshot_generation{@})"),
        number("Expected yield", "Share of the next requests expected to bring a page that is wanted and new.", "percentunit", "max (harvestman_frontier_expected_yield_ratio{@})"),
        number("Drift", "Lessons that were due because the site's pages had changed.", "short", total("policy_drifts_total")),
        row("Clusters"),
        graph("Pages by cluster", "Pages a second, by the cluster that they are of.", "ops", (rate("classify_pages_total", by="cluster"), "{{cluster}}"), stacked=True, width=12),
        share("Share of each cluster", "Share of the pages of the last five minutes, the ten largest clusters.",
              ("topk (10, sum by (cluster) (instance_cluster:harvestman_classify_pages:ratio_rate5m{@}))", "{{cluster}}"), width=12),
        bars("Pages so far", "Pages by cluster, the twelve largest.", "short", (top(12, each("classify_pages_total", "cluster")), "{{cluster}}")),
        share("Of no known cluster", "Share of the pages that are of no cluster that the policy knows. High after the first lessons: the site changes.",
              (ratio(rate("classify_dropped_total"), pages), "unknown")),
        graph("Clusters known", "Clusters that the policy knows.", "short", (total("policy_clusters"), "clusters")),
        row("What is expected"),
        share("Expectation", "The share of the next requests expected to bring something, and the mean score of what was handed out lately.",
              ("max (harvestman_frontier_expected_yield_ratio{@})", "yield"), ("max (harvestman_frontier_expected_worth_ratio{@})", "worth")),
        share("Repetitions", "Share of the fetches that the policy was shown and took for repetitions of others.",
              (ratio(rate("policy_duplicates_total"), rate("policy_observations_total")), "repetitions")),
        graph("Refused by the policy", "Links a second that the policy refuses, by reason.", "ops",
              (rate("filter_dropped_total", 'reason=~"link_class|no_cluster|no_edge|header_footer|duplicate_content|uninformative|structure_trap|banned"', by="reason"), "{{reason}}")),
        row("How it learns"),
        graph("Snapshots", "Version and generation of the snapshot that holds.", "short", ("max (harvestman_policy_snapshot_version{@})", "version"),
              ("max (harvestman_policy_snapshot_generation{@})", "generation")),
        graph("Lessons and drift", "Lessons so far, and those that were due because the pages had changed.", "short", (total("policy_lessons_total"), "lessons"),
              (total("policy_drifts_total"), "drift")),
        graph("Age of the snapshot", "Time since the snapshot that holds was published.", "s",
              ("max (time() - harvestman_policy_snapshot_timestamp_seconds{@} and harvestman_policy_snapshot_timestamp_seconds{@} > 0) or vector(0)", "age")),
        graph("Shown", "Fetches a second that the policy is shown, and addresses that it proposes.", "ops", (rate("policy_observations_total"), "observations"),
              (rate("policy_proposals_total"), "proposals")),
        share("Time of the policy's thread", "At 100 % the crawl waits for the policy.", (rate("policy_busy_seconds_total"), "learning"),
              (rate("policy_lesson_seconds_total"), "of that lessons"), (rate("policy_waiting_seconds_total"), "workers wait")),
        graph("Traps and steering", "Forms of address that are put last or refused, targets that people have banned or pinned.", "short",
              (total("policy_forms_put_last"), "put last"), (total("policy_forms_refused"), "refused"), (total("policy_banned_targets"), "banned"),
              (total("policy_pinned_targets"), "pinned")),
    ])


def filter_dedup():
    """What the two stages cost and lose, in whichever order they come."""
    def took(stage):
        """Few pages are timed: a mean of some minutes."""
        seconds, links = (f"sum (rate(harvestman_{stage}_timed_{what}_total{{@}}[5m]))" for what in ("seconds", "links"))
        return f"{seconds} / ({links} > 0)"

    info = "harvestman_crawl_info{@}"
    return dashboard("filter-dedup", "filter and dedup", "What filter and dedup cost and lose, by the order in which they come. To compare orders, crawl one site with each and choose several crawls.", [
        name("Order", "Which of the two comes first (filter.order).", info, "order", width=6),
        name("Store", "What keeps the URLs seen (dedup.store).", info, "store", width=6),
        number("URLs seen", "URLs in the set.", "short", total("dedup_entries")),
        number("Bloom filter", "Share of its bits that are set.", "percentunit", "max (harvestman_dedup_bloom_fill_ratio{@})"),
        number("Expected loss", "New URLs that are expected to have been dropped as known ones.", "short", total("dedup_wrongly_dropped_expected_urls")),
        row("Time"),
        graph("Time a URL", "Time that a link takes in each of the two, by a sample of one page in 64; means of five minutes.", "s", (took("filter"), "filter"), (took("dedup"), "dedup"), width=12),
        graph("Time a URL, by order", "The same for both together and for each order among the chosen crawls.", "s",
              ("sum by (order) (instance:harvestman_link_seconds:rate5m{@} * on (job, instance) group_left (order) harvestman_crawl_info{@})"
               " / count by (order) (harvestman_crawl_info{@})", "{{order}}"), width=12),
        row("Links"),
        graph("Filter", "Links a second that come in, go on and are refused.", "ops", (rate("filter_received_total"), "received"), (rate("filter_sent_total"), "sent"),
              (rate("filter_dropped_total"), "refused")),
        graph("Dedup", "URLs a second that are looked up, new and known.", "ops", (rate("dedup_received_total"), "looked up"), (rate("dedup_sent_total"), "new"),
              (rate("dedup_dropped_total"), "known")),
        share("Shares", "Share of the links that the filter refuses, and of the URLs looked up that are known.",
              (ratio(rate("filter_dropped_total"), rate("filter_received_total")), "refused"),
              (ratio(rate("dedup_dropped_total"), rate("dedup_received_total")), "known")),
        row("Bloom filter"),
        share("Fill", "Share of the bits that are set. Near one half it grows by a layer.", ("max (harvestman_dedup_bloom_fill_ratio{@})", "set")),
        graph("False positives", "New URLs that it took for known ones: measured, and as its fill lets expect.", "short", (total("dedup_false_positives"), "measured"),
              (total("dedup_false_positives_expected"), "expected")),
        graph("Rate of false positives", "Share of new URLs that it would take for known ones now.", "percentunit", ("max (harvestman_dedup_bloom_false_positive_ratio{@})", "rate")),
        graph("Loss", "New URLs that were dropped as known ones; 0 unless the Bloom filter stands alone.", "short", (total("dedup_wrongly_dropped_urls"), "measured"),
              (total("dedup_wrongly_dropped_expected_urls"), "expected")),
        graph("Size", "Memory and files of the set of URLs seen.", "bytes", (total("dedup_memory_bytes"), "memory"), (total("dedup_disk_bytes"), "disk")),
        graph("Bytes a URL", "Memory by the number of URLs. It starts high, as the Bloom filter is made at its planned size.", "bytes",
              (f"{total('dedup_memory_bytes')} / ({total('dedup_entries')} > 0)", "memory")),
    ])


def resources():
    """What the process uses and what it waits for."""
    return dashboard("resources", "resources", "What the process uses, what it waits for, and what is on the disk.", [
        number("Memory", "Resident memory.", "bytes", "sum (process_resident_memory_bytes{@})"),
        number("Processors", "Processors in use.", "none", "sum (rate(process_cpu_seconds_total{@}[$__rate_interval]))"),
        number("Open files", "Share of the file handles that the process may have.", "percentunit", "max (process_open_fds{@} / process_max_fds{@})"),
        number("Free disk", "Bytes free where the crawl directory is.", "bytes", "min (harvestman_archive_free_bytes{@})"),
        number("Written", "Bytes written to WARC files.", "bytes", total("archive_written_bytes_total")),
        number("Running for", "Time since the process started.", "s", "max (time() - process_start_time_seconds{@})"),
        row("Process"),
        graph("Processor", "Processors in use.", "none", ("sum (rate(process_cpu_seconds_total{@}[$__rate_interval]))", "processors")),
        graph("Memory", "Resident memory of the process, and the part of it that is the set of URLs seen.", "bytes", ("sum (process_resident_memory_bytes{@})", "process"),
              (total("dedup_memory_bytes"), "URLs seen")),
        graph("Files and threads", "Open files and threads.", "short", ("sum (process_open_fds{@})", "files"), ("sum (process_threads{@})", "threads")),
        row("What bounds the crawl"),
        share("Time in use", "Share of their time that threads work. What is at 100 % bounds the crawl.",
              (f"{rate('worker_busy_seconds_total')} / ({total('worker_threads')} > 0)", "workers"),
              (rate("frontier_busy_seconds_total"), "frontier"), (rate("policy_busy_seconds_total"), "policy"), (rate("archive_busy_seconds_total"), "archive")),
        share("Time of the workers", "What workers do, as a share of the time of one processor.", (rate("parse_busy_seconds_total"), "decoding and parsing"),
              (rate("classify_busy_seconds_total"), "classifying"), (rate("worker_busy_seconds_total"), "all")),
        share("Waiting", "Time spent waiting for the next stage, as a share of the time of one thread.", (rate("worker_waiting_seconds_total"), "workers for the archive"),
              (rate("policy_waiting_seconds_total"), "workers for the policy"), (rate("frontier_waiting_seconds_total"), "frontier for the state")),
        graph("Queues", "What waits for each stage.", "short", (total("worker_queue_length"), "workers"), (total("policy_queue_length"), "policy"),
              (total("archive_queue_length"), "archive"), (total("state_queue_length"), "state")),
        graph("Parser", "Pages a second, and those of which only a part could be read.", "ops", (rate("parse_sent_total"), "parsed"), (rate("parse_cut_pages_total"), "cut"),
              (rate("parse_dropped_total"), "failed")),
        graph("Parsed", "Bytes a second, after decompression.", "Bps", (rate("parse_parsed_bytes_total"), "parsed")),
        row("Disk"),
        graph("Records", "WARC records a second, by type.", "ops", (rate("archive_records_total", by="type"), "{{type}}"), stacked=True),
        graph("Forcing to the disk", "How long it takes to force the archive to the disk.", "s", *quantiles("archive_sync_seconds")),
        graph("Commits", "How long it takes to commit a group of changes, the archive included.", "s", *quantiles("state_commit_seconds")),
        graph("Pages a commit", "Pages whose outcome is committed together, on average.", "short",
              (f"{rate('state_pages_total')} / ({rate('state_commits_total')} > 0)", "pages")),
        graph("Lost or failed", "What must be 0: outcomes that could not be written, commits that failed, waiting URLs that cannot be read, panics.", "short",
              (total("archive_dropped_total"), "not written"), (total("state_commit_failures_total"), "commits failed"), (total("frontier_lost_urls"), "URLs lost"),
              (total("policy_panics_total"), "policy panicked"), (total("parse_dropped_total"), "parser panicked")),
        graph("Free disk", "Bytes free where the crawl directory is.", "bytes", ("min (harvestman_archive_free_bytes{@})", "free")),
        graph("Uploads", "Closed WARC files that are not uploaded yet, where archive.upload names a place, and uploads that failed.", "short",
              (total("archive_upload_waiting_files"), "waiting"), (total("archive_uploads_total", 'outcome="failed"'), "failed")),
        graph("Uploaded", "Bytes a second of WARC files that were uploaded.", "Bps", (rate("archive_uploaded_bytes_total"), "uploaded")),
    ])


def fleet():
    """Many machines: who holds what, and what they say to each other."""
    pages = rate("crawl_pages_total", by="node")
    return dashboard("fleet", "fleet", "Nodes that crawl together: what each holds and does, what travels between them, and their bus. Empty outside a fleet.", [
        number("Nodes", "Nodes that take part, as one of them sees it.", "short", 'max (harvestman_fleet_nodes{@,state="live"})'),
        name("Leader", "The node that plants the seeds, clears away what nobody needs and finds that the crawl is over.", "harvestman_fleet_leads{@} == 1", "node"),
        number("Partitions of nobody", "Partitions that no living node holds; their hosts are not crawled meanwhile.", "short", "max (harvestman_fleet_unheld_partitions{@})"),
        number("Behind", "Messages of the exchange that nodes have yet to log.", "short", total("fleet_behind_messages")),
        number("Lowest margin", "The least that is left of a node's lease, as a share of what it is after a renewal.", "percentunit",
               "min (harvestman_fleet_lease_margin_seconds{@} / (harvestman_fleet_lease_seconds{@} > 0))"),
        number("Bus", "1 while the bus answers all nodes.", "none", "min (harvestman_fleet_bus_reachable{@})"),
        row("Nodes"),
        graph("Partitions held", "Partitions by the node that holds them.", "short", ('sum by (node) (harvestman_fleet_partitions{@,state="held"})', "{{node}}"), stacked=True),
        graph("Partitions on the way", "Partitions that are held, that have caught up with what they had missed, and that are still to be taken.", "short",
              (each("fleet_partitions", "state"), "{{state}}")),
        graph("Nodes", "Nodes by state, as one of them sees it. Silent ones are taken for dead when their lease is over.", "short",
              ("max by (state) (harvestman_fleet_nodes{@})", "{{state}}")),
        graph("Pages", "Pages a second, by node.", "ops", (pages, "{{node}}"), stacked=True),
        share("Load", "Share of the pages that each node fetches.", (f"{pages} / on () group_left () (sum ({pages}) > 0)", "{{node}}")),
        graph("Waiting", "URLs that wait, by node.", "short", (each("frontier_queued_urls", "node"), "{{node}}"), stacked=True),
        row("Exchange"),
        graph("Behind", "Messages of the exchange that each node has yet to log. Where it grows, the node is too slow for what it holds.", "short",
              (each("fleet_behind_messages", "node"), "{{node}}")),
        graph("Links for others", "Links a second of hosts that others hold: sent, or held back because the same was sent lately.", "ops",
              (rate("fleet_foreign_links_total", by="done"), "{{done}}")),
        graph("Links of others", "Links a second that arrive, by what they are here. Each node reads all of a shard, so some are elsewhere.", "ops",
              (rate("fleet_arrived_links_total", by="what"), "{{what}}"), stacked=True),
        graph("Batches", "Batches of links a second.", "ops", (rate("fleet_batches_total", by="way"), "{{way}}")),
        graph("Bytes of batches", "Bytes of links a second, compressed.", "Bps", (rate("fleet_batch_bytes_total", by="way"), "{{way}}")),
        graph("Bytes a link", "Bytes that a link takes on its way, by node; means of five minutes.", "bytes",
              ("avg by (node) (instance:harvestman_fleet_link_bytes:rate5m{@})", "{{node}}")),
        row("Leases and hands"),
        graph("Lease", "Seconds until each node must stop fetching unless its lease is renewed.", "s",
              ("min by (node) (harvestman_fleet_lease_margin_seconds{@})", "{{node}}")),
        graph("Taken and let go", "Partitions that change hands, in the time shown by a point, by where they were before.", "short",
              ("sum by (from) (increase(harvestman_fleet_taken_partitions_total{@}[$__rate_interval]))", "{{from}}"),
              ("sum (increase(harvestman_fleet_released_partitions_total{@}[$__rate_interval]))", "let go")),
        graph("Deaths", "Sessions of others that a node evicted, and its own that others did; each costs a take-over.", "short",
              ("sum by (node) (increase(harvestman_fleet_evictions_total{@}[$__rate_interval]))", "{{node}} evicted another"),
              ("sum by (node) (increase(harvestman_fleet_lost_sessions_total{@}[$__rate_interval]))", "{{node}} lost its own")),
        graph("Time to take", "How long it takes to take partitions, as many as at once.", "s", *quantiles("fleet_take_seconds"), width=12),
        graph("Time to let go", "How long it takes to let partitions go, as many as at once.", "s", *quantiles("fleet_release_seconds"), width=12),
        row("Bus"),
        graph("Calls", "Calls to the bus a second, by what they are about.", "ops", (rate("fleet_bus_calls_total", by="call"), "{{call}}"), stacked=True),
        graph("Calls not done", "Calls to the bus a second that were not done, by what came of them, and pauses before they are repeated. Conflicts are ordinary.", "ops",
              (rate("fleet_bus_calls_total", 'outcome!="ok"', by="outcome"), "{{outcome}}"), (rate("fleet_bus_repeats_total"), "repeated")),
        graph("Duration of calls", "How long calls take; appends are acknowledged when they are replicated.", "s", *quantiles("fleet_bus_call_seconds", "call")),
        graph("Messages", "Messages between nodes and bus, a second.", "ops", (rate("fleet_bus_messages_total", by="about"), "{{about}}"), stacked=True),
        graph("Bytes", "Bytes between nodes and bus, a second, by what they are about and which way they go.", "Bps",
              (rate("fleet_bus_bytes_total", by="about, way"), "{{about}} {{way}}"), stacked=True),
        share("Away", "Share of the time without an answer of the bus, by node.", (rate("fleet_bus_away_seconds_total", by="node"), "{{node}}")),
        row("Log and checkpoints"),
        graph("Log", "Messages that nodes log, a second.", "ops", (rate("fleet_log_entries_total", by="node"), "{{node}}"), stacked=True, width=6),
        graph("Bytes kept", "Bytes a second that nodes log, and write of parts.", "Bps", (rate("fleet_log_bytes_total"), "log"),
              (rate("fleet_checkpoint_bytes_total"), "parts"), width=6),
        graph("Checkpoints", "How long checkpoints take, and how many a minute there are.", "s", *quantiles("fleet_checkpoint_seconds"),
              (f"60 * {rate('fleet_checkpoints_total')}", "a minute"), width=6),
        graph("Not shown to the policy", "Fetches a second that the policy learns nothing from: the bus was away or full for too long. Nothing else is lost by it.", "ops",
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
        sys.exit(f"not what dashboards.py says: {', '.join(wrong)}; run python3 grafana/dashboards.py")


if __name__ == "__main__":
    main()
