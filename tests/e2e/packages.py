#!/usr/bin/env python3
"""Checks what packages contain.

Usage: packages.py parts HARVESTMAN WORK
       packages.py built PACKAGES WORK

`parts` takes seconds. Of a binary it checks that man and groff render every manual page without a warning, and that bash (zsh and fish,
where they are installed) load the completions; of packaging/systemd that systemd accepts the unit, and that its command starts a crawl and
resumes it.

`built` checks what packaging/package.sh has written to PACKAGES: the checksums; that the wheel is small, needs no newer glibc than it
says, and runs the demo in a new environment without a compiler; the fields and files of the Debian package, and that it installs in a new
Debian and its pages render there (with debootstrap, as root; otherwise in an empty root); the tarball, under the name that
`cargo binstall` looks for; and that the bill of materials is valid CycloneDX.

WORK is recreated. Tools that are missing are named, and what needs them is left out; `built` needs auditwheel and
cyclonedx-python-lib[json-validation] in the Python environment.
"""

import gzip
import hashlib
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path

from sim import CRAWL, end_on_sigterm, served

ROOT = Path(__file__).resolve().parent.parent.parent
UNITS = ROOT / "packaging" / "systemd"
UNIT = "harvestman@.service"
TARGET = "x86_64-unknown-linux-gnu"
WHEEL_BYTES_MAX = 25_000_000
# Of 10; systemd calls 2 and less well protected.
EXPOSURE_MAX = 2.0
PAGES_MIN = 50
SUITE = "bookworm"
DEB_FILES = (
    "usr/bin/harvestman",
    "usr/lib/systemd/system/harvestman@.service",
    "usr/share/bash-completion/completions/harvestman",
    "usr/share/zsh/vendor-completions/_harvestman",
    "usr/share/fish/vendor_completions.d/harvestman.fish",
    "usr/share/man/man1/harvestman.1.gz",
    "usr/share/man/man1/harvestman-export-wacz.1.gz",
    "usr/share/doc/harvestman/copyright",
    "usr/share/doc/harvestman/changelog.gz",
    "usr/share/doc/harvestman/examples/crawl.toml",
    "usr/share/doc/harvestman/examples/defaults.toml",
    "usr/share/doc/harvestman/examples/render.conf",
)


def run(*command, seconds_max=300, **more):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=seconds_max, **more)
    assert done.returncode == 0, f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def check(what, found, expected):
    assert found == expected, f"{what}: {found}, expected {expected}"


def has(tool):
    if shutil.which(tool):
        return True
    print(f"packages: {tool} is not installed: what needs it is left out")
    return False


# ---- Manual pages, completions, the unit

def pages(directory):
    """Renders all pages of a directory."""
    files = sorted(Path(directory).glob("*.1"))
    assert len(files) >= PAGES_MIN, f"only {len(files)} pages"
    if has("groff"):
        for file in files:
            done = subprocess.run(["groff", "-Kutf8", "-man", "-Tutf8", "-ww", "-Wbreak", "-z", file], capture_output=True, text=True, timeout=60)
            check(f"warnings about {file.name}", (done.returncode, done.stderr), (0, ""))
    if has("man"):
        text = run("man", "--local-file", "--warnings", Path(directory) / "harvestman.1", env={**os.environ, "MANPAGER": "cat", "MANWIDTH": "100"})
        for part in ("NAME", "harvestman - ", "EXIT CODES", "harvestman-crawl(1)"):
            assert part in text, f"{part} is not in the page:\n{text}"
    print(f"packages: {len(files)} manual pages render without a warning")


# What bash does when a user presses TAB after the last word.
COMPLETE = """
set -u
source "$1"
complete -p harvestman >/dev/null
shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
_harvestman harvestman "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s\\n' "${COMPREPLY[@]}"
"""


