"""A fleet: which node holds what, and the traffic between nodes."""

from grafana_foundation_sdk.models import units

from expressions import each, increase, largest, quantiles, rate, total
from panels import Row, colours, dashboard, graph, name, number, share, stacked, texts

PAGES = rate("crawl_pages_total", by="node")


def figures():
    return [
        number("Live nodes",
               "Live nodes, as seen by one of them. If one is missing, its log shows why it ended; `harvestman fleet join` makes it "
               "rejoin.", units.Short, 'max (harvestman_fleet_nodes{@,state="live"})'),
        name("Leader",
             "The node that adds the seeds, removes obsolete data and detects the end of the crawl. If there is none for minutes, see the"
             " alert HarvestmanNoLeader.", "harvestman_fleet_leads{@} == 1", "node"),
        number("Unheld partitions",
               "Partitions that no live node holds: their hosts are not crawled. If it is not 0 for minutes, see Partition states and the"
               " log of the node that should take them.", units.Short, largest("fleet_unheld_partitions"))
        .thresholds(colours("green", (1, "red"))),
        number("Exchange lag",
               "Messages of the exchange that nodes have not read yet. If it grows, add nodes or see the bottleneck of the slowest one.",
               units.Short, total("fleet_behind_messages")),
        number("Lowest lease margin",
               "Smallest remaining lease of any node, as a share of its value right after a renewal. Below half, a node renews too late: "
               "see Call duration, and the load of its machine.", units.PercentUnit,
               "min (harvestman_fleet_lease_margin_seconds{@} / (harvestman_fleet_lease_seconds{@} > 0))")
        .decimals(0).thresholds(colours("red", (0.25, "orange"), (0.5, "green"))),
        number("Bus",
               "Whether the bus responds to all nodes. If it does not, check the NATS servers: more than half of them must run.",
               units.NoUnit, "min (harvestman_fleet_bus_reachable{@})")
        .mappings([texts({0: ("no response", "red"), 1: ("responds", "green")})]),
    ]


def nodes():
    return [
        Row("Nodes"),
        stacked("Partitions held",
                "Partitions, by the node that holds them. If one node holds far more than the others for long, see Partition states.",
                units.Short,
                ('sum by (node) (harvestman_fleet_partitions{@,state="held"})', "{{node}}")),
        graph("Partition states",
              "Partitions that are held, that have caught up with missed messages, and that are still to be taken. If to_take stays above"
              " 0, the log of that node says why.", units.Short,
              (each("fleet_partitions", "state"), "{{state}}")),
        graph("Nodes",
              "Nodes by state, as seen by one of them. A silent node is considered dead when its lease expires: check its machine.",
              units.Short,
              ("max by (state) (harvestman_fleet_nodes{@})", "{{state}}")),
        stacked("Pages",
                "Pages by node. If one node fetches none, look at it in the overview.", units.CountsPerSecond, (PAGES, "{{node}}")),
        share("Load",
              "Share of the pages fetched by each node. If it is uneven for long, few large hosts make up the crawl: a host is always "
              "crawled by one node.",
              (f"{PAGES} / on () group_left () (sum ({PAGES}) > 0)", "{{node}}")),
        stacked("Queued",
                "Queued URLs, by node. If one node has nearly all, the same applies as to Load.",
                units.Short, (each("frontier_queued_urls", "node"), "{{node}}")),
    ]


def exchange():
    return [
        Row("Exchange"),
        graph("Exchange lag by node",
              "Messages of the exchange that each node has not read yet. If it grows, the node is too slow for its partitions: see its "
              "dashboard resources.", units.Short,
              (each("fleet_behind_messages", "node"), "{{node}}")),
        graph("Outgoing links",
              "Links to hosts of other nodes: sent, or held back because the same link was sent recently. If sent ones dominate the "
              "traffic, sites link a lot to each other.", units.CountsPerSecond,
              (rate("fleet_foreign_links_total", by="done"), "{{done}}")),
        stacked("Incoming links",
                "Links received from other nodes, by what they are here. Nodes read whole shards, so some belong elsewhere. If duplicates"
                " dominate, little new is found.", units.CountsPerSecond,
                (rate("fleet_arrived_links_total", by="what"), "{{what}}")),
        graph("Batches",
              "Batches of links, published and read. If published ones are not read, see Exchange lag by node.",
              units.CountsPerSecond, (rate("fleet_batches_total", by="way"), "{{way}}")),
        graph("Batch bytes",
              "Bytes of link batches, compressed. If they near the capacity of the network, use fewer, larger nodes.",
              units.BytesPerSecondSI, (rate("fleet_batch_bytes_total", by="way"), "{{way}}")),
        graph("Bytes per link",
              "Bytes per transferred link, by node; five-minute means. If it rises, batches are small because few links are found.",
              units.BytesIEC,
              ("avg by (node) (instance:harvestman_fleet_link_bytes:rate5m{@})", "{{node}}")),
    ]


