"""Layout of dashboards and panels as Grafana JSON. Their contents are in dashboards.py."""

import json

WIDTH = 24
HEIGHTS = {"stat": 4, "row": 1}
HEIGHT = 8
DATASOURCE = {"type": "prometheus", "uid": "${datasource}"}
# The label matchers that replace @ in an expression.
CHOSEN = 'job=~"$job",instance=~"$instance",node=~"$node"'


def target(number, expression, legend, instant):
    """One query of a panel."""
    found = {"refId": chr(ord("A") + number), "datasource": DATASOURCE, "editorMode": "code",
             "expr": expression.replace("@", CHOSEN), "legendFormat": legend}
    return found | ({"instant": True, "range": False} if instant else {"range": True})


def panel(kind, title, about, unit, queries, *, width=8, **more):
    """A panel with queries. Each query is an expression and a legend."""
    instant = kind in ("stat", "bargauge", "table")
    custom = {"lineWidth": 1, "fillOpacity": 10, "showPoints": "never"}
    if more.pop("stacked", False):
        custom |= {"fillOpacity": 60, "stacking": {"mode": "normal"}}
    defaults = {"unit": unit, "custom": custom if kind == "timeseries" else {}} | more.pop("defaults", {})
    options = {
        "timeseries": {"legend": {"displayMode": "table", "placement": "bottom", "calcs": ["lastNotNull"]},
                       "tooltip": {"mode": "multi", "sort": "desc"}},
        "stat": {"colorMode": "value", "graphMode": "none", "reduceOptions": {"calcs": ["lastNotNull"]},
                 "textMode": "auto"},
        "bargauge": {"displayMode": "basic", "orientation": "horizontal", "reduceOptions": {"calcs": ["lastNotNull"]}},
    }[kind]
    return {"type": kind, "title": title, "description": about, "datasource": DATASOURCE,
            "fieldConfig": {"defaults": defaults, "overrides": []}, "options": options | more.pop("options", {}),
            "targets": [target(number, *query, instant) for number, query in enumerate(queries)],
            "gridPos": {"w": width, "h": HEIGHTS.get(kind, HEIGHT)}}


def graph(title, about, unit, *queries, **more):
    """A time series."""
    return panel("timeseries", title, about, unit, queries, **more)


def share(title, about, *queries, **more):
    """A time series of shares, between 0 and 100 %."""
    return graph(title, about, "percentunit", *queries, defaults={"min": 0}, **more)


def number(title, about, unit, expression, **more):
    """A single current value."""
    return panel("stat", title, about, unit, [(expression, "")], **({"width": 4} | more))


def name(title, about, expression, label, **more):
    """The value of a label."""
    return panel("stat", title, about, "none", [(expression, "{{%s}}" % label)],
                 **({"width": 4, "options": {"textMode": "name"}} | more))


def bars(title, about, unit, *queries, **more):
    """A bar gauge."""
    return panel("bargauge", title, about, unit, queries, **more)


def row(title):
    """A row heading."""
    return {"type": "row", "title": title, "collapsed": False, "panels": [], "gridPos": {"w": WIDTH, "h": 1}}


def variable(label, name, query, **more):
    """A dashboard variable, selected at the top of the dashboard."""
    return {"name": name, "label": label, "type": "query", "datasource": DATASOURCE, "query": query, "refresh": 2,
            "includeAll": True, "multi": True, "current": {"text": "All", "value": "$__all"}, "sort": 1} | more


def placed(panels):
    """Places the panels from left to right and top to bottom, and numbers them."""
    x = y = height = 0
    for number, panel in enumerate(panels, 1):
        place = panel["gridPos"]
        if x + place["w"] > WIDTH:
            x, y, height = 0, y + height, 0
        place |= {"x": x, "y": y}
        x, height = x + place["w"], max(height, place["h"])
        yield {"id": number} | panel


def dashboard(uid, title, about, panels):
    """A complete dashboard."""
    choices = [
        {"name": "datasource", "label": "Data source", "type": "datasource", "query": "prometheus", "current": {}},
        variable("Job", "job", "label_values(harvestman_build_info, job)"),
        variable("Crawl", "instance", 'label_values(harvestman_build_info{job=~"$job"}, instance)'),
        # Outside a fleet no series has this label; the pattern .* selects all of them.
        variable("Node", "node", 'label_values(harvestman_build_info{job=~"$job",instance=~"$instance"}, node)', allValue=".*"),
    ]
    link = {"title": "Harvestman", "type": "dashboards", "tags": ["harvestman"], "asDropdown": True,
            "includeVars": True, "keepTime": True}
    return {"uid": f"harvestman-{uid}", "title": f"Harvestman: {title}", "description": about, "tags": ["harvestman"],
            "timezone": "browser", "schemaVersion": 39, "version": 1, "refresh": "10s", "editable": True,
            "time": {"from": "now-1h", "to": "now"}, "links": [link], "templating": {"list": choices},
            "panels": list(placed(panels))}


def text(board):
    """A dashboard as the text of its file."""
    return json.dumps(board, indent=1) + "\n"
