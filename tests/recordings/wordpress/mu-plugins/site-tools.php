<?php
/*
 * Plugin Name: Site tools
 * Description: The line under each post and the lists of feeds, authors and posts, all with WordPress's template tags.
 */

// Under every post: its short address and the feed of its comments.
add_filter( 'the_content', function ( $html ) {
	if ( ! is_single() || is_attachment() || ! in_the_loop() || ! is_main_query() || post_password_required() ) {
		return $html;
	}
	ob_start();
	echo '<p class="post-tools">';
	the_shortlink( 'Short link' );
	echo ' | ';
	post_comments_feed_link( 'RSS feed for comments on this post' );
	echo '</p>';
	return $html . ob_get_clean();
}, 30 );

// [site_feeds]: every feed that a visitor may want.
add_shortcode( 'site_feeds', function () {
	ob_start();
	echo '<ul><li><a href="' . esc_url( get_bloginfo( 'rss2_url' ) ) . '">All posts</a> (<a href="'
		. esc_url( get_bloginfo( 'atom_url' ) ) . '">Atom</a>, <a href="' . esc_url( get_bloginfo( 'rdf_url' ) ) . '">RDF</a>)</li>';
	echo '<li><a href="' . esc_url( get_bloginfo( 'comments_rss2_url' ) ) . '">All comments</a> (<a href="'
		. esc_url( get_bloginfo( 'comments_atom_url' ) ) . '">Atom</a>)</li></ul><h2>Categories</h2><ul>';
	wp_list_categories( array( 'feed' => 'RSS', 'title_li' => '', 'hierarchical' => true ) );
	echo '</ul><h2>Tags</h2><ul>';
	foreach ( get_tags( array( 'orderby' => 'count', 'order' => 'DESC', 'number' => 40 ) ) as $tag ) {
		echo '<li><a href="' . esc_url( get_tag_link( $tag ) ) . '">' . esc_html( $tag->name ) . '</a> (<a href="'
			. esc_url( get_tag_feed_link( $tag->term_id ) ) . '">RSS</a>)</li>';
	}
	echo '</ul>';
	return ob_get_clean();
} );

// [site_authors]: the authors, with the feed of each.
add_shortcode( 'site_authors', function () {
	return '<ul>' . wp_list_authors( array( 'optioncount' => true, 'exclude_admin' => false, 'feed' => 'RSS', 'echo' => false ) ) . '</ul>';
} );

// [site_posts]: every post by date.
add_shortcode( 'site_posts', function () {
	return '<ul>' . wp_get_archives( array( 'type' => 'postbypost', 'echo' => false ) ) . '</ul>';
} );

// [site_searches]: searches that many visitors made.
add_shortcode( 'site_searches', function () {
	$html = '<ul>';
	foreach ( (array) get_option( 'site_searches', array() ) as $word ) {
		$html .= '<li><a href="' . esc_url( home_url( '/?s=' . rawurlencode( $word ) ) ) . '">' . esc_html( $word ) . '</a></li>';
	}
	return $html . '</ul>';
} );