def completions(bash, zsh, fish):
    answer = lambda *words: run("bash", "-c", COMPLETE, "bash", bash, *words).split()
    check("harvestman expor", answer("harvestman", "expor"), ["export"])
    assert "wacz" in answer("harvestman", "export", ""), "export wacz is not completed"
    check("export wacz --ti", answer("harvestman", "export", "wacz", "--ti"), ["--title"])
    for shell, file in (("zsh", zsh), ("fish", fish)):
        if has(shell):
            run(shell, "-n", file)
    print("packages: completions load")


def unit(file):
    """Checks a unit and what it permits."""
    if not has("systemd-analyze"):
        return
    # The pages that it names are not installed here.
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", str(file)], capture_output=True, text=True, timeout=60)
    about = [line for line in done.stderr.splitlines() if "harvestman" in line]
    check(f"systemd-analyze verify ({done.stderr})", (done.returncode, about), (0, []))
    said = run("systemd-analyze", "security", "--offline=yes", file)
    exposure = float(re.search(r"Overall exposure level for .*: ([0-9.]+)", said).group(1))
    assert exposure <= EXPOSURE_MAX, f"exposure {exposure}:\n{said}"
    print(f"packages: systemd accepts the unit, exposure level {exposure}")


def service(binary, work):
    """Runs the command of the unit twice, as systemd would: the first time it crawls, then it resumes."""
    text = (UNITS / UNIT).read_text(encoding="utf-8")
    script = re.search(r"^ExecStart=/bin/sh -c '(.*)'$", text, re.MULTILINE).group(1)
    config = work / "service.toml"
    for name, here in (("/usr/bin/harvestman", str(binary)), ("/etc/harvestman/%i.toml", str(config))):
        assert name in script, f"{name} is not in {script}"
        script = script.replace(name, here)
    state = work / "state"
    state.mkdir()
    with served(str(binary), "--pages", "60", "--hosts", "6", seconds_max=120) as seed:
        settings = run(binary, "config", *(word for word in CRAWL if word != "--quiet"), "--set", f"crawl.seeds={seed}", "--set", "budget.pages=20")
        config.write_text(settings, encoding="utf-8")
        for attempt in ("crawl", "resume"):
            done = subprocess.run(["/bin/sh", "-c", script], cwd=state, capture_output=True, text=True, timeout=120)
            check(f"exit code of {attempt} ({done.stderr})", done.returncode, 0)
    check("files", (state / "crawl" / "report.json").exists(), True)
    print("packages: the command of the unit crawls, and resumes when it is started again")


def example(binary, file):
    """The example of a configuration is one."""
    settings = tomllib.loads(run(binary, "config", "--config", file))
    check("seeds", settings["crawl"]["seeds"], ["https://forum.example.org/"])
    check("contact", settings["fetch"]["contact"], "you@example.org")


def parts(binary, work):
    binary = Path(binary).resolve()
    run(binary, "man", "--dir", work / "man")
    pages(work / "man")
    scripts = []
    for shell in ("bash", "zsh", "fish"):
        scripts.append(work / f"harvestman.{shell}")
        scripts[-1].write_text(run(binary, "completions", shell), encoding="utf-8")
    completions(*scripts)
    unit(UNITS / UNIT)
    example(binary, ROOT / "packaging" / "crawl.toml")
    service(binary, work)


# ---- Built packages

def one(directory, pattern):
    found = sorted(Path(directory).glob(pattern))
    check(f"files {pattern}", len(found), 1)
    return found[0]


