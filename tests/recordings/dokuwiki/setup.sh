#!/bin/sh
# Makes DokuWiki and a filled wiki in German under $SITE_HOME. SEED and SCALE change the content.
set -eu
HERE=$(cd "$(dirname "$0")" && pwd)
SITE_HOME=${SITE_HOME:-$HERE/run}
mkdir -p "$SITE_HOME"
SITE_HOME=$(cd "$SITE_HOME" && pwd)
export SITE_HOME SEED="${SEED:-1}" SCALE="${SCALE:-1.0}" PYTHONDONTWRITEBYTECODE=1 PYTHONHASHSEED=0 TZ=UTC
PACKAGES="php-cli php-xml php-mbstring php-gd php-geshi php-phpseclib libphp-simplepie libjs-jquery libjs-jquery-ui
    libjs-jquery-cookie python3"
cd "$SITE_HOME"

missing=
for p in $PACKAGES; do
    dpkg -s "$p" >/dev/null 2>&1 || missing="$missing $p"
done
if [ -n "$missing" ]; then
    apt-get update -q
    # shellcheck disable=SC2086  # a list of packages
    DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing
fi

# The wiki and the text are unpacked here and not installed: the package of the wiki depends on a web server.
if [ ! -f unpacked/.done ]; then
    rm -rf unpacked deb
    mkdir -p unpacked deb
    (cd deb && { apt-get download -q dokuwiki gimp-help-de 2>/dev/null ||
        { apt-get update -q && apt-get download -q dokuwiki gimp-help-de; }; })
    for d in deb/*.deb; do dpkg-deb -x "$d" unpacked; done
    rm -rf deb
    touch unpacked/.done
fi

STAMP="seed $SEED scale $SCALE $(cat "$HERE"/*.py "$HERE"/*.php | cksum)"
if [ "$(cat made 2>/dev/null || true)" = "$STAMP" ]; then
    echo "already made"
    exit 0
fi
rm -rf made docroot conf data
cp -r unpacked/usr/share/dokuwiki docroot
cp -rL unpacked/etc/dokuwiki conf 2>/dev/null || true        # links into /var are left out
cp -r unpacked/var/lib/dokuwiki/data data
rm -rf data/pages/wiki data/pages/playground data/media/wiki      # the manual of the program
# The package looks for its files in /etc and /var.
rm -f docroot/lib/plugins docroot/lib/tpl docroot/.htaccess docroot/install.php conf/users.auth.php conf/acl.auth.php
cp -r unpacked/var/lib/dokuwiki/lib/plugins docroot/lib/plugins
cp -r unpacked/var/lib/dokuwiki/lib/tpl docroot/lib/tpl
cat > docroot/inc/preload.php <<END
<?php
if (!defined('DOKU_CONF')) define('DOKU_CONF', '$SITE_HOME/conf/');
if (!defined('DOKU_MAIN_CONF')) define('DOKU_MAIN_CONF', DOKU_CONF);
END
cp "$HERE/local.php" conf/local.php
printf '*\t@ALL\t1\n*\t@user\t8\n' > conf/acl.auth.php
python3 "$HERE/populate.py" unpacked/usr/share/gimp/2.0/help/de
php -d display_errors=0 docroot/bin/indexer.php -q >index.log 2>&1
echo "$STAMP" > made
