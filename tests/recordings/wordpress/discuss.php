<?php
// Parts of populate.php: bodies of posts, pictures, odd posts, comments, pages, widgets and menu.

// Path of a post; links are stored without host, so that the site can be served on any port.
function path_of( $id ) {
	return wp_make_link_relative( get_permalink( $id ) );
}

function title_of_passage( $p ) {
	$verse = preg_replace( '/^(And|But|For|Then|Now|So|Therefore|Yea)\b,? /', '', $p['verses'][ mt_rand( 0, count( $p['verses'] ) - 1 ) ] );
	$title = implode( ' ', array_slice( preg_split( '/\s+/', $verse ), 0, mt_rand( 4, 8 ) ) );
	return ucfirst( trim( preg_replace( '/[\[\]()]/', '', $title ), " ,;:.!?" ) );
}

function body_of_passage( $p ) {
	$html = '';
	foreach ( array_chunk( $p['verses'], mt_rand( 1, 4 ) ) as $k => $part ) {
		$text = esc_html( implode( ' ', $part ) );
		$html .= 0 === mt_rand( 0, 8 ) ? "<blockquote><p>$text</p></blockquote>\n" : "<p>$text</p>\n";
		// Long posts: some have a "more" mark, a few are split in two pages.
		if ( 1 === $k && $p['words'] > 200 ) {
			$r     = mt_rand( 0, 9 );
			$html .= $r < 3 ? "<!--more-->\n" : ( $r < 5 ? "<!--nextpage-->\n" : '' );
		}
	}
	return $html . '<p><cite>' . $p['name'] . ' ' . $p['from'] . ' to ' . $p['to'] . '</cite></p>';
}

// {x} in the lexicon is a reference: a link if x has been posted already.
function body_of_entry( $e, $by_head ) {
	$html = '';
	foreach ( $e['paragraphs'] as list( $text, $verse ) ) {
		$text = preg_replace_callback( '/\{\s*([^{}]+?)\s*\}/', function ( $m ) use ( $by_head ) {
			$id = $by_head[ strtolower( html_entity_decode( $m[1], ENT_QUOTES ) ) ] ?? 0;
			return $id ? '<a href="' . path_of( $id ) . '">' . $m[1] . '</a>' : $m[1];
		}, esc_html( $text ) );
		$html .= $verse ? '<blockquote><p>' . nl2br( $text ) . "</p></blockquote>\n" : "<p>$text</p>\n";
	}
	return $html;
}

function plain( $p ) {
	return implode( ' ', $p['verses'] );
}

// Galleries (links to the attachment pages) and single pictures (links to the files).
function add_gallery_pictures( $posts, &$spare, &$sayings, $count ) {
	while ( $count > 0 ) {
		$post   = get_post( $posts[ mt_rand( 0, count( $posts ) - 1 ) ] );
		$number = min( $count, 0 === mt_rand( 0, 2 ) ? 1 : mt_rand( 2, 9 ) );
		$first  = 0;
		for ( $i = 0; $i < $number; $i++ ) {
			$p     = array_pop( $spare );
			$open  = 0 === mt_rand( 0, 4 );
			$id    = add_picture( $post->ID, title_of_passage( $p ), 0 === $i % 2 ? title_of_passage( $p ) : '', plain( $p ), $post->post_author, $post->post_date, $open );
			$first = $first ?: $id;
			if ( $open ) {
				thread( $id, mt_rand( 1, 4 ), strtotime( $post->post_date_gmt ), $sayings, array() );
			}
		}
		$count -= $number;
		$html = 1 === $number
			? '<p><a href="' . wp_make_link_relative( wp_get_attachment_url( $first ) ) . '">' . wp_get_attachment_image( $first, 'medium' ) . '</a></p>'
			: '[gallery columns="3"]';
		wp_update_post( wp_slash( array( 'ID' => $post->ID, 'post_content' => $html . "\n" . $post->post_content ) ) );
	}
}

