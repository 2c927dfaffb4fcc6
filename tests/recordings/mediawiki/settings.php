<?php
// Added at the end of LocalSettings.php. Everything not named here is MediaWiki's default.
$siteHome = getenv( 'SITE_HOME' );
$wgServer = 'http://127.0.0.1:' . ( getenv( 'PORT' ) ?: '8111' );
$wgArticlePath = '/wiki/$1';
$wgUsePathInfo = true;
$wgUploadDirectory = "$siteHome/images";
$wgUploadPath = '/images';
$wgCacheDirectory = "$siteHome/cache";
$wgEnableUploads = true;
$wgUseImageMagick = false;
$wgHashedUploadDirectory = true;
// The server's workers share APCu; the maintenance scripts have none.
$wgMainCacheType = PHP_SAPI === 'cli' ? CACHE_NONE : CACHE_ACCEL;
$wgParserCacheType = CACHE_DB;
$wgSessionCacheType = CACHE_DB;
$wgEnableEmail = false;
// The content can be made again at any time, so do not wait for the disk at each commit.
$wgDBservers = [ [ "type" => "sqlite", "dbname" => $wgDBname, "dbDirectory" => $wgSQLiteDataDir, "load" => 1,
	"tablePrefix" => "", "flags" => DBO_DEFAULT, "variables" => [ "synchronous" => "OFF" ] ] ];
$wgJobRunRate = 0;
$wgLocaltimezone = 'UTC';
$wgFixDoubleRedirects = true;
// The edits have fixed dates in the past; without this the recent changes would be empty.
$wgRCMaxAge = 3650 * 86400;
$wgDefaultUserOptions['rcdays'] = 3650;
// Small pages of category lists, so that a wiki of this size has pagination.
$wgCategoryPagingLimit = 40;
// Registration is by invitation, as on many small wikis; anonymous edits stay allowed (the default).
$wgGroupPermissions['*']['createaccount'] = false;
$wgShowExceptionDetails = true;
// Texts of the user interface as PHP files, which the opcode cache keeps in memory.
$wgLocalisationCacheConf['store'] = 'array';
$wgLocalisationCacheConf['storeDirectory'] = "$siteHome/cache";
