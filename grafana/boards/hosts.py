"""How servers are treated, and how they respond."""

from grafana_foundation_sdk.models import units

from expressions import FAILED_SHARE, REFUSED_SHARE, each, quantiles, rate, top, total
from panels import Row, colours, dashboard, graph, number, share, stacked


def figures():
    return [
        number("Known hosts",
               "Hosts seen so far. If they grow without end, limit `scope.hosts` or the crawl leaves the sites that you want.",
               units.Short, total("host_known_hosts")),
        number("Active hosts",
               "Hosts that have work now. If there are few and the bottleneck is the politeness delay, the crawl cannot be faster.",
               units.Short, total("host_awake_hosts")),
        number("Waiting hosts",
               "Hosts that wait longer than their delay. `harvestman ctl DIR status` names them, with the reason and the time.",
               units.Short, total("host_waiting_hosts")),
        number("Blocked", "Host names blocked by a command. `harvestman ctl DIR unblock` lifts it.", units.Short, total("host_blocked_names")),
        number("Refusals",
               "Share of responses in the last five minutes that are 403 or 429. If it is high, servers do not want this crawl: raise "
               "`host.delay` and contact them.", units.PercentUnit, REFUSED_SHARE)
        .decimals(1).thresholds(colours("green", (0.05, "orange"), (0.3, "red"))),
        number("Failing requests",
               "Share of requests in the last five minutes without a response or with a 5xx. If it is high, the panels No response and "
               "Responses by status name the reason.", units.PercentUnit, FAILED_SHARE)
        .decimals(1).thresholds(colours("green", (0.1, "orange"), (0.5, "red"))),
    ]


def politeness():
    return [
        Row("Politeness"),
        graph("Hosts",
              "Hosts seen, hosts that have work, and hosts whose robots.txt asks for a longer delay than `robots.crawl_delay_max`. If the"
              " last ones are many, raise that setting.", units.Short,
              (total("host_known_hosts"), "known"), (total("host_awake_hosts"), "active"),
              (total("host_crawl_delays_capped_total"), "crawl delay capped")),
        stacked("Waiting longer than the delay",
                "Hosts with URLs that wait longer than their delay, by cause. If all active hosts wait, the crawl stands still: check the"
                " cause for its most frequent hosts with `harvestman ctl DIR status`.", units.Short,
                (each("host_waiting_hosts", "cause"), "{{cause}}")),
        graph("Back-offs",
              "Pauses longer than the delay, by cause. back_off: errors or 429. breaker: too many failures in a row. robots: robots.txt "
              "is unavailable. If they are many, slow down.", units.CountsPerSecond,
              (rate("host_backoffs_total", by="cause"), "{{cause}}")),
        graph("Politeness wait",
              "Time that a host waits before a request. If p50 is far above `host.delay`, servers are slow, ask for a crawl delay, or "
              "back-offs are frequent.", units.Seconds, *quantiles("host_politeness_wait_seconds")),
        graph("robots.txt decisions",
              "Decisions about URLs. If most are disallowed, the site does not want to be crawled there: exclude those paths. "
              "unavailable: robots.txt cannot be fetched, so nothing is.", units.CountsPerSecond,
              (rate("host_robots_decisions_total", by="decision"), "{{decision}}")),
        graph("robots.txt fetches",
              "Fetches of robots.txt, by result. If unavailable or unreachable dominate, check the servers or the network; the hosts are "
              "not crawled meanwhile.", units.RequestsPerSecond,
              (rate("host_robots_fetches_total", by="result"), "{{result}}")),
        graph("Statements of sites",
              "Statements of sites and pages about the use of their content, by what was done because of them. If not_fetched or not_kept "
              "dominate, the sites refuse the purpose of the crawl: `harvestman report` names the statements, `fetch.purpose` the purpose.",
              units.CountsPerSecond, (rate("worker_statements_total", by="effect"), "{{effect}}")),
        graph("Log-ins",
              "Log-ins by the form of the site, by result, and lost sessions, in the interval of a data point. If sessions are lost again "
              "and again, something that is followed ends them: leave its links out by `scope.exclude`.", units.Short,
              ("sum by (result) (increase(harvestman_host_log_ins_total{@}[$__rate_interval]))", "{{result}}"),
              ("sum (increase(harvestman_host_sessions_lost_total{@}[$__rate_interval]))", "sessions lost")),
        graph("Retries",
              "Requests that will be retried, and leases returned because the host has to wait. If retries are frequent, the reason is in"
              " No response or Responses by status.", units.CountsPerSecond,
              (rate("host_retries_total"), "retries/s"), (rate("host_put_back_total"), "returned/s")),
        graph("Requests",
              "Requests for pages, and auxiliary ones by kind (robots.txt, sitemaps, log-ins, parts of rendered pages). If subrequest "
              "dominates, rendering costs most requests: lower `render.requests`, or set `render.mode` to never.", units.RequestsPerSecond,
              (rate("host_sent_total"), "pages"), (rate("host_errands_total", by="kind"), "{{kind}}")),
    ]


def responses():
    return [
        Row("Responses"),
        graph("Responses by status",
              "The eight most frequent statuses. 429 or 403: slow down and contact the site. 5xx: the crawl may overload the server; "
              "raise `host.delay`. Many 404: dead links.", units.RequestsPerSecond,
              (top(8, rate("fetch_responses_total", by="status")), "{{status}}")),
        graph("No response",
              "Requests without a response, by reason; top eight. dns: check the resolver. connect, tls, timeouts of many hosts: check "
              "network and proxy. Of few hosts: those servers are down.", units.RequestsPerSecond,
              (top(8, rate("fetch_dropped_total", by="reason")), "{{reason}}")),
        graph("Truncated bodies",
              "Responses whose body is incomplete, by reason. unwanted_type is intended. length: raise `fetch.body_max`. time, "
              "disconnect: slow or unstable servers.", units.RequestsPerSecond,
              (rate("fetch_truncated_total", by="reason"), "{{reason}}")),
        graph("Request duration",
              "Time to the first byte, and to the end of the response. If p95 of first_byte rises with the request rate, the crawl "
              "overloads the servers: raise `host.delay`.", units.Seconds,
              *quantiles("fetch_duration_seconds", "phase")).span(12),
        share("Refusals and failures",
              "Shares over the last five minutes. If one stays high, an alert follows: see the panels above for the reason.",
              (REFUSED_SHARE, "403 or 429"), (FAILED_SHARE, "no response or 5xx")).span(12),
        graph("Failures of this machine",
              "Attempts at requests that failed because of the crawler's own machine, by what it lacked. No host is blamed for them; the "
              "crawl waits while they go on: `harvestman ctl DIR status` says what to do.", units.RequestsPerSecond,
              (rate("fetch_local_failures_total", by="reason"), "{{reason}}")).span(12),
        graph("Signed requests",
              "Signed requests, by reason, and requests refused for want of a signature. If refusals go on while requests are signed, the"
              " hosts do not know the key: publish it (`harvestman identity`).", units.RequestsPerSecond,
              (rate("fetch_signed_total", by="reason"), "{{reason}}"), (rate("fetch_signature_wanted_total"), "signature wanted")).span(12),
    ]


def board():
    return dashboard("hosts", "hosts and politeness",
                     "How servers are treated and how they respond. Site names must not leak into dashboards, so no series names a host; "
                     "`harvestman ctl DIR status` does.",
                     [*figures(), *politeness(), *responses()])
