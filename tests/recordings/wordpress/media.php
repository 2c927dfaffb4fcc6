<?php
// Draws pictures with PHP's GD functions and adds them to the media library.

// A landscape: sky, sun, three chains of hills. Different for every call.
function draw_picture( $file ) {
	$w   = 600;
	$h   = 400;
	$img = imagecreatetruecolor( $w, $h );
	$hue = array( mt_rand( 60, 200 ), mt_rand( 80, 200 ), mt_rand( 120, 240 ) );
	for ( $y = 0; $y < $h; $y++ ) {
		$k = $y / $h;
		imageline( $img, 0, $y, $w, $y, imagecolorallocate( $img, (int) ( $hue[0] + ( 250 - $hue[0] ) * $k ),
			(int) ( $hue[1] + ( 240 - $hue[1] ) * $k ), (int) ( $hue[2] + ( 220 - $hue[2] ) * $k ) ) );
	}
	$size = mt_rand( 30, 90 );
	imagefilledellipse( $img, mt_rand( 50, 550 ), mt_rand( 40, 160 ), $size, $size, imagecolorallocate( $img, 255, mt_rand( 180, 250 ), 140 ) );
	for ( $layer = 1; $layer <= 3; $layer++ ) {
		$colour = imagecolorallocate( $img, mt_rand( 20, 90 ), (int) ( mt_rand( 90, 150 ) / $layer * 1.3 ), mt_rand( 30, 80 ) );
		$a      = mt_rand( 15, 60 );
		$b      = mt_rand( 60, 200 );
		$phase  = mt_rand( 0, 628 ) / 100;
		for ( $x = 0; $x < $w; $x++ ) {
			$top = 130 + 70 * $layer + $a * sin( $x / $b + $phase ) + $a / 3 * sin( $x / 17 + $phase * 2 );
			imageline( $img, $x, (int) $top, $x, $h, $colour );
		}
	}
	imagejpeg( $img, $file, 70 );
	imagedestroy( $img );
}

// Adds one picture that belongs to a post. Its description is a passage of its own.
function add_picture( $post, $title, $caption, $description, $author, $date, $open ) {
	$dir  = wp_upload_dir( substr( $date, 0, 7 ) );
	$name = wp_unique_filename( $dir['path'], sanitize_title( $title ) . '.jpg' );
	$file = $dir['path'] . '/' . $name;
	draw_picture( $file );
	$id = wp_insert_attachment( array(
		'post_title'     => $title,
		'post_excerpt'   => $caption,
		'post_content'   => $description,
		'post_mime_type' => 'image/jpeg',
		'post_author'    => $author,
		'post_date'      => $date,
		'post_status'    => 'inherit',
		'comment_status' => $open ? 'open' : 'closed',
	), $file, $post );
	wp_update_attachment_metadata( $id, wp_generate_attachment_metadata( $id, $file ) );
	return $id;
}
