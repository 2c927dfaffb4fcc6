<?php
// The built-in server would answer unknown paths with the start page, and would show files of the program.
$path = rawurldecode(parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH) ?? '/');
$file = $_SERVER['DOCUMENT_ROOT'] . $path;
if ($path === '/' || (is_file($file) && !preg_match('#^/(inc|bin|vendor)/#', $path))) {
    return false;
}
http_response_code(404);
header('Content-Type: text/plain; charset=utf-8');
echo "Not found\n";
return true;
