#!/bin/sh
# Installs WordPress, MariaDB and the text sources, and fills the blog.
# Does nothing if the site has been made already with the same SEED and SCALE.
set -eu
. "$(dirname "$0")/env.sh"

packages="wordpress wordpress-theme-twentytwentyone php-cli php-mysql php-xml php-gd php-mbstring
    mariadb-server-core mariadb-client-core bible-kjv bible-kjv-text fortunes fortunes-min dict-jargon dict-devil"
missing=
for p in $packages; do
    dpkg-query -W -f '${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || missing="$missing $p"
done
if [ -n "$missing" ]; then
    # RUNLEVEL=1 keeps package scripts from starting the web server that wordpress depends on.
    apt="env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get -o DPkg::Lock::Timeout=600"
    [ "$(id -u)" = 0 ] || apt="sudo $apt"
    $apt update
    # shellcheck disable=SC2086
    $apt install -y --no-install-recommends $missing
fi

done_mark=$SITE_HOME/done
want="$SEED $SCALE $(cd "$here" && cat setup.sh ./*.php mu-plugins/*.php | cksum)"
if [ "$(cat "$done_mark" 2>/dev/null || true)" = "$want" ]; then
    echo "already set up in $SITE_HOME"
    exit 0
fi

rm -rf "$done_mark" "$SITE_HOME/www" "$SITE_HOME/db"
mkdir -p "$SITE_HOME/db/data" "$SITE_HOME/www"
# A copy of the program, as Debian's one takes its settings from /etc/wordpress.
cp -rL /usr/share/wordpress/. "$SITE_HOME/www/" 2>/dev/null || true
[ -f "$SITE_HOME/www/wp-load.php" ]
rm -f "$SITE_HOME/www/.htaccess"
cp "$here/wp-config.php" "$SITE_HOME/www/wp-config.php"
cp "$here/router.php" "$here/texts.php" "$here/themes.php" "$here/media.php" "$here/populate.php" "$here/discuss.php" "$SITE_HOME/"
mkdir -p "$SITE_HOME/www/wp-content/mu-plugins" "$SITE_HOME/www/wp-content/uploads"
cp "$here"/mu-plugins/*.php "$SITE_HOME/www/wp-content/mu-plugins/"
[ -z "$site_user" ] || chown -R "$site_user:" "$SITE_HOME/db" "$SITE_HOME/www"
chmod 700 "$SITE_HOME/db"

$as_user mariadb-install-db --no-defaults --datadir="$SITE_HOME/db/data" \
    --auth-root-authentication-method=normal --skip-test-db >/dev/null
trap stop_db EXIT
start_db
$as_user mariadb --no-defaults --socket="$sock" -u root -e "
    CREATE DATABASE wordpress CHARACTER SET utf8mb4;
    CREATE USER wordpress@localhost IDENTIFIED BY 'wordpress';
    GRANT ALL ON wordpress.* TO wordpress@localhost;"
(cd "$SITE_HOME" && $as_user php -d memory_limit=512M populate.php)
stop_db
echo "$want" > "$done_mark"
echo "set up in $SITE_HOME"
