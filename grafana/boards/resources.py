"""Resource usage of the process, and what it waits for."""

from grafana_foundation_sdk.models import units

from expressions import quantiles, rate, total
from panels import Row, colours, dashboard, graph, number, share, stacked

CORES = "sum (rate(process_cpu_seconds_total{@}[$__rate_interval]))"
MEMORY = "sum (process_resident_memory_bytes{@})"
FREE = "min (harvestman_archive_free_bytes{@})"
GIB = 2**30


def figures():
    return [
        number("Memory",
               "Resident memory. If it nears the memory of the machine, lower `dedup.memory` and `frontier.in_flight_max`.",
               units.BytesIEC, MEMORY),
        number("CPU",
               "CPU cores in use. If it nears the cores of the machine, the panel Thread utilisation names the stage.",
               units.NoUnit, CORES).decimals(2),
        number("Open files",
               "Open file descriptors as a share of the limit. If it is high, raise the limit (ulimit -n), or requests will fail with "
               "connect.", units.PercentUnit, "max (process_open_fds{@} / process_max_fds{@})")
        .decimals(0).thresholds(colours("green", (0.7, "orange"), (0.9, "red"))),
        number("Free disk",
               "Free bytes on the file system of the crawl directory. A full disk ends the crawl: free space, move finished WARC files "
               "away, or set `budget.bytes`.", units.BytesIEC, FREE)
        .thresholds(colours("red", (GIB, "orange"), (20 * GIB, "green"))),
        number("Written",
               "Bytes written to WARC files. If it stands still, see Archive sync duration.",
               units.BytesIEC, total("archive_written_bytes_total")),
        number("Uptime",
               "Time since the process started. If it is shorter than expected, the crawl was restarted: see the log.",
               units.Seconds, "max (time() - process_start_time_seconds{@})").decimals(1),
    ]


def process():
    return [
        Row("Process"),
        graph("CPU usage",
              "CPU cores in use. If it is constantly at the cores of the machine, use a faster one or add nodes.",
              units.NoUnit, (CORES, "cores")),
        graph("Memory usage",
              "Resident memory of the process, and the part used by the set of URLs seen. If it grows without end, please report it.",
              units.BytesIEC,
              (MEMORY, "process"), (total("dedup_memory_bytes"), "URLs seen")),
        graph("Files and threads",
              "Open file descriptors and threads. If files grow without end, lower `frontier.in_flight_max`.",
              units.Short,
              ("sum (process_open_fds{@})", "files"), ("sum (process_threads{@})", "threads")),
    ]


def bottlenecks():
    return [
        Row("Bottlenecks"),
        share("Thread utilisation",
              "Share of time that threads are busy. A stage at 100 % is the bottleneck: workers need more cores, the archive a faster "
              "disk, the policy a cheaper policy.",
              (f"{rate('worker_busy_seconds_total')} / ({total('worker_threads')} > 0)", "workers"),
              (rate("frontier_busy_seconds_total"), "frontier"),
              (rate("policy_busy_seconds_total"), "policy"), (rate("archive_busy_seconds_total"), "archive")),
        share("Worker time",
              "Work of all workers, as a share of one CPU core. If classifying dominates, choose a cheaper policy; otherwise add cores "
              "and raise `crawl.threads`.",
              (rate("parse_busy_seconds_total"), "decoding and parsing"), (rate("classify_busy_seconds_total"), "classifying"),
              (rate("worker_busy_seconds_total"), "all")),
        share("Backpressure",
              "Time spent waiting for the next stage, as a share of one thread. For the archive or the state: the disk is too slow. For "
              "the policy: see the dashboard policy.",
              (rate("worker_waiting_seconds_total"), "workers for the archive"),
              (rate("policy_waiting_seconds_total"), "workers for the policy"),
              (rate("frontier_waiting_seconds_total"), "frontier for the state")),
        graph("Queues",
              "Items that wait for each stage. The longest queue is in front of the bottleneck.",
              units.Short, (total("worker_queue_length"), "workers"),
              (total("policy_queue_length"), "policy"), (total("archive_queue_length"), "archive"), (total("state_queue_length"), "state")),
        graph("Parser",
              "Pages parsed, parsed only in part, or failed. If any fail, please report a URL from the log. If many are truncated, they "
              "exceed `fetch.decoded_max` or have a broken coding.", units.CountsPerSecond,
              (rate("parse_sent_total"), "parsed/s"), (rate("parse_cut_pages_total"), "truncated/s"),
              (rate("parse_dropped_total"), "failed/s")),
        stacked("Substitute pages",
                "Answers in place of what was asked for: suspect (judged again after others), soft_404, block_page (the host pauses), "
                "guest_view. If block pages persist, the site does not want the crawl: contact it.", units.CountsPerSecond,
                (rate("parse_substitute_pages_total", by="kind"), "{{kind}}")),
        graph("Parsed bytes",
              "Bytes parsed, after decompression. If it is far above the bytes received, pages are heavily compressed: "
              "the crawl cuts a body that expands to more than 500 times its size.", units.BytesPerSecondSI,
              (rate("parse_parsed_bytes_total"), "parsed")).span(24),
    ]


