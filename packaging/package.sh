#!/usr/bin/env bash
# Builds the packages of a release: a wheel, a Debian package, a tarball, a bill of materials, and their checksums.
#
#   packaging/package.sh        (or: just package)
#
# Writes to target/package. Needs Rust with its component llvm-tools, Python 3.11 with venv, dpkg-deb and readelf. One binary is built,
# with all features, optimised by a profile of crawls (`packaging/train.sh`), against glibc 2.17 (zig is the linker), and all packages
# contain it. The version is that of Cargo.toml.
#
#   PACKAGE_WHEEL=FILE          packages the binary of this wheel instead of building one
#   SOURCE_DATE_EPOCH=SECONDS   the time in the packages (default: that of the last commit)
#   DEBFULLNAME, DEBEMAIL       the maintainer in the Debian package
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

TARGET=x86_64-unknown-linux-gnu
ARCHITECTURE=amd64
GLIBC=2.17
OUT=${CARGO_TARGET_DIR:-$PWD/target}/package
WORK=$OUT/work
VENV=${CARGO_TARGET_DIR:-$PWD/target}/package-venv
PROFILE=${CARGO_TARGET_DIR:-$PWD/target}/train/harvestman.profdata
VERSION=$(cargo metadata --locked --no-deps --format-version 1 |
    python3 -c 'import json, sys; print(next(p["version"] for p in json.load(sys.stdin)["packages"] if p["name"] == "harvestman"))')
MAINTAINER="${DEBFULLNAME:-The Harvestman contributors} <${DEBEMAIL:-noreply@localhost}>"
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export LC_ALL=C
umask 022

