"""Whether the crawl is healthy, what holds it back, and whether it is still worth its requests; then the way from a link to a page."""

from grafana_foundation_sdk.models import common, units
from grafana_foundation_sdk.models.dashboard import DynamicConfigValue

from expressions import FAILED_SHARE, increase, largest, rate, top, total
from panels import Row, bars, colours, dashboard, graph, name, number, share, stacked, text_from, texts

# The codes of instance:harvestman_crawl_state:code, in the order of their urgency.
STATES = {
    0: ("finished", "blue"), 1: ("running", "green"), 2: ("stopping", "blue"), 3: ("paused", "yellow"), 4: ("stuck", "orange"),
    5: ("failing", "red"), 6: ("down", "dark-red"),
}
# From this many seconds on nothing suggests that the crawl ends.
ENDLESS = 3e8
POSTS_PER_REQUEST = f"{rate('archive_posts_total')} / ({rate('fetch_received_total')} > 0)"
ARCHIVED = 'type=~"response|revisit"'
SERVER_ERRORS = rate("fetch_responses_total", 'class="5xx"')
ERRORS = f"({rate('fetch_dropped_total')} or vector(0)) + ({SERVER_ERRORS} or vector(0))"
FIRING = 'ALERTS{alertstate="firing",severity="%s",@}'


def alerts():
    """Queries for the names of firing alerts; the last one yields a result only if none fires."""
    page, ticket = (f"max by (alertname) ({FIRING % severity})" for severity in ("page", "ticket"))
    return [(f"2 * {page}", "{{alertname}}"), (ticket, "{{alertname}}"),
            (f"sum (harvestman_build_info{{@}}) * 0 unless on () ({page} or {ticket})", "none")]


def health():
    return [
        number("State",
               "The most urgent state among the selected crawls. Stuck: no request for ten minutes although URLs are queued; see "
               "Bottleneck. Failing: more than half of the requests fail, servers refuse them, or data cannot be written; see the alerts."
               " Down: the process ended with URLs left; see the end of its log, and run `harvestman resume`.", units.NoUnit,
               "max (instance:harvestman_crawl_state:code{@})")
        .mappings([texts(STATES)]).color_mode(common.BigValueColorMode.BACKGROUND).no_value("no crawl"),
        number("Firing alerts",
               "Red alerts need attention at once, orange ones can wait until morning. The text of each alert in Prometheus says what to "
               "do.", units.NoUnit, *alerts())
        .text_mode(common.BigValueTextMode.NAME).color_mode(common.BigValueColorMode.BACKGROUND)
        .thresholds(colours("green", (1, "orange"), (2, "red"))),
    ]


def bottleneck():
    return [
        number("Bottleneck",
               "The cause that holds the crawl back most, and how much: the largest value of the panel Limits, where each cause is "
               "explained. Below 30 % no cause counts. If several crawls are selected, each cause counts where it is largest: select one "
               "crawl to see its own.", units.PercentUnit,
               ("topk (1, max by (cause) (instance_cause:harvestman_limit:ratio_rate5m{@}))", "{{cause}}"))
        .span(6).text_mode(common.BigValueTextMode.VALUE_AND_NAME).decimals(0).thresholds(colours("green", (0.5, "orange"), (0.9, "red"))),
    ]


def worth():
    return [
        number("New pages per request",
               "In the last 15 minutes and in the whole crawl: wanted pages if the policy tells pages apart, otherwise all; and new posts"
               " per request if `archive.posts` is set. If the first is far below the second, the crawl has taken the best: stop it, or "
               "set `budget.early_stop`.", units.NoUnit,
               ("avg (instance:harvestman_yield:ratio_rate15m{@})", "now"), ("avg (instance:harvestman_yield:ratio{@})", "whole crawl"),
               (POSTS_PER_REQUEST, "posts now"))
        .span(6).decimals(2).text_mode(common.BigValueTextMode.VALUE_AND_NAME),
        number("Time left",
               "Until the queue is empty or a budget is used up, at the pace of the last half hour. If it is too long: set a budget, "
               "narrow the scope, or add nodes.", units.Seconds,
               ("min by (until) (instance:harvestman_time_left:seconds{@})", "{{until}}"))
        .mappings([text_from(ENDLESS, "not in sight", "text")]).decimals(1).text_mode(common.BigValueTextMode.VALUE_AND_NAME),
    ]


