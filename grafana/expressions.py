"""PromQL expressions that several dashboards use. @ stands for the selected job, instance and node."""

# The label matchers that replace @.
SELECTED = 'job=~"$job",instance=~"$instance",node=~"$node"'


def rate(metric, labels="", by=""):
    """The per-second rate of a counter, summed over the selection or grouped by labels. $__rate_interval is a Grafana variable: the window
    over which a rate must be computed to cover several scrapes."""
    matchers = "@" + (f",{labels}" if labels else "")
    grouped = f"sum by ({by})" if by else "sum"
    return f"{grouped} (rate(harvestman_{metric}{{{matchers}}}[$__rate_interval]))"


def increase(metric, labels="", by=""):
    """The increase of a counter in the interval of a data point."""
    return rate(metric, labels, by).replace("(rate(", "(increase(")


def total(metric, labels=""):
    """The sum over the selection."""
    return f"sum (harvestman_{metric}{{@{',' if labels else ''}{labels}}})"


def each(metric, by):
    """A gauge, grouped by a label."""
    return f"sum by ({by}) (harvestman_{metric}{{@}})"


def largest(metric):
    """The largest value of the selection."""
    return f"max (harvestman_{metric}{{@}})"


def top(count, expression):
    """The largest series only."""
    return f"topk ({count}, {expression})"


def ratio(part, whole):
    """A ratio; 0 if the denominator is 0."""
    return f"{part} / ({whole} > 0) or {part} * 0"


def quantiles(metric, by=""):
    """The 50th and 95th percentiles of a histogram, as queries with their legends."""
    labels, suffix = (f"le, {by}", " {{%s}}" % by) if by else ("le", "")
    buckets = f"sum by ({labels}) (rate(harvestman_{metric}_bucket{{@}}[$__rate_interval]))"
    return [(f"histogram_quantile ({quantile}, {buckets})", legend + suffix) for quantile, legend in ((0.5, "p50"), (0.95, "p95"))]


# Shares of the requests of the last five minutes: the mean of the selected crawls.
FAILED_SHARE = "avg (instance:harvestman_fetch_failures:ratio_rate5m{@})"
REFUSED_SHARE = "avg (instance:harvestman_fetch_refused:ratio_rate5m{@})"