// Posts with a password, a renamed post with links to its old address, drafts and private posts (not to be seen).
function add_odd_posts( $posts, &$spare, $authors, $cats ) {
	for ( $i = 1; $i <= 6; $i++ ) {
		$p = array_pop( $spare );
		$date = gmdate( 'Y-m-d H:i:s', strtotime( '2019-03-04 09:00:00 UTC' ) + $i * 86400 * 190 );
		wp_insert_post( wp_slash( array( 'post_title' => "Members' letter $i", 'post_name' => "members-letter-$i", 'post_content' => body_of_passage( $p ),
			'post_status' => 'publish', 'post_password' => 'letter', 'post_author' => 1, 'post_date' => $date, 'post_category' => array( $cats['notes'] ) ) ) );
		foreach ( array( 'draft', 'private' ) as $status ) {
			$p = array_pop( $spare );
			wp_insert_post( wp_slash( array( 'post_title' => title_of_passage( $p ), 'post_content' => body_of_passage( $p ), 'post_status' => $status,
				'post_author' => $authors[ $i ], 'post_date' => $date ) ) );
		}
	}
	for ( $i = 0; $i < 8; $i++ ) {
		$from = $posts[ mt_rand( 0, (int) ( count( $posts ) / 2 ) ) ];
		$old  = path_of( $from );
		$post = get_post( $from );
		$new  = wp_unique_post_slug( $post->post_name . '-revised', $from, 'publish', 'post', 0 );
		wp_update_post( wp_slash( array( 'ID' => $from, 'post_name' => $new, 'post_content' => $post->post_content ) ) );
		$other = get_post( $posts[ mt_rand( (int) ( count( $posts ) / 2 ) + 1, count( $posts ) - 1 ) ] );
		wp_update_post( wp_slash( array( 'ID' => $other->ID, 'post_content' => $other->post_content . "\n<p>This continues <a href=\"$old\">an older post</a>.</p>" ) ) );
	}
}

// One discussion: comments in time order, a part of them replies to earlier ones.
function thread( $post, $number, $start, &$sayings, $authors ) {
	static $guests = null;
	if ( null === $guests ) {
		$first = explode( ' ', 'Ada Ben Cora Dan Eli Fay Gus Hana Ivo Jill Kai Lea Max Nell Otto Pia Quin Rolf Sue Tim Ute Val Wim Xenia Yan Zoe' );
		for ( $i = 0; $i < 260; $i++ ) {
			$name     = $first[ mt_rand( 0, 25 ) ] . ( mt_rand( 0, 1 ) ? ' ' . chr( mt_rand( 65, 90 ) ) . '.' : mt_rand( 2, 99 ) );
			$guests[] = array( $name, 0 === mt_rand( 0, 3 ) ? 'http://' . sanitize_title( $name ) . '.example.com/' : '' );
		}
	}
	$made = array();
	$time = $start;
	for ( $i = 0; $i < $number && $sayings; $i++ ) {
		$time  += (int) ( 600 + 86400 * 2 * pow( u(), 3 ) );
		$parent = $made && mt_rand( 0, 99 ) < 42 ? $made[ mt_rand( max( 0, count( $made ) - 6 ), count( $made ) - 1 ) ] : array( 0, 0, '' );
		$parent = $parent[1] >= 5 ? array( 0, 0, '' ) : $parent;
		$text   = array_pop( $sayings );
		$full   = $text;
		if ( $parent[0] && 0 === mt_rand( 0, 4 ) ) {
			$full = '<blockquote>' . esc_html( $parent[2] ) . "</blockquote>\n\n" . esc_html( $text );
		} else {
			$full = esc_html( $text );
		}
		list( $name, $url ) = $guests[ (int) floor( 260 * pow( u(), 2 ) ) ];
		$data = array( 'comment_post_ID' => $post, 'comment_parent' => $parent[0], 'comment_content' => $full, 'comment_author' => $name,
			'comment_author_email' => sanitize_title( $name ) . '@example.com', 'comment_author_url' => $url, 'comment_author_IP' => '192.0.2.' . mt_rand( 1, 254 ),
			'comment_date' => gmdate( 'Y-m-d H:i:s', $time ), 'comment_date_gmt' => gmdate( 'Y-m-d H:i:s', $time ),
			'comment_approved' => 0 === mt_rand( 0, 39 ) ? ( mt_rand( 0, 1 ) ? '0' : 'spam' ) : 1 );
		if ( $authors && 0 === mt_rand( 0, 5 ) ) {
			$user = get_userdata( $authors[ mt_rand( 0, count( $authors ) - 1 ) ] );
			$data = array( 'user_id' => $user->ID, 'comment_author' => $user->display_name, 'comment_author_email' => $user->user_email, 'comment_author_url' => $user->user_url ) + $data;
		}
		$id = wp_insert_comment( wp_slash( $data ) );
		if ( 1 === $data['comment_approved'] ) {
			$made[] = array( $id, $parent[1] + 1, $text );
		}
	}
}

