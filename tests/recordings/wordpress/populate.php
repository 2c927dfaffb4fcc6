<?php
// Fills the blog through WordPress's own functions. Environment: SITE_HOME, PORT, SEED, SCALE.
define( 'WP_INSTALLING', true );
$_SERVER['HTTP_HOST']      = '127.0.0.1:' . getenv( 'PORT' );
$_SERVER['REQUEST_URI']    = '/';
$_SERVER['REQUEST_METHOD'] = 'GET';
$www = getenv( 'SITE_HOME' ) . '/www';
require $www . '/wp-load.php';
require_once ABSPATH . 'wp-admin/includes/upgrade.php';
require_once ABSPATH . 'wp-admin/includes/image.php';
require __DIR__ . '/texts.php';
require __DIR__ . '/themes.php';
require __DIR__ . '/media.php';
require __DIR__ . '/discuss.php';
add_filter( 'pre_wp_mail', '__return_true' );
mt_srand( (int) getenv( 'SEED' ) );
$scale = (float) getenv( 'SCALE' );
$count = max( 40, (int) round( 900 * $scale ) );

wp_install( 'The Commonplace Book', 'editor', 'editor@example.org', true, '', 'editor' );
wp_delete_post( 1, true );
wp_delete_post( 2, true );
wp_delete_post( 3, true );
foreach ( array(
	'blogdescription'       => 'Passages, words and remarks',
	'permalink_structure'   => '/%year%/%monthnum%/%day%/%postname%/',
	'posts_per_page'        => 10,
	'thread_comments'       => 1,
	'page_comments'         => 1,
	'comments_per_page'     => 10,
	'default_comments_page' => 'newest',
	'users_can_register'    => 1,
	'timezone_string'       => 'UTC',
	'template'              => 'twentytwentyone',
	'stylesheet'            => 'twentytwentyone',
) as $key => $value ) {
	update_option( $key, $value );
}
$GLOBALS['wp_rewrite']->init();
create_initial_taxonomies();
$sayings = sayings();

// Authors. These names are fixed, as labels.toml names those who have a biography (second part of the list).
$people = array(
	array( 'editor' => 'Editor', 'mwright' => 'Martha Wright', 'jonas' => 'Jonas Feld', 'tkeller' => 'Thea Keller', 'oakes' => 'Peter Oakes',
		'ines' => 'Ines Duarte', 'hbrandt' => 'Henrik Brandt', 'lowell' => 'Ann Lowell', 'sami' => 'Sami Rauta', 'gpetrov' => 'Galina Petrov' ),
	array( 'rosalind' => 'Rosalind Hale', 'emeka' => 'Emeka Obi', 'cfaber' => 'Clara Faber', 'dunstan' => 'Dunstan Pike', 'yuki' => 'Yuki Arai',
		'mvidal' => 'Marc Vidal', 'nora' => 'Nora Lind', 'bstone' => 'Bill Stone', 'adele' => 'Adele Roux', 'tomasz' => 'Tomasz Wilk' ),
);
$authors = array();
foreach ( $people as $has_bio => $list ) {
	foreach ( $list as $login => $name ) {
		$bio = '';
		while ( $has_bio && ( words( $bio ) < 5 || words( $bio ) > 60 ) ) {
			$bio = array_pop( $sayings );
		}
		$data = array( 'display_name' => $name, 'first_name' => strtok( $name, ' ' ), 'description' => $bio, 'role' => 'author' );
		if ( 'editor' === $login ) {
			wp_update_user( array( 'ID' => 1, 'display_name' => $name ) );
			$authors[] = 1;
			continue;
		}
		$authors[] = wp_insert_user( $data + array( 'user_login' => $login, 'user_pass' => 'pass-' . $login, 'user_email' => $login . '@example.org',
			'user_url' => 0 === mt_rand( 0, 2 ) ? 'http://' . $login . '.example.net/' : '', 'user_registered' => '2016-11-01 10:00:00' ) );
	}
}
$authors = mix( $authors );

// Categories: [slug of the parent, name].
$sections = array( 'law' => array( 0, 4 ), 'history' => array( 5, 16 ), 'wisdom' => array( 17, 21 ), 'prophets' => array( 22, 38 ),
	'gospels' => array( 39, 43 ), 'letters' => array( 44, 65 ) );
$cats = array();
foreach ( array( 'Scripture' => 0, 'Lexicon' => 0, 'Notes' => 0, 'Law' => 'Scripture', 'History' => 'Scripture', 'Wisdom' => 'Scripture',
	'Prophets' => 'Scripture', 'Gospels' => 'Scripture', 'Letters' => 'Scripture', 'Jargon' => 'Lexicon', 'Satire' => 'Lexicon' ) as $name => $parent ) {
	$term = wp_insert_term( $name, 'category', array( 'parent' => $parent ? $cats[ strtolower( $parent ) ] : 0 ) );
	$cats[ strtolower( $name ) ] = $term['term_id'];
}

// The posts: 62 in 100 from the Bible, the others from the dictionaries.
$part  = (int) round( $count * 0.62 );
$spare = passages();
$texts = mix( array_merge( array_splice( $spare, 0, $part ), array_slice( entries(), 0, $count - $part ) ) );