def trends():
    return [
        graph("Requests, pages, errors",
              "Requests, new pages, and requests without a response or with a 5xx. If errors rise, the panels No response and Responses "
              "by status of the dashboard hosts name the reason. If requests fall without errors, see Bottleneck.", units.CountsPerSecond,
              (rate("fetch_received_total"), "requests/s"), (rate("crawl_pages_total"), "pages/s"),
              (ERRORS, "errors/s")),
        bars("Limits",
             "How much each cause holds the crawl back. Politeness delay, slow hosts, hosts backing off: share of the active hosts' time;"
             " crawl more hosts at once, or lower `host.delay` if the sites allow it. CPU, threads, disk: share of a thread's time; see "
             "the dashboard resources. Filter, frontier empty: links run out; widen the scope, or let the crawl finish. Budget: the crawl"
             " ends soon.", units.PercentUnit,
             ('sort_desc (max by (cause) (instance_cause:harvestman_limit:ratio_rate5m{@,cause!="no single cause"}))', "{{cause}}"))
        .min(0).max(1).decimals(0).thresholds(colours("green", (0.5, "orange"), (0.9, "red"))),
        graph("Yield per request",
              "New pages per request in the last 15 minutes and in the whole crawl, and what the policy expects of the next requests (0 "
              "if it makes no forecast). Posts have their own axis. While the first line falls below the second, each request brings less"
              " than before.", units.NoUnit,
              ("avg (instance:harvestman_yield:ratio_rate15m{@})", "pages per request"),
              ("avg (instance:harvestman_yield:ratio{@})", "whole crawl"),
              (largest("frontier_expected_yield_ratio"), "expected"), (POSTS_PER_REQUEST, "posts per request"))
        .decimals(2).override_by_name("posts per request", [DynamicConfigValue(id_val="custom.axisPlacement", value="right")]),
    ]


def figures():
    return [
        number("Pages",
               "Pages fetched since the process started. If the number stands still, see State.", units.Short, total("crawl_pages_total")),
        number("Queued",
               "URLs that wait to be fetched. If they grow without end, narrow the scope or set a budget, before `frontier.queued_max` is"
               " reached.", units.Short, total("frontier_queued_urls")),
        number("Failing requests",
               "Share of requests in the last five minutes without a response or with a 5xx. Above a tenth, look for the reason in the "
               "dashboard hosts.", units.PercentUnit, FAILED_SHARE)
        .decimals(1).thresholds(colours("green", (0.1, "orange"), (0.5, "red"))),
        number("Budget remaining",
               "Remaining share of the most exhausted budget; 100 % without a budget. To let the crawl continue, raise the budget with "
               "`harvestman ctl DIR set`.", units.PercentUnit,
               "min (harvestman_crawl_budget_remaining_ratio{@})").decimals(0).thresholds(colours("red", (0.02, "orange"), (0.1, "green"))),
        name("Policy",
             "The crawl policy. If it is not the one that you wanted, start the crawl anew with --policy.",
             "harvestman_crawl_info{@}", "policy"),
        name("Version",
             "Version of the program. If crawls differ here, compare their figures with care.", "harvestman_build_info{@}", "version"),
    ]


FUNNEL = [("crawl_discovered_total", "", "discovered"), ("filter_sent_total", "", "passed the filter"), ("dedup_sent_total", "", "new"),
          ("crawl_pages_total", "", "fetched"), ("archive_records_total", ARCHIVED, "archived")]


