#!/usr/bin/env python3
"""Checks the dependencies with cargo-deny: licenses, sources, bans, and advisories of the RustSec database.

Usage: advisories.py CARGO_DENY WORK

The current database is used where it can be fetched. Where it cannot, the advisories in packaging/advisories.toml are used, and the script
says loudly that they may be old. In both cases it first shows that cargo-deny finds an advisory: one that it makes up for a locked crate.
Exits with 0 if nothing is found but that.
"""

import json
import os
import shutil
import subprocess
import sys
import tomllib

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.realpath(__file__)), "../.."))
SNAPSHOT = os.path.join(ROOT, "packaging/advisories.toml")
# Both lock files that the project has.
MANIFESTS = ["Cargo.toml", "fuzz/Cargo.toml"]
# cargo-deny looks for the database at this name below its path, which it derives from the address of the database.
DATABASE = "advisory-db-3157b0e258782691"
MADE_UP = {"id": "RUSTSEC-2000-0001", "package": "tokio", "patched": []}
# Every advisory needs one; no decision depends on it.
DATE = "2026-01-01"
SECONDS_MAX = 300


def run(command, **options):
    return subprocess.run(command, cwd=ROOT, timeout=SECONDS_MAX, text=True, capture_output=True, **options)


def entry(advisory):
    """An advisory in the format of the database: facts in TOML, then a title and a text."""
    fields = [f'{name} = "{value}"' for name, value in (("id", advisory["id"]), ("package", advisory["package"]), ("date", DATE))]
    versions = [f"{name} = {json.dumps(advisory.get(name, []))}" for name in ("patched", "unaffected")]
    return "\n".join(["```toml", "[advisory]", *fields, "", "[versions]", *versions, "```", f"# {advisory['id']}", "", "See the database."])


def database(path, advisories):
    """A database of these advisories, as a repository, which is what cargo-deny reads."""
    folder = os.path.join(path, DATABASE)
    shutil.rmtree(path, ignore_errors=True)
    for advisory in advisories:
        crate = os.path.join(folder, "crates", advisory["package"])
        os.makedirs(crate, exist_ok=True)
        with open(os.path.join(crate, advisory["id"] + ".md"), "w", encoding="utf-8") as file:
            file.write(entry(advisory))
    author = ["-c", "user.name=check", "-c", "user.email=check@localhost"]
    for command in (["init", "--quiet", "--initial-branch=main"], ["add", "--all"], [*author, "commit", "--quiet", "--message=advisories"]):
        subprocess.run(["git", "-C", folder, *command], check=True, timeout=60)


def configuration(path, work):
    """deny.toml with the database at `path`."""
    with open(os.path.join(ROOT, "deny.toml"), encoding="utf-8") as file:
        text = file.read()
    result = os.path.join(work, "deny.toml")
    with open(result, "w", encoding="utf-8") as file:
        file.write(text.replace("[advisories]\n", f'[advisories]\ndb-path = "{path}"\n'))
    return result


def check(deny, manifest, config, what, offline):
    command = [deny, "--manifest-path", manifest, "--config", config, *(["--offline"] if offline else []), "check", "--hide-inclusion-graph", *what]
    return run(command)


def said(result):
    return result.stdout + result.stderr


def passed(result, text):
    """The verdict, which is the last line. What is found ends the script."""
    if result.returncode != 0:
        print(said(result), file=sys.stderr)
        sys.exit(f"FAILED: {text}")
    return (said(result).strip().splitlines() or [""])[-1]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    deny, work = sys.argv[1], os.path.realpath(sys.argv[2])
    os.makedirs(work, exist_ok=True)
    with open(SNAPSHOT, "rb") as file:
        snapshot = tomllib.load(file)

    # Also the crates of other systems, which no build here downloads and which cargo-deny reads.
    for manifest in MANIFESTS:
        passed(run(["cargo", "fetch", "--locked", "--manifest-path", manifest]), f"the crates of {manifest} cannot be fetched")

    # What cannot fail shows nothing.
    path = os.path.join(work, "made-up")
    database(path, [*snapshot["advisory"], MADE_UP])
    result = check(deny, MANIFESTS[0], configuration(path, work), ["advisories"], True)
    if result.returncode == 0 or MADE_UP["id"] not in said(result):
        print(said(result), file=sys.stderr)
        sys.exit("FAILED: an advisory that was made up was not found")

    path = os.path.join(work, "fetched")
    fetched = run([deny, "--config", configuration(path, work), "fetch", "db"])
    current = fetched.returncode == 0 and os.path.isdir(os.path.join(path, DATABASE))
    if not current:
        path = os.path.join(work, "snapshot")
        database(path, snapshot["advisory"])
        print("!! THE CURRENT DATABASE OF ADVISORIES COULD NOT BE HAD.")
        print(f"!! Checked instead: {len(snapshot['advisory'])} advisories known on {snapshot['collected']} (packaging/advisories.toml).")
    config = configuration(path, work)
    for manifest in MANIFESTS:
        result = check(deny, manifest, config, ["advisories"], not current)
        print(f"{manifest}: {passed(result, f'advisories apply to {manifest}')} ({'current database' if current else 'snapshot'})")
    result = check(deny, MANIFESTS[0], config, ["bans", "licenses", "sources"], False)
    print(passed(result, "a license, source or ban"))


if __name__ == "__main__":
    main()