// Tags: the words that are in some posts, not in many.
$in = array();
foreach ( $texts as $i => $t ) {
	$plain = isset( $t['verses'] ) ? implode( ' ', $t['verses'] ) : implode( ' ', array_column( $t['paragraphs'], 0 ) );
	preg_match_all( '/\b[a-z]{5,12}\b/', strtolower( $plain ), $m );
	foreach ( array_unique( $m[0] ) as $word ) {
		$in[ $word ][] = $i;
	}
}
ksort( $in );
$tags = array();
foreach ( mix( array_keys( $in ) ) as $word ) {
	$df = count( $in[ $word ] );
	if ( $df >= 6 && $df <= 40 && count( $tags ) < 130 * sqrt( $scale ) ) {
		foreach ( $in[ $word ] as $i ) {
			$tags[ $word ] = $word;
			$texts[ $i ]['tags'][] = $word;
		}
	}
}

// Further tags, by theme, which come first.
foreach ( $texts as $i => $t ) {
	$plain = isset( $t['verses'] ) ? implode( ' ', $t['verses'] ) : implode( ' ', array_column( $t['paragraphs'], 0 ) );
	list( $themed, $texts[ $i ]['themes'] ) = tags_of_text( $plain );
	$texts[ $i ]['tags'] = array_unique( array_merge( $themed, $t['tags'] ?? array() ) );
}
$interests = interests( count( $authors ), getenv( 'SEED' ) );

// Dates from 2017 to June 2024; several posts on some days.
$times = array();
for ( $i = 0; $i < $count; $i++ ) {
	$times[] = strtotime( '2017-02-01 00:00:00 UTC' ) + (int) ( pow( u(), 0.8 ) * 2700 ) * 86400 + mt_rand( 21600, 79000 );
}
sort( $times );

wp_defer_term_counting( true );
wp_defer_comment_counting( true );
$posts = array();
$by_head = array();
foreach ( $texts as $i => $t ) {
	$body = isset( $t['verses'] ) ? body_of_passage( $t ) : body_of_entry( $t, $by_head );
	$title = isset( $t['verses'] ) ? title_of_passage( $t ) : $t['title'];
	if ( isset( $t['verses'] ) ) {
		$cat = array();
		foreach ( $sections as $slug => $range ) {
			if ( $t['book'] >= $range[0] && $t['book'] <= $range[1] ) {
				$cat[] = $cats[ $slug ];
			}
		}
	} else {
		$cat = array( 'jargon' === $t['source'] ? $cats['jargon'] : $cats['satire'] );
	}
	if ( 0 === mt_rand( 0, 11 ) ) {
		$cat[] = $cats['notes'];
	}
	// Links to earlier posts: by address, by short link, some to posts that are gone.
	if ( $i > 20 && 0 === mt_rand( 0, 3 ) ) {
		$to    = $posts[ mt_rand( 0, $i - 1 ) ];
		$kind  = mt_rand( 0, 30 );
		$href  = $kind < 22 ? path_of( $to ) : ( $kind < 28 ? '/?p=' . $to : ( $kind < 29 ? '/' . gmdate( 'Y/m/d', $times[ $i ] - 8640000 ) . '/draft-that-is-gone/' : '/?p=' . ( $to + 90000 ) ) );
		$body .= "\n<p>See also <a href=\"$href\">" . esc_html( get_the_title( $to ) ) . '</a>.</p>';
	}
	$date = gmdate( 'Y-m-d H:i:s', $times[ $i ] );
	$id   = wp_insert_post( wp_slash( array(
		'post_title'     => $title,
		'post_content'   => $body,
		'post_status'    => 'publish',
		'post_author'    => $authors[ author_for( $interests, $t['themes'], u() ) ],
		'post_date'      => $date,
		'post_date_gmt'  => $date,
		'post_category'  => $cat,
		'tags_input'     => array_slice( $t['tags'], 0, 4 ),
		'comment_status' => 0 === mt_rand( 0, 9 ) ? 'closed' : 'open',
		'ping_status'    => 'closed',
	) ) );
	$posts[] = $id;
	if ( isset( $t['head'] ) ) {
		$by_head[ strtolower( $t['head'] ) ] = $id;
	}
	if ( ! isset( $t['verses'] ) && $t['words'] < 60 && 0 === mt_rand( 0, 2 ) ) {
		set_post_format( $id, array( 'aside', 'quote', 'status' )[ mt_rand( 0, 2 ) ] );
	}
}
stick_post( $posts[ (int) ( $count * 0.97 ) ] );

add_gallery_pictures( $posts, $spare, $sayings, max( 12, (int) round( 130 * $scale ) ) );
add_odd_posts( $posts, $spare, $authors, $cats );
add_comments( $posts, $sayings, $authors, $scale );
add_pages( $posts, $spare, array_slice( array_keys( $tags ), 0, 30 ) );
wp_defer_term_counting( false );
wp_defer_comment_counting( false );
// The rules known here are those of before the permalink structure was set; the first request makes new ones.
delete_option( 'rewrite_rules' );
printf( "%d posts, %d comments, %d tags\n", $count, wp_count_comments()->approved, count( $tags ) );