def funnel():
    return [
        Row("From link to page"),
        bars("Funnel",
             "Links that reached each stage. If few pass the filter or few are new, the panels below give the reasons. Archived counts "
             "responses of every status and of auxiliary requests (robots.txt, sitemaps), so it exceeds the pages.", units.Short,
             *((total(metric, labels), legend) for metric, labels, legend in FUNNEL)),
        graph("Funnel rates",
              "The funnel as rates. The gap between two lines is links that ended there. If new links stay below fetched ones, the queue "
              "shrinks.", units.CountsPerSecond,
              *((rate(metric, labels), f"{legend}/s") for metric, labels, legend in FUNNEL)).span(16),
        Row("Where links end"),
        stacked("Outcomes",
                "Final outcomes of links; a link without one is still queued. If most are failed or duplicate, requests are wasted: see "
                "the next panels.", units.CountsPerSecond,
                (rate("crawl_fates_total", by="fate"), "{{fate}}")),
        graph("Refused by the filter",
              "Links that are out of scope or not wanted, by reason; top eight. If a reason is not what you intended, correct the scope, "
              "or ask `harvestman explain` about a URL.", units.CountsPerSecond,
              (top(8, rate("filter_dropped_total", by="reason")), "{{reason}}")),
        graph("Dropped by the frontier",
              "Queued URLs that a limit or the policy removed, by reason; top eight. If limits remove many, raise `frontier.queued_max` "
              "or narrow the scope.", units.CountsPerSecond,
              (top(8, rate("frontier_dropped_total", by="reason")), "{{reason}}")),
        graph("Failed",
              "URLs that failed for good, by reason; top eight. Many http_404 are dead links. Network reasons: check resolver and "
              "network. http_429, http_403: slow down and contact the site.", units.CountsPerSecond,
              (top(8, rate("crawl_fates_total", 'fate="failed"', by="reason")), "{{reason}}")),
        graph("Not requested",
              "Leased URLs that are never requested, by reason; top eight. unavailable: robots.txt could not be fetched. host_given_up: "
              "the host failed too often.", units.CountsPerSecond,
              (top(8, rate("host_dropped_total", by="reason")), "{{reason}}")),
        stacked("Responses",
                "Responses by status class. If 4xx or 5xx dominate, see the dashboard hosts.",
                units.RequestsPerSecond, (rate("fetch_responses_total", by="class"), "{{class}}")),
    ]


def progress():
    return [
        Row("Progress"),
        graph("Frontier",
              "URLs that are queued, leased to hosts, or not yet committed. If uncommitted URLs grow, the disk is too slow.", units.Short,
              (total("frontier_queued_urls"), "queued"), (total("frontier_leased_urls"), "leased"),
              (total("frontier_uncommitted_urls"), "uncommitted")),
        graph("Requests in flight",
              "Requests in progress. If they stay at `frontier.in_flight_max`, raise it; if they are few, see Bottleneck.", units.Short,
              (total("fetch_in_flight_requests"), "in flight")),
        graph("Received and written",
              "Bodies received from the network, and WARC records written. If nothing is written, see the dashboard resources.",
              units.BytesPerSecondSI,
              (rate("fetch_received_bytes_total"), "received"), (rate("archive_written_bytes_total"), "written")),
        share("Budgets",
              "Remaining share of each budget; 100 % without such a budget. The crawl ends when one reaches 0: raise it with `harvestman ctl "
              "DIR set` if that is too early.",
              ("min by (budget) (harvestman_crawl_budget_remaining_ratio{@})", "{{budget}}")),
        graph("Paused, stopping",
              "1 while the crawl is paused, or while it stops and only finishes requests in flight. harvestman ctl DIR unpause ends a "
              "forgotten pause.", units.NoUnit,
              (largest("crawl_paused"), "paused"), (largest("crawl_stopping"), "stopping")),
        graph("Recrawl visits",
              "Visits to known pages, by outcome; 0 in a first crawl. If few are changed, recrawl less often.", units.CountsPerSecond,
              (rate("recrawl_visits_total", by="outcome"), "{{outcome}}"), (rate("recrawl_new_pages_total"), "new pages")),
        graph("Commands",
              "Commands that the crawl received in the interval of a data point. If one is unexpected, check who has the token of the "
              "live page.", units.Short,
              (increase("crawl_commands_total", by="command"), "{{command}}")).span(24),
    ]


def board():
    first = [*health(), *bottleneck(), *worth(), *trends(), *figures()]
    return dashboard("overview", "overview",
                     "Is the crawl healthy, what holds it back, is it worth going on? Below: the way from discovered links to archived "
                     "pages.",
                     [*first, *funnel(), *progress()])
