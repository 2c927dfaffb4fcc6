#!/bin/sh
# Installs MediaWiki and its text sources (Debian packages) and makes a filled wiki under $SITE_HOME.
# Variables: SITE_HOME, PORT, SEED, SCALE. A second run with the same SEED and SCALE does nothing.
set -eu
HERE=$(cd "$(dirname "$0")" && pwd)
SITE_HOME=${SITE_HOME:-$HERE/run}
SEED=${SEED:-1}
SCALE=${SCALE:-1.0}
export SITE_HOME PORT="${PORT:-8111}" PYTHONDONTWRITEBYTECODE=1
MW=/usr/share/mediawiki
STAMP="$SITE_HOME/done-$SEED-$SCALE"
PACKAGES="mediawiki php-cli php-sqlite3 php-mbstring php-xml php-intl php-apcu php-gd dict-foldoc dict-jargon fortunes python3"

mkdir -p "$SITE_HOME"
SITE_HOME=$(cd "$SITE_HOME" && pwd)
if [ -e "$STAMP" ]; then
    echo "already set up in $SITE_HOME"
    exit 0
fi

if ! dpkg -s $PACKAGES >/dev/null 2>&1; then
    apt-get update -q
    # The package depends on a web server, which would listen on all interfaces: it must not be started.
    NEW_SERVER=yes POLICY=/usr/sbin/policy-rc.d MADE=no
    if dpkg -s apache2 >/dev/null 2>&1; then NEW_SERVER=no; fi
    if [ ! -e "$POLICY" ]; then
        MADE=yes
        trap 'rm -f "$POLICY"' EXIT
        printf '#!/bin/sh\nexit 101\n' >"$POLICY"
        chmod 755 "$POLICY"
    fi
    DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $PACKAGES
    if [ "$NEW_SERVER" = yes ]; then update-rc.d apache2 disable >/dev/null 2>&1 || true; fi
    if [ "$MADE" = yes ]; then rm -f "$POLICY"; trap - EXIT; fi
fi

# The pictures: only the files of this package are needed, not the desktop that it depends on.
if [ ! -d "$SITE_HOME/icons" ]; then
    (cd "$SITE_HOME" && apt-get download -q gnome-icon-theme && dpkg -x gnome-icon-theme_*.deb icons)
fi

# Start from an empty wiki each time.
rm -rf "$SITE_HOME/data" "$SITE_HOME/images" "$SITE_HOME/docroot" "$SITE_HOME/cache"
rm -f "$SITE_HOME/LocalSettings.php" "$SITE_HOME"/done-*
mkdir -p "$SITE_HOME/data" "$SITE_HOME/images" "$SITE_HOME/docroot" "$SITE_HOME/cache"
ln -s "$MW" "$SITE_HOME/docroot/w"
ln -s "$SITE_HOME/images" "$SITE_HOME/docroot/images"

php "$MW/maintenance/install.php" --confpath="$SITE_HOME" --dbtype=sqlite --dbpath="$SITE_HOME/data" \
    --dbname=wiki --scriptpath=/w --server="http://127.0.0.1:$PORT" --pass="admin-$SEED-password" \
    --skins=Vector --extensions=Cite,CiteThisPage,ParserFunctions,CategoryTree,Poem,InputBox,Interwiki,Renameuser \
    "Computopedia" "Admin"
printf '\nrequire "%s/settings.php";\n' "$HERE" >>"$SITE_HOME/LocalSettings.php"
export MW_CONFIG_FILE="$SITE_HOME/LocalSettings.php"

python3 "$HERE/plan.py" --seed "$SEED" --scale "$SCALE" --icons "$SITE_HOME/icons" --out "$SITE_HOME/plan.jsonl"
php "$HERE/populate.php" --plan="$SITE_HOME/plan.jsonl"
for script in runJobs initSiteStats updateSpecialPages; do
    case $script in initSiteStats) option=--update ;; *) option= ;; esac
    php "$MW/maintenance/$script.php" $option >"$SITE_HOME/$script.log"
done
touch "$STAMP"
