<?php
// Routes for PHP's built-in server: /wiki/TITLE and / go to index.php, files are served as they are.
$path = rawurldecode( parse_url( $_SERVER['REQUEST_URI'], PHP_URL_PATH ) ?? '/' );
if ( $path === '/' || strncmp( $path, '/wiki/', 6 ) === 0 || $path === '/wiki' ) {
	$_SERVER['SCRIPT_NAME'] = $_SERVER['PHP_SELF'] = '/w/index.php';
	$_SERVER['SCRIPT_FILENAME'] = $_SERVER['DOCUMENT_ROOT'] . '/w/index.php';
	unset( $_SERVER['PATH_INFO'] );
	chdir( $_SERVER['DOCUMENT_ROOT'] . '/w' );
	require $_SERVER['DOCUMENT_ROOT'] . '/w/index.php';
	return true;
}
if ( preg_match( '#^/w/(maintenance|includes|vendor|languages|mw-config|config|LocalSettings)#', $path ) ) {
	http_response_code( 403 );
	return true;
}
if ( is_file( $_SERVER['DOCUMENT_ROOT'] . $path ) ) {
	return false;
}
// The built-in server would answer unknown paths with the nearest index.php.
http_response_code( 404 );
header( 'Content-Type: text/plain; charset=utf-8' );
echo "Not found\n";
return true;