# Wheel: maturin compiles the program, with zig as the linker and the C compiler of libraries.
wheel() {
    if [ -n "${PACKAGE_WHEEL:-}" ]; then
        [ "$(realpath "$PACKAGE_WHEEL")" = "$(realpath "$OUT")/$(basename "$PACKAGE_WHEEL")" ] || cp "$PACKAGE_WHEEL" "$OUT/"
        return
    fi
    [ -x "$VENV/bin/maturin" ] || { python3 -m venv "$VENV" && "$VENV/bin/pip" install --quiet maturin ziglang; }
    rm -f "$OUT"/*.whl
    # The profile names functions, whose names depend on features and target: those of pyproject.toml and below.
    packaging/train.sh --features full --target "$TARGET"
    # maturin finds zig through the Python of its environment.
    RUSTFLAGS=-Cprofile-use=$PROFILE PATH=$VENV/bin:$PATH \
        "$VENV/bin/maturin" build --locked --profile dist --zig --target "$TARGET" --compatibility manylinux2014 --out "$OUT"
}

# The binary, man pages and completions, as every package has them.
parts() {
    python3 -m zipfile --extract "$OUT/harvestman-$VERSION-"*.whl "$WORK/wheel"
    install -D -m 755 "$WORK/wheel/harvestman-$VERSION.data/scripts/harvestman" "$WORK/parts/harvestman"
    local program=$WORK/parts/harvestman
    # Completions and pages name the program by its first word.
    "$program" man --dir "$WORK/parts/man"
    mkdir -p "$WORK/parts/completions"
    "$program" completions bash >"$WORK/parts/completions/harvestman.bash"
    "$program" completions zsh >"$WORK/parts/completions/_harvestman"
    "$program" completions fish >"$WORK/parts/completions/harvestman.fish"
    env -i PATH="$PATH" "$program" config --defaults >"$WORK/parts/defaults.toml"
}

bill_of_materials() { python3 packaging/sbom.py --target "$TARGET" >"$OUT/harvestman-$VERSION.cdx.json"; }

# What the binary needs of Debian. With zig as the linker that is libc alone.
depends() {
    local needed="libc6 (>= $GLIBC)"
    if readelf --dynamic "$WORK/parts/harvestman" | grep -q 'NEEDED.*libgcc_s'; then needed+=", libgcc-s1"; fi
    printf '%s' "$needed"
}

# In Debian's format, of this version alone; CHANGELOG.md has the rest.
debian_changelog() {
    printf 'harvestman (%s) unstable; urgency=medium\n\n  * Release %s: see CHANGELOG.md.gz.\n\n -- %s  %s\n' \
        "$VERSION" "$VERSION" "$MAINTAINER" "$(date --utc --date="@$SOURCE_DATE_EPOCH" '+%a, %d %b %Y %H:%M:%S +0000')"
}

# dpkg-deb packs a tree of its own: cargo-deb would compile two hundred crates to do the same with the same binary.
debian_package() {
    local root=$WORK/deb doc=$WORK/deb/usr/share/doc/harvestman
    install -D -m 755 "$WORK/parts/harvestman" "$root/usr/bin/harvestman"
    install -D -m 644 "packaging/systemd/harvestman@.service" "$root/usr/lib/systemd/system/harvestman@.service"
    install -D -m 644 "$WORK/parts/completions/harvestman.bash" "$root/usr/share/bash-completion/completions/harvestman"
    install -D -m 644 "$WORK/parts/completions/_harvestman" "$root/usr/share/zsh/vendor-completions/_harvestman"
    install -D -m 644 "$WORK/parts/completions/harvestman.fish" "$root/usr/share/fish/vendor_completions.d/harvestman.fish"
    install -d "$root/usr/share/man/man1" "$root/etc/harvestman"
    local page
    for page in "$WORK"/parts/man/*.1; do gzip -9n <"$page" >"$root/usr/share/man/man1/$(basename "$page").gz"; done
    install -D -m 644 packaging/debian/copyright "$doc/copyright"
    install -D -m 644 README.md "$doc/README.md"
    gzip -9n <CHANGELOG.md >"$doc/CHANGELOG.md.gz"
    debian_changelog | gzip -9n >"$doc/changelog.gz"
    gzip -9n <"$OUT/harvestman-$VERSION.cdx.json" >"$doc/harvestman.cdx.json.gz"
    install -D -m 644 -t "$doc/examples" packaging/crawl.toml packaging/systemd/render.conf "$WORK/parts/defaults.toml"
    install -d "$root/DEBIAN"
    install -m 755 packaging/debian/postinst packaging/debian/postrm "$root/DEBIAN/"
    sed -e "s/@VERSION@/$VERSION/" -e "s/@ARCHITECTURE@/$ARCHITECTURE/" -e "s/@DEPENDS@/$(depends)/" -e "s/@MAINTAINER@/$MAINTAINER/" \
        -e "s/@SIZE@/$(du --summarize --block-size=1K --exclude=DEBIAN "$root" | cut -f1)/" packaging/debian/control >"$root/DEBIAN/control"
    (cd "$root" && find . -type f ! -path './DEBIAN/*' -printf '%P\0' | sort --zero-terminated | xargs --null md5sum >DEBIAN/md5sums)
    dpkg-deb --root-owner-group -Zxz --build "$root" "$OUT/harvestman_${VERSION}_$ARCHITECTURE.deb"
}

# Its name and its folder are those that [package.metadata.binstall] in Cargo.toml expects.
tarball() {
    local name=harvestman-$VERSION-$TARGET
    mkdir -p "$WORK/tar/$name"
    cp -r "$WORK/parts/harvestman" "$WORK/parts/man" "$WORK/parts/completions" "$WORK/tar/$name/"
    cp README.md CHANGELOG.md LICENSE-MIT LICENSE-APACHE packaging/crawl.toml "$WORK/parts/defaults.toml" "$WORK/tar/$name/"
    cp -r packaging/systemd "$WORK/tar/$name/"
    cp "$OUT/harvestman-$VERSION.cdx.json" "$WORK/tar/$name/harvestman.cdx.json"
    tar --create --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" --directory "$WORK/tar" "$name" |
        gzip -9n >"$OUT/$name.tar.gz"
}

checksums() { (cd "$OUT" && sha256sum -- *.whl *.deb *.tar.gz *.cdx.json >SHA256SUMS); }

mkdir -p "$OUT"
rm -rf "$WORK"
rm -f "$OUT"/*.deb "$OUT"/*.tar.gz "$OUT"/*.cdx.json "$OUT/SHA256SUMS"
wheel
parts
bill_of_materials
debian_package
tarball
checksums
rm -rf "$WORK"
ls -l "$OUT"
