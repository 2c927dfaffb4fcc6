#!/bin/sh
# Makes the HyperKitty site under $SITE_HOME. Environment: SITE_HOME, SEED, SCALE, BASE_URL.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
export SITE_HOME="${SITE_HOME:-$here/run}" SEED="${SEED:-1}" SCALE="${SCALE:-1.0}"
# Messages link to other messages by their full address.
export BASE_URL="${BASE_URL:-http://127.0.0.1:8113}"
export PYTHONPATH="$here" PYTHONDONTWRITEBYTECODE=1 DJANGO_SETTINGS_MODULE=project.settings
mkdir -p "$SITE_HOME"
stamp="$SEED $SCALE $BASE_URL $(cat "$here"/*.py "$here"/project/*.py "$here"/requirements.txt | cksum)"
if [ -f "$SITE_HOME/done" ] && [ "$(cat "$SITE_HOME/done")" = "$stamp" ]; then
    echo "already set up"
    exit 0
fi
rm -f "$SITE_HOME/done"

missing=
for package in manpages manpages-dev bash-doc groff-base; do
    dpkg -s "$package" >/dev/null 2>&1 || missing="$missing $package"
done
if [ -n "$missing" ]; then
    apt-get update -qq
    # shellcheck disable=SC2086  # a list of packages
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing
fi

[ -x "$SITE_HOME/venv/bin/pip" ] || python3 -m venv "$SITE_HOME/venv"
export PATH="$SITE_HOME/venv/bin:$PATH"
pip install -q --disable-pip-version-check -r "$here/requirements.txt"

rm -rf "$SITE_HOME/mbox" "$SITE_HOME/static" "$SITE_HOME"/new.db*
python "$here/make_mbox.py" "$SITE_HOME/mbox"
export SITE_DB="$SITE_HOME/new.db"
python "$here/populate.py" "$SITE_HOME/mbox"
python -m django collectstatic --noinput -v 0
python -m django compress --force -v 0
mv "$SITE_HOME/new.db" "$SITE_HOME/hyperkitty.db"
printf '%s' "$stamp" > "$SITE_HOME/done"
