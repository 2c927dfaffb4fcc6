"""Panels and dashboards with this project's defaults, built with Grafana's Foundation SDK. Functions return builders of the SDK, so a
dashboard can set further options on them. The contents of the dashboards are in boards/.

They have the classic dashboard schema, because every version of Grafana in use can load it from a file. The SDK recommends the second
version of the schema, which only recent ones know.
"""

from grafana_foundation_sdk.builders import bargauge, dashboard as builders, prometheus, stat, timeseries
from grafana_foundation_sdk.builders.common import ReduceDataOptions, StackingConfig, VizLegendOptions, VizTooltipOptions
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models import common, dashboard as models, units
from grafana_foundation_sdk.models.prometheus import QueryEditorMode

from expressions import SELECTED

WIDTH = 24
DATASOURCE = common.DataSourceRef(type_val="prometheus", uid="${datasource}")
Row = builders.Row


def with_queries(panel, queries, is_instant=False):
    """Adds queries to a panel. Each query is an expression and a legend."""
    for number, (expression, legend) in enumerate(queries):
        query = (prometheus.Dataquery().ref_id(chr(ord("A") + number)).datasource(DATASOURCE).editor_mode(QueryEditorMode.CODE)
                 .expr(expression.replace("@", SELECTED)).legend_format(legend))
        panel.with_target(query.instant() if is_instant else query.range())
    return panel


def described(panel, title, about, unit):
    return panel.title(title).description(about).unit(unit).datasource(DATASOURCE)


def last_value():
    return ReduceDataOptions().calcs(["lastNotNull"]).fields("").values(False)


def graph(title, about, unit, *queries):
    """A time series, a third of a row wide."""
    panel = described(timeseries.Panel(), title, about, unit).span(8).height(8)
    legend = (VizLegendOptions().display_mode(common.LegendDisplayMode.TABLE).placement(common.LegendPlacement.BOTTOM)
              .show_legend(True).calcs(["lastNotNull"]))
    tooltip = VizTooltipOptions().mode(common.TooltipDisplayMode.MULTI).sort(common.SortOrder.DESCENDING)
    panel.line_width(1).fill_opacity(10).show_points(common.VisibilityMode.NEVER).legend(legend).tooltip(tooltip).min(0)
    return with_queries(panel, queries)


def stacked(title, about, unit, *queries):
    """A time series whose values are stacked, because they are parts of a whole."""
    return graph(title, about, unit, *queries).fill_opacity(60).stacking(StackingConfig().mode(common.StackingMode.NORMAL))


def share(title, about, *queries):
    """A time series of shares, between 0 and 100 %."""
    return graph(title, about, units.PercentUnit, *queries)


def number(title, about, unit, *queries):
    """Current values, a sixth of a row wide. A query alone may be an expression without a legend."""
    panel = described(stat.Panel(), title, about, unit).span(4).height(4)
    panel.color_mode(common.BigValueColorMode.VALUE).graph_mode(common.BigValueGraphMode.NONE).reduce_options(last_value())
    panel.text_mode(common.BigValueTextMode.AUTO)
    return with_queries(panel, [(query, "") if isinstance(query, str) else query for query in queries], is_instant=True)


def name(title, about, expression, label):
    """The value of a label."""
    return number(title, about, units.NoUnit, (expression, "{{%s}}" % label)).text_mode(common.BigValueTextMode.NAME)


def bars(title, about, unit, *queries):
    """A bar for each series."""
    panel = described(bargauge.Panel(), title, about, unit).span(8).height(8)
    panel.display_mode(common.BarGaugeDisplayMode.BASIC).orientation(common.VizOrientation.HORIZONTAL).reduce_options(last_value())
    return with_queries(panel, queries, is_instant=True)


def colours(*steps):
    """Thresholds: the first colour, and then pairs of a value and the colour from that value on."""
    first, *others = steps
    found = [models.Threshold(value=None, color=first), *(models.Threshold(value=value, color=colour) for value, colour in others)]
    return builders.ThresholdsConfig().mode(models.ThresholdsMode.ABSOLUTE).steps(found)


def texts(meanings):
    """A value mapping from numbers to pairs of a text and its colour."""
    found = {str(value): models.ValueMappingResult(text=text, color=colour, index=index)
             for index, (value, (text, colour)) in enumerate(meanings.items())}
    return models.ValueMap(options=found)


def text_from(value, text, colour):
    """A value mapping of all numbers from `value` on to one text."""
    result = models.ValueMappingResult(text=text, color=colour, index=0)
    return models.RangeMap(options=models.DashboardRangeMapOptions(from_val=value, to=None, result=result))


def variable(label, name, query):
    """A selection at the top of a dashboard."""
    return (builders.QueryVariable(name).label(label).datasource(DATASOURCE).query(query).multi(True).include_all(True)
            .refresh(models.VariableRefresh.ON_TIME_RANGE_CHANGED).sort(models.VariableSort.ALPHABETICAL_ASC)
            .current(models.VariableOption(text="All", value="$__all")))


def variables():
    return [
        builders.DatasourceVariable("datasource").label("Data source").type("prometheus"),
        variable("Job", "job", "label_values(harvestman_build_info, job)"),
        variable("Crawl", "instance", 'label_values(harvestman_build_info{job=~"$job"}, instance)'),
        # Outside a fleet no series has this label; the pattern .* selects all of them.
        variable("Node", "node", 'label_values(harvestman_build_info{job=~"$job",instance=~"$instance"}, node)').all_value(".*"),
    ]


def dashboard(uid, title, about, panels):
    """A dashboard. The SDK places its panels from left to right and top to bottom."""
    # Without a placement the link is visible at the top; the SDK's own default hides it in a menu.
    links = (builders.DashboardLink("Harvestman").placement(None).type(models.DashboardLinkType.DASHBOARDS).tags(["harvestman"])
             .as_dropdown(True).include_vars(True).keep_time(True))
    board = (builders.Dashboard(f"Harvestman: {title}").uid(f"harvestman-{uid}").description(about).tags(["harvestman"])
             .timezone("browser").refresh("10s").time("now-1h", "now").tooltip(models.DashboardCursorSync.CROSSHAIR)
             .editable().version(1).variables(variables()).link(links))
    for panel_id, panel in enumerate(panels, 1):
        place = board.with_row if isinstance(panel, Row) else board.with_panel
        place(panel.id(panel_id))
    return board.build()


def encoded(board):
    """A dashboard as the text of its file, the same for each run."""
    return JSONEncoder(sort_keys=True, indent=1, ensure_ascii=False).encode(board) + "\n"
