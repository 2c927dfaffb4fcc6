<?php
// Settings of the site; everything that differs between runs comes from the environment.
$site_home = getenv( 'SITE_HOME' ) ?: dirname( __DIR__ );
$site_port = getenv( 'PORT' ) ?: '8115';
define( 'DB_NAME', 'wordpress' );
define( 'DB_USER', 'wordpress' );
define( 'DB_PASSWORD', 'wordpress' );
define( 'DB_HOST', 'localhost:' . $site_home . '/db/mysql.sock' );
define( 'DB_CHARSET', 'utf8mb4' );
define( 'DB_COLLATE', '' );
define( 'WP_HOME', 'http://127.0.0.1:' . $site_port );
define( 'WP_SITEURL', 'http://127.0.0.1:' . $site_port );
// Fixed keys: they must not differ between two runs of the set-up.
foreach ( array( 'AUTH', 'SECURE_AUTH', 'LOGGED_IN', 'NONCE' ) as $key ) {
	define( $key . '_KEY', 'test site key ' . $key );
	define( $key . '_SALT', 'test site salt ' . $key );
}
// The site speaks to nobody and changes nothing by itself.
define( 'WP_HTTP_BLOCK_EXTERNAL', true );
define( 'DISABLE_WP_CRON', true );
define( 'AUTOMATIC_UPDATER_DISABLED', true );
define( 'WP_DEBUG', false );
$table_prefix = 'wp_';
if ( ! defined( 'ABSPATH' ) ) {
	define( 'ABSPATH', __DIR__ . '/' );
}
require_once ABSPATH . 'wp-settings.php';