def sums(directory):
    lines = (directory / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    named = dict(reversed(line.split("  ", 1)) for line in lines)
    check("files with a checksum", set(named), {file.name for file in directory.iterdir()} - {"SHA256SUMS"})
    for name, digest in named.items():
        check(f"checksum of {name}", hashlib.sha256((directory / name).read_bytes()).hexdigest(), digest)
    print(f"packages: {len(named)} checksums are right")


def wheel(file, work, version):
    size = file.stat().st_size
    assert size <= WHEEL_BYTES_MAX, f"the wheel has {size} bytes"
    said = run(sys.executable, "-m", "auditwheel", "show", file)
    assert "manylinux_2_17_x86_64" in said, said
    run(sys.executable, "-m", "venv", work / "venv")
    # Neither an index of packages nor a compiler can be found from here.
    env = {"PATH": str(work / "venv" / "bin"), "HOME": str(work), "TMPDIR": str(work)}
    run(work / "venv" / "bin" / "pip", "install", "--no-index", "--disable-pip-version-check", file, env=env)
    installed = work / "venv" / "bin" / "harvestman"
    check("version", run(installed, "--version", env=env).strip(), f"harvestman {version}")
    done = subprocess.run([str(installed), "demo"], env=env, capture_output=True, text=True, timeout=120)
    check(f"exit code of the demo ({done.stderr[-2000:]})", done.returncode, 0)
    print(f"packages: the wheel has {size / 1e6:.1f} MB, is for manylinux_2_17, and runs the demo in a new environment")
    return installed


def debian(file, work, version):
    fields = dict(line.strip().split(": ", 1) for line in run("dpkg-deb", "--field", file).splitlines() if ": " in line and not line.startswith(" "))
    check("fields", (fields["Package"], fields["Version"], fields["Architecture"]), ("harvestman", version, "amd64"))
    assert fields["Depends"].startswith("libc6 (>= 2."), fields["Depends"]
    tree = work / "tree"
    run("dpkg-deb", "--extract", file, tree)
    for name in DEB_FILES:
        assert (tree / name).is_file(), f"{name} is missing"
    listed = [line.split() for line in run("dpkg-deb", "--contents", file).splitlines()]
    for mode, owner, *_ in listed:
        check(f"owner and mode of {_[-1]}", (owner, mode[8]), ("root/root", "-"))
    needed = run("readelf", "--dynamic", tree / "usr/bin/harvestman")
    libraries = set(re.findall(r"NEEDED.*\[(.*?)\]", needed))
    own = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libutil.so.1", "ld-linux-x86-64.so.2"}
    own |= {"libgcc_s.so.1"} if "libgcc-s1" in fields["Depends"] else set()
    assert libraries <= own, f"libraries beside libc: {libraries - own}"
    versions = re.findall(r"GLIBC_([0-9.]+)", run("readelf", "--version-info", tree / "usr/bin/harvestman"))
    newest = max(tuple(map(int, number.split("."))) for number in versions)
    least = tuple(map(int, re.search(r">= ([0-9.]+)", fields["Depends"]).group(1).split(".")))
    assert newest <= least, f"it needs glibc {newest}, and depends on {least}"
    unpacked = work / "man1"
    unpacked.mkdir()
    for page in (tree / "usr/share/man/man1").glob("*.gz"):
        (unpacked / page.stem).write_bytes(gzip.decompress(page.read_bytes()))
    pages(unpacked)
    completions(tree / DEB_FILES[2], tree / DEB_FILES[3], tree / DEB_FILES[4])
    unit(tree / DEB_FILES[1])
    example(tree / "usr/bin/harvestman", tree / "usr/share/doc/harvestman/examples/crawl.toml")
    if has("lintian"):
        print(run("lintian", "--fail-on", "error", "--suppress-tags", "bogus-mail-host,bogus-mail-host-in-debian-changelog", file))
    install(file, work, version)
    print(f"packages: the Debian package has {len(listed)} files and directories, and {file.stat().st_size / 1e6:.1f} MB")


def install(file, work, version):
    """Installs the package in a root of its own."""
    root = work / "root"
    if os.geteuid() == 0 and has("debootstrap"):
        run("debootstrap", "--variant=minbase", SUITE, root, seconds_max=900)
        shutil.copy(file, root / "tmp")
        run("chroot", root, "dpkg", "--install", f"/tmp/{file.name}")
        check("version", run("chroot", root, "harvestman", "--version").strip(), f"harvestman {version}")
        run("chroot", root, "harvestman", "demo", "--out", "/tmp/demo", seconds_max=120)
        run("chroot", root, "dpkg", "--verify", "harvestman")
        run("chroot", root, "dpkg", "--purge", "harvestman")
        print("packages: it installs, runs the demo, and is removed in a new Debian")
    else:
        # Without the packages that it depends on.
        for directory in ("var/lib/dpkg/info", "var/lib/dpkg/updates"):
            (root / directory).mkdir(parents=True)
        (root / "var/lib/dpkg/status").touch()
        run("dpkg", f"--root={root}", "--force-depends,not-root,script-chrootless", "--install", file)
        check("version", run(root / "usr/bin/harvestman", "--version").strip(), f"harvestman {version}")
        print("packages: it installs in an empty root")


def tarball(file, work, version):
    manifest = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["package"]["metadata"]["binstall"]
    values = {"name": "harvestman", "version": version, "target": TARGET, "bin": "harvestman", "binary-ext": "", "archive-suffix": ".tar.gz", "repo": ""}
    filled = lambda text: re.sub(r"\{ *([a-z-]+) *\}", lambda match: values[match.group(1)], text)
    check("file of cargo binstall", filled(manifest["pkg-url"]).rsplit("/", 1)[1], file.name)
    with tarfile.open(file) as archive:
        names = archive.getnames()
        archive.extractall(work / "tar", filter="data")
    check("folder", {name.split("/")[0] for name in names}, {f"harvestman-{version}-{TARGET}"})
    program = work / "tar" / filled(manifest["bin-dir"])
    assert program.stat().st_mode & stat.S_IXUSR, "the program cannot be executed"
    check("version", run(program, "--version").strip(), f"harvestman {version}")
    for name in ("README.md", "LICENSE-MIT", "LICENSE-APACHE", "harvestman.cdx.json", "man/harvestman.1", "completions/_harvestman"):
        assert f"harvestman-{version}-{TARGET}/{name}" in names, f"{name} is not in the tarball"
    print(f"packages: the tarball has {len(names)} files, under the name that cargo binstall looks for")


def materials(file, version):
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    text = file.read_text(encoding="utf-8")
    wrong = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    assert wrong is None, f"no valid CycloneDX: {wrong}"
    bill = json.loads(text)
    check("program", bill["metadata"]["component"]["purl"], f"pkg:cargo/harvestman@{version}")
    components = {component["bom-ref"]: component for component in bill["components"]}
    # Those of the workspace are not in a registry, and have no checksum.
    foreign = [component for component in components.values() if not component["name"].startswith("harvestman-")]
    assert len(foreign) > 200 and all("hashes" in component and "licenses" in component for component in foreign), "a crate without checksum or license"
    known = set(components) | {bill["metadata"]["component"]["bom-ref"]}
    for entry in bill["dependencies"]:
        assert {entry["ref"], *entry["dependsOn"]} <= known, f"{entry['ref']} needs something that is not listed"
    print(f"packages: the bill of materials is valid and lists {len(components)} crates")


def built(directory, work):
    directory = Path(directory).resolve()
    version = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]["package"]["version"]
    sums(directory)
    materials(one(directory, "harvestman-*.cdx.json"), version)
    tarball(one(directory, f"harvestman-{version}-*.tar.gz"), work, version)
    debian(one(directory, "harvestman_*.deb"), work, version)
    wheel(one(directory, "harvestman-*.whl"), work, version)


def main():
    actions = {"parts": parts, "built": built}
    if len(sys.argv) != 4 or sys.argv[1] not in actions:
        print(__doc__, file=sys.stderr)
        return 2
    end_on_sigterm()
    work = Path(sys.argv[3]).resolve()
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    actions[sys.argv[1]](sys.argv[2], work)
    return 0


if __name__ == "__main__":
    sys.exit(main())
