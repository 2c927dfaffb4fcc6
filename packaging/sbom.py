#!/usr/bin/env python3
"""Prints the bill of materials of the program: the crates that it is built from, as CycloneDX 1.6 JSON.

Usage: sbom.py --target TARGET

Reads `cargo metadata` and Cargo.lock: versions, licenses, checksums, and which crate needs which. Crates that only tests or build
scripts need are left out. The time is that of SOURCE_DATE_EPOCH, and the serial number depends on the contents alone, so that the same
sources have the same bill.
"""

import argparse
import datetime
import json
import os
import subprocess
import sys
import tomllib
import uuid
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = "harvestman"


def metadata(target):
    command = ["cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", target]
    return json.loads(subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout)


def checksums():
    """SHA-256 by name and version."""
    lock = tomllib.loads((ROOT / "Cargo.lock").read_text(encoding="utf-8"))
    return {(package["name"], package["version"]): package.get("checksum") for package in lock["package"]}


def needed(facts, root):
    """Which crates each crate of the program needs at run time, by id."""
    nodes = {node["id"]: node for node in facts["resolve"]["nodes"]}
    # Procedural macros run in the compiler.
    macros = {package["id"] for package in facts["packages"] if any("proc-macro" in target["kind"] for target in package["targets"])}
    found, waiting = {}, [root]
    while waiting:
        crate = waiting.pop()
        if crate in found:
            continue
        below = [edge["pkg"] for edge in nodes[crate]["deps"] if any(kind["kind"] is None for kind in edge["dep_kinds"])]
        found[crate] = sorted(set(below) - macros)
        waiting.extend(found[crate])
    return found


def purl(package):
    return f"pkg:cargo/{package['name']}@{package['version']}"


def component(package, checksum):
    entry = {
        "type": "application" if package["name"] == PROGRAM else "library",
        "bom-ref": purl(package),
        "name": package["name"],
        "version": package["version"],
        "purl": purl(package),
    }
    if package.get("description"):
        entry["description"] = " ".join(package["description"].split())
    if package.get("license"):
        # Old crates write `MIT/Apache-2.0`.
        entry["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
    if checksum:
        entry["hashes"] = [{"alg": "SHA-256", "content": checksum}]
    if package.get("repository"):
        entry["externalReferences"] = [{"type": "vcs", "url": package["repository"]}]
    return entry


def bill(target):
    facts, sums = metadata(target), checksums()
    packages = {package["id"]: package for package in facts["packages"]}
    root = next(package["id"] for package in facts["packages"] if package["name"] == PROGRAM)
    crates = needed(facts, root)
    described = {crate: component(packages[crate], sums.get((packages[crate]["name"], packages[crate]["version"]))) for crate in crates}
    contents = {
        "components": sorted((entry for crate, entry in described.items() if crate != root), key=lambda entry: entry["bom-ref"]),
        "dependencies": sorted(
            ({"ref": purl(packages[crate]), "dependsOn": sorted(purl(packages[below]) for below in crates[crate])} for crate in crates),
            key=lambda entry: entry["ref"],
        ),
    }
    serial = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps([described[root], contents], sort_keys=True))
    seconds = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))
    time = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    head = {"timestamp": time, "component": described[root], "properties": [{"name": "cargo:target", "value": target}]}
    return {"bomFormat": "CycloneDX", "specVersion": "1.6", "serialNumber": f"urn:uuid:{serial}", "version": 1, "metadata": head, **contents}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", required=True)
    json.dump(bill(parser.parse_args().target), sys.stdout, indent=2, ensure_ascii=False)
    print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
