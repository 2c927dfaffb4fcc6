"""Cost and losses of filter and dedup, in either order."""

from grafana_foundation_sdk.models import units

from expressions import largest, rate, ratio, total
from panels import Row, colours, dashboard, graph, name, number, share


def seconds_per_link(stage):
    """The mean over five minutes, because only a few pages are timed."""
    seconds, links = (f"sum (rate(harvestman_{stage}_timed_{what}_total{{@}}[5m]))" for what in ("seconds", "links"))
    return f"{seconds} / ({links} > 0)"


BY_ORDER = ("sum by (order) (instance:harvestman_link_seconds:rate5m{@} * on (job, instance) group_left (order) harvestman_crawl_info{@})"
            " / count by (order) (harvestman_crawl_info{@})")


def figures():
    return [
        name("Order",
             "Order of the two stages (`filter.order`). If Time per URL by order shows that the other one is faster for this site, use it"
             " for the next crawl.", "harvestman_crawl_info{@}", "order").span(6),
        name("Store",
             "Store of the URLs seen (`dedup.store`). If it is bloom-only, watch Expected loss.",
             "harvestman_crawl_info{@}", "store").span(6),
        number("URLs seen",
               "URLs in the set. If they exceed `dedup.planned`, the Bloom filter costs more time and memory: plan for more.",
               units.Short, total("dedup_entries")),
        number("Bloom filter",
               "Share of its bits that are set. Near one half it grows by a layer: raise `dedup.planned` for the next crawl.",
               units.PercentUnit, largest("dedup_bloom_fill_ratio"))
        .decimals(0).thresholds(colours("green", (0.45, "orange"))),
        number("Expected loss",
               "Expected number of new URLs dropped as known. If it is not 0 and matters, use the store bloom-exact.",
               units.Short, total("dedup_wrongly_dropped_expected_urls"))
        .thresholds(colours("green", (1, "orange"))),
    ]


def links():
    return [
        Row("Time"),
        graph("Time per URL",
              "Time per link in each stage, sampled on one page in 64; five-minute means. If dedup dominates, its set has outgrown "
              "memory: raise `dedup.memory`.", units.Seconds,
              (seconds_per_link("filter"), "filter"), (seconds_per_link("dedup"), "dedup")).span(12),
        graph("Time per URL by order",
              "Time per link in both stages together, for each order among the selected crawls. Choose the lower one (`filter.order`).",
              units.Seconds, (BY_ORDER, "{{order}}")).span(12),
        Row("Links"),
        graph("Filter",
              "Links received, passed on and refused. If nearly all are refused, the overview's panel Refused by the filter gives the "
              "reasons.", units.CountsPerSecond,
              (rate("filter_received_total"), "received/s"), (rate("filter_sent_total"), "passed/s"),
              (rate("filter_dropped_total"), "refused/s")),
        graph("Dedup", "URLs looked up, new and known. If hardly any is new, the site is nearly exhausted.", units.CountsPerSecond,
              (rate("dedup_received_total"), "looked up/s"), (rate("dedup_sent_total"), "new/s"), (rate("dedup_dropped_total"), "known/s")),
        share("Shares",
              "Share of links that the filter refuses, and of looked-up URLs that are known. The stage that removes more should come "
              "first (`filter.order`).",
              (ratio(rate("filter_dropped_total"), rate("filter_received_total")), "refused"),
              (ratio(rate("dedup_dropped_total"), rate("dedup_received_total")), "known")),
    ]


def bloom_filter():
    return [
        Row("Bloom filter"),
        share("Fill",
              "Share of bits set. Near one half the filter grows by a layer: raise `dedup.planned` for the next crawl.",
              (largest("dedup_bloom_fill_ratio"), "set")),
        graph("False positives",
              "New URLs that the Bloom filter took for known: measured, and expected from its fill. If measured is far above expected, "
              "please report it.", units.Short,
              (total("dedup_false_positives"), "measured"), (total("dedup_false_positives_expected"), "expected")),
        graph("False-positive rate",
              "Share of new URLs that the Bloom filter would now take for known. Above `dedup.false_positives` there are more URLs than "
              "planned: raise `dedup.planned`.", units.PercentUnit,
              (largest("dedup_bloom_false_positive_ratio"), "rate")),
        graph("Loss",
              "New URLs dropped as known; 0 unless the store is bloom-only. If it grows too large, use bloom-exact for the next crawl.",
              units.Short,
              (total("dedup_wrongly_dropped_urls"), "measured"), (total("dedup_wrongly_dropped_expected_urls"), "expected")),
        graph("Size",
              "Memory and disk usage of the set of URLs seen. If memory is short, lower `dedup.memory`: the rest goes to disk.",
              units.BytesIEC,
              (total("dedup_memory_bytes"), "memory"), (total("dedup_disk_bytes"), "disk")),
        graph("Bytes per URL",
              "Memory per URL. It starts high, because the Bloom filter is allocated at its planned size. If it stays high, lower "
              "`dedup.planned`.", units.BytesIEC,
              (f"{total('dedup_memory_bytes')} / ({total('dedup_entries')} > 0)", "memory")),
    ]


def board():
    return dashboard("filter-dedup", "filter and dedup",
                     "Cost and losses of filter and dedup, by their order. To compare the orders, crawl one site with each of them and "
                     "select several crawls.",
                     [*figures(), *links(), *bloom_filter()])
