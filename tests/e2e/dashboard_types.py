#!/usr/bin/env python3
"""Compares the dashboards of grafana/ with the types that Grafana publishes for its own code, for several of its versions.

Usage: dashboard_types.py WORK

WORK is a folder with the npm packages typescript and, for each version in VERSIONS, @grafana/schema under its name there (see PACKAGES,
which `dashboard_types.py --packages` prints for `npm install`). Each panel is compiled as a value of the types of its version: options and
field configuration by its kind. An unknown value, a wrong type and a missing property fail the test. A property that a version does
not know fails it, too, except those in SURPLUS.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

DASHBOARDS = Path(__file__).resolve().parents[2] / "grafana" / "dashboards"
# The version of compose.yml, the last one of the next major version, and the current one.
VERSIONS = {"grafana-11-6": "11.6.16", "grafana-12-4": "12.4.11", "grafana-13-2": "13.2.3"}
PACKAGES = ["typescript@5.9.3", *(f"{name}@npm:@grafana/schema@{version}" for name, version in VERSIONS.items())]
# Properties that the SDK writes and no type has: its defaults for another kind of variable.
SURPLUS = {"auto", "auto_count", "auto_min"}
KINDS = {"timeseries": "TimeSeries", "stat": "Stat", "bargauge": "BarGauge"}
# Grafana's types use enumerations, whose values are plain texts and numbers in a file.
PLAIN = """type Plain<T> = T extends string ? `${T}` : T extends number | boolean | null | undefined ? T
  : T extends (infer E)[] ? Plain<E>[] : T extends object ? { [K in keyof T]: Plain<T[K]> } : T;
"""


def panel_types(name, kind):
    """The import of the types of a kind of panel, wherever this version has them."""
    for folder in ("types", "esm"):
        for file in ("types.gen", f"{KINDS[kind]}PanelCfg_types.gen"):
            path = f"node_modules/{name}/dist/{folder}/raw/composable/{kind}/panelcfg/x/{file}"
            if os.path.exists(f"{path}.d.ts"):
                return f"import * as {kind} from './{path}';\n"
    raise AssertionError(f"{name} has no types of {kind}")


def without(value, names):
    """A value without these properties, at any depth."""
    if isinstance(value, dict):
        return {key: without(one, names) for key, one in value.items() if key not in names}
    return [without(one, names) for one in value] if isinstance(value, list) else value


def parts(board):
    """The parts of a dashboard, each with its place and its type."""
    panels = board.pop("panels")
    yield "variables, links", "Dashboard", board
    for panel in panels:
        kind, title = panel["type"], panel["title"]
        if kind == "row":
            yield title, "RowPanel", panel
            continue
        fields = panel.pop("fieldConfig")
        yield title, f"{kind}.Options", panel.pop("options")
        if "custom" in fields["defaults"]:
            yield title, f"{kind}.FieldConfig", fields["defaults"].pop("custom")
        yield title, "FieldConfigSource", fields
        yield title, "Omit<Panel, 'options' | 'fieldConfig'>", panel


def source(name):
    """A TypeScript file that gives each part of the dashboards its type in this version: a comment and a line for each."""
    lines = ["import type { Dashboard, Panel, RowPanel, FieldConfigSource } from '@grafana/schema';\n",
             *(panel_types(name, kind) for kind in KINDS), PLAIN]
    for file in sorted(DASHBOARDS.glob("*.json")):
        for place, kind, content in parts(json.loads(file.read_text(encoding="utf-8"))):
            known = json.dumps(without(content, SURPLUS))
            lines.append(f"// {file.name}: {place}\nexport const part{len(lines)}: Plain<{kind}> = {known};\n")
    return "".join(lines)


def check(name):
    """Compiles the dashboards with one version's types. Returns the errors."""
    text = source(name)
    file, config = Path(f"{name}.ts"), Path(f"{name}.json")
    file.write_text(text, encoding="utf-8")
    # Types refer to each other by the name of the package.
    options = {"noEmit": True, "strict": True, "skipLibCheck": True, "module": "esnext", "moduleResolution": "bundler", "types": [],
               "paths": {"@grafana/schema": [f"./node_modules/{name}"]}}
    config.write_text(json.dumps({"compilerOptions": options, "files": [file.name]}), encoding="utf-8")
    result = subprocess.run(["node_modules/.bin/tsc", "--project", str(config)], capture_output=True, text=True, timeout=300)
    lines, errors = text.splitlines(), []
    for line in filter(lambda line: not line.startswith(" "), result.stdout.splitlines()):
        found = re.match(rf"{re.escape(file.name)}\((\d+),\d+\): (.*)", line)
        errors.append(f"{name}: {lines[int(found[1]) - 2]}: {found[2]}" if found else f"{name}: {line}")
    assert errors or result.returncode == 0, result.stderr
    print(f"{name}: {text.count('export const')} parts of dashboards, {len(errors)} errors")
    return errors


def main():
    if sys.argv[1:] == ["--packages"]:
        print("\n".join(PACKAGES))
        return
    os.chdir(sys.argv[1])
    errors = [error for name in VERSIONS for error in check(name)]
    if errors:
        sys.exit("\n".join(errors[:50]))


if __name__ == "__main__":
    main()