def leases():
    return [
        Row("Leases and takeovers"),
        graph("Lease margin",
              "Time until each node must stop fetching unless its lease is renewed. If it often nears 0, the bus or the machine is too "
              "slow; a longer `fleet.lease` helps.", units.Seconds,
              ("min by (node) (harvestman_fleet_lease_margin_seconds{@})", "{{node}}")),
        graph("Partitions taken and released",
              "Partitions that changed their holder in the interval of a data point; taken ones by their previous holder. If dead appears"
              " again and again, nodes lose their leases.", units.Short,
              (increase("fleet_taken_partitions_total", by="from"), "{{from}}"), (increase("fleet_released_partitions_total"), "released")),
        graph("Evictions",
              "Sessions of other nodes that a node evicted, and its own sessions evicted by others. Each one costs a takeover: check the "
              "evicted node's machine and network.", units.Short,
              (increase("fleet_evictions_total", by="node"), "{{node}} evicted another"),
              (increase("fleet_lost_sessions_total", by="node"), "{{node}} was evicted")),
        graph("Take duration",
              "Time to take partitions, several at a time. If p95 is minutes, partitions are large or the bus is slow: see Checkpoints "
              "and Call duration.", units.Seconds, *quantiles("fleet_take_seconds")).span(12),
        graph("Release duration",
              "Time to release partitions, several at a time. If it is long, requests in flight take long; see Request duration of the "
              "dashboard hosts.", units.Seconds, *quantiles("fleet_release_seconds")).span(12),
    ]


def bus():
    return [
        Row("Bus"),
        stacked("Calls",
                "Calls to the bus, by type. If one type jumps, see Unsuccessful calls.",
                units.CountsPerSecond, (rate("fleet_bus_calls_total", by="call"), "{{call}}")),
        graph("Unsuccessful calls",
              "Unsuccessful calls to the bus, by outcome, and pauses before retries. Conflicts are normal. unreachable: check the "
              "network. full: give JetStream more storage. refused: check permissions.", units.CountsPerSecond,
              (rate("fleet_bus_calls_total", 'outcome!="ok"', by="outcome"), "{{outcome}}"),
              (rate("fleet_bus_repeats_total"), "retries/s")),
        graph("Call duration",
              "Duration of calls; an append is acknowledged once it is replicated. If p95 is near a second, check disk and network of the"
              " NATS servers.", units.Seconds, *quantiles("fleet_bus_call_seconds", "call")),
        stacked("Messages",
                "Messages between nodes and bus, by subject. If log dominates, that is normal; if keys does, nodes are reconciling: see "
                "Partition states.", units.CountsPerSecond,
                (rate("fleet_bus_messages_total", by="about"), "{{about}}")),
        stacked("Bytes",
                "Bytes between nodes and bus, by subject and direction. If they near the capacity of the network, the bus is the "
                "bottleneck.", units.BytesPerSecondSI,
                (rate("fleet_bus_bytes_total", by="about, way"), "{{about}} {{way}}")),
        share("Bus unavailable",
              "Share of time without a response from the bus, by node. If it affects one node, check its network; if all, the NATS "
              "servers.", (rate("fleet_bus_away_seconds_total", by="node"), "{{node}}")),
    ]


def logs():
    return [
        Row("Log and checkpoints"),
        stacked("Log",
                "Messages logged by nodes. If a node that fetches pages logs none, see Call duration.",
                units.CountsPerSecond, (rate("fleet_log_entries_total", by="node"), "{{node}}")).span(6),
        graph("Persisted bytes",
              "Bytes that nodes write to logs and checkpoint parts. If parts dominate, raise `fleet.checkpoint`.", units.BytesPerSecondSI,
              (rate("fleet_log_bytes_total"), "log"), (rate("fleet_checkpoint_bytes_total"), "parts")).span(6),
        graph("Checkpoint duration",
              "Duration of checkpoints. Long ones delay takeovers: lower `fleet.checkpoint` so that each has less to write.", units.Seconds,
              *quantiles("fleet_checkpoint_seconds")).span(6),
        graph("Checkpoints",
              "Checkpoints in the interval of a data point. If there are none, logs grow and takeovers take longer: see the log.",
              units.Short, (increase("fleet_checkpoints_total"), "checkpoints")).span(6),
        graph("Dropped observations",
              "Fetches that the policy never observes, because the bus was unavailable or full for too long. Nothing else is lost; check "
              "the bus.", units.CountsPerSecond,
              (rate("fleet_dropped_observations_total", by="node"), "{{node}}")).span(24),
    ]


def board():
    return dashboard("fleet", "fleet",
                     "Nodes that crawl together: what each holds and does, the traffic between them, and their bus. Empty outside a "
                     "fleet.",
                     [*figures(), *nodes(), *exchange(), *leases(), *bus(), *logs()])