def disk():
    return [
        Row("Disk"),
        stacked("Records",
                "WARC records written, by type. If revisit dominates, pages are fetched that the archive already has.",
                units.CountsPerSecond, (rate("archive_records_total", by="type"), "{{type}}")),
        graph("Archive sync duration",
              "Time to sync the archive to the disk. If p95 is seconds, the disk is slow or shared: check what else writes to it.",
              units.Seconds, *quantiles("archive_sync_seconds")),
        graph("Commit duration",
              "Time to commit a group of changes, including the archive sync. If p95 is above 5 s, the disk is too slow, or a network "
              "file system.", units.Seconds, *quantiles("state_commit_seconds")),
        graph("Pages per commit",
              "Mean number of pages committed together. If it is near 1 and commits are slow, raise `state.commit_every`.", units.Short,
              (f"{rate('state_pages_total')} / ({rate('state_commits_total')} > 0)", "pages")),
        graph("Lost or failed",
              "Must be 0. Not written, failed commits, lost URLs: the crawl ends; repair the disk and run `harvestman resume`. Panics: "
              "please report them.", units.Short,
              (total("archive_dropped_total"), "not written"), (total("state_commit_failures_total"), "failed commits"),
              (total("frontier_lost_urls"), "lost URLs"),
              (total("policy_panics_total"), "policy panics"), (total("parse_dropped_total"), "parser panics")),
        graph("Free disk space",
              "Free bytes on the file system of the crawl directory. If the line will reach 0 before the crawl ends, free space or set "
              "`budget.bytes`.", units.BytesIEC, (FREE, "free")),
        graph("Uploads",
              "Closed WARC files that wait for upload, and failed uploads, if `archive.upload` is set. If files pile up, the storage is "
              "too slow or refuses them: see the log.", units.Short,
              (total("archive_upload_waiting_files"), "waiting"), (total("archive_uploads_total", 'outcome="failed"'), "failed")),
        graph("Uploaded bytes",
              "WARC files uploaded. If it is 0 while files wait, see Uploads.",
              units.BytesPerSecondSI, (rate("archive_uploaded_bytes_total"), "uploaded")),
        graph("Posts",
              "New and changed posts written to posts.jsonl, if `archive.posts` is set, and the pages read for them. If pages bring no "
              "posts, correct what is taken with `harvestman posts teach`.", units.CountsPerSecond,
              (rate("archive_posts_total"), "posts/s"), (rate("archive_posts_pages_total"), "pages/s"),
              (rate("archive_posts_given_up_pages_total"), "pages given up/s")),
        graph("Threads with posts",
              "Threads of the posts in posts.jsonl. If it stands still while posts rise, the crawl revisits known threads.",
              units.Short, (total("archive_posts_threads"), "threads")).span(12),
        graph("Posts lag",
              "Bytes of the page log that were not read for their posts yet. If it grows, posts.jsonl falls behind; the rest is read when"
              " the crawl ends.", units.BytesIEC,
              (total("archive_posts_behind_bytes"), "not read")).span(12),
    ]


def board():
    return dashboard("resources", "resources",
                     "Resource usage of the process, bottlenecks, and disk.", [*figures(), *process(), *bottlenecks(), *disk()])
