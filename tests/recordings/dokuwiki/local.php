<?php
$conf['title'] = 'Bildwerkstatt';
$conf['tagline'] = 'Wissen rund um die Bildbearbeitung';
$conf['lang'] = 'de';
$conf['license'] = 'cc-by-sa';
$conf['useacl'] = 1;
$conf['superuser'] = '@admin';
$conf['disableactions'] = 'register,resendpwd';
$conf['showuseras'] = 'username_link';
$conf['savedir'] = getenv('SITE_HOME') . '/data';
$conf['updatecheck'] = 0;
$conf['youarehere'] = 1;
$conf['send404'] = 1;                 // a page that nobody has written is no page
$conf['recent'] = 40;
$conf['recent_days'] = 4000;
$conf['sepchar'] = '_';
