<?php
// Router for PHP's built-in server: files as they are, all else to WordPress's index.php.
$root = $_SERVER['DOCUMENT_ROOT'];
$path = rawurldecode( parse_url( 'http://x' . $_SERVER['REQUEST_URI'], PHP_URL_PATH ) ?: '/' );
$file = realpath( $root . $path );
if ( '/' !== $path && $file && 0 === strpos( $file, realpath( $root ) . '/' ) ) {
	if ( is_file( $file ) ) {
		return false;
	}
	if ( is_file( $file . '/index.php' ) && '/wp-content' !== substr( $path, 0, 11 ) ) {
		if ( '/' !== substr( $path, -1 ) ) {
			header( 'Location: ' . $path . '/', true, 301 );
			return true;
		}
		return false;
	}
}
// The built-in server would take a part of the path as PATH_INFO.
unset( $_SERVER['PATH_INFO'] );
$_SERVER['SCRIPT_NAME']     = '/index.php';
$_SERVER['PHP_SELF']        = '/index.php';
$_SERVER['SCRIPT_FILENAME'] = $root . '/index.php';
chdir( $root );
require $root . '/index.php';