// Numbers of comments by a power law; pingbacks between own posts.
function add_comments( $posts, &$sayings, $authors, $scale ) {
	foreach ( mix( $posts ) as $rank => $post ) {
		$number = (int) floor( 100 * pow( $rank / max( $scale, 0.05 ) + 1, -0.7 ) );
		if ( $number > 0 ) {
			thread( $post, $number, strtotime( get_post( $post )->post_date_gmt ), $sayings, $authors );
		}
		if ( 0 === $rank % 20 && $rank > 0 ) {
			$from = get_post( $posts[ mt_rand( 0, count( $posts ) - 1 ) ] );
			wp_insert_comment( wp_slash( array( 'comment_post_ID' => $post, 'comment_type' => 'pingback', 'comment_author' => $from->post_title,
				'comment_author_url' => path_of( $from->ID ), 'comment_content' => '[...] ' . wp_trim_words( $from->post_content, 20 ) . ' [...]',
				'comment_date' => $from->post_date, 'comment_date_gmt' => $from->post_date_gmt, 'comment_approved' => 1 ) ) );
		}
	}
}

function add_pages( $posts, &$spare, $searches ) {
	update_option( 'site_searches', $searches );
	$menu = wp_create_nav_menu( 'Main' );
	$item = function ( $type, $object, $id, $parent = 0 ) use ( $menu ) {
		return wp_update_nav_menu_item( $menu, 0, array( 'menu-item-type' => $type, 'menu-item-object' => $object, 'menu-item-object-id' => $id,
			'menu-item-parent-id' => $parent, 'menu-item-status' => 'publish' ) );
	};
	$add = function ( $title, $content, $parent = 0, $comments = 'closed' ) {
		return wp_insert_post( wp_slash( array( 'post_type' => 'page', 'post_title' => $title, 'post_content' => $content, 'post_status' => 'publish',
			'post_author' => 1, 'post_parent' => $parent, 'post_date' => '2017-01-20 12:00:00', 'comment_status' => $comments ) ) );
	};
	$about = $add( 'About', body_of_passage( array_pop( $spare ) ), 0, 'open' );
	$item( 'post_type', 'page', $about );
	foreach ( array( 'History of this site', 'House rules', 'Contact', 'Thanks' ) as $title ) {
		$add( $title, body_of_passage( array_pop( $spare ) ), $about );
	}
	$parent = $item( 'post_type', 'page', $add( 'Archive', '<!-- wp:archives {"type":"yearly","showPostCounts":true} /--><!-- wp:archives {"showPostCounts":true} /-->'
		. '<!-- wp:tag-cloud {"numberOfTags":45} /--><!-- wp:categories {"showHierarchy":true} /-->' ) );
	foreach ( array( 'All posts' => '[site_posts]', 'Authors' => '[site_authors]', 'Subscribe' => '[site_feeds]', 'Popular searches' => '[site_searches]' ) as $title => $content ) {
		$item( 'post_type', 'page', $add( $title, $content ), $parent );
	}
	foreach ( array( 'scripture', 'lexicon', 'notes' ) as $slug ) {
		$item( 'taxonomy', 'category', get_term_by( 'slug', $slug, 'category' )->term_id );
	}
	// The subpages of "About" are linked from it.
	$post = get_post( $about );
	wp_update_post( wp_slash( array( 'ID' => $about, 'post_content' => $post->post_content . '<!-- wp:page-list /-->' ) ) );
	update_option( 'theme_mods_twentytwentyone', array( 'nav_menu_locations' => array( 'primary' => $menu ) ) );
	$widgets = array( 'search' => array(), 'recent-posts' => array( 'number' => 5 ), 'recent-comments' => array( 'number' => 5 ),
		'calendar' => array(), 'archives' => array( 'count' => 1, 'dropdown' => 0 ), 'categories' => array( 'hierarchical' => 1, 'count' => 1 ), 'meta' => array() );
	foreach ( $widgets as $name => $settings ) {
		update_option( "widget_$name", array( 2 => $settings + array( 'title' => '' ), '_multiwidget' => 1 ) );
	}
	update_option( 'sidebars_widgets', array( 'wp_inactive_widgets' => array(), 'sidebar-1' => array_map( function ( $n ) {
		return "$n-2";
	}, array_keys( $widgets ) ), 'array_version' => 3 ) );
}
