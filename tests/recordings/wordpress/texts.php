<?php
// Reads the installed texts: verses of the King James Bible, entries of two dictionaries, short sayings.

const BOOKS = 'Genesis|Exodus|Leviticus|Numbers|Deuteronomy|Joshua|Judges|Ruth|1 Samuel|2 Samuel|1 Kings|2 Kings|'
	. '1 Chronicles|2 Chronicles|Ezra|Nehemiah|Esther|Job|Psalms|Proverbs|Ecclesiastes|Song of Solomon|Isaiah|Jeremiah|'
	. 'Lamentations|Ezekiel|Daniel|Hosea|Joel|Amos|Obadiah|Jonah|Micah|Nahum|Habakkuk|Zephaniah|Haggai|Zechariah|Malachi|'
	. 'Matthew|Mark|Luke|John|Acts|Romans|1 Corinthians|2 Corinthians|Galatians|Ephesians|Philippians|Colossians|'
	. '1 Thessalonians|2 Thessalonians|1 Timothy|2 Timothy|Titus|Philemon|Hebrews|James|1 Peter|2 Peter|1 John|2 John|'
	. '3 John|Jude|Revelation';

// Uniform number in (0, 1).
function u() {
	return ( mt_rand() + 1 ) / ( mt_getrandmax() + 2 );
}

function normal() {
	return sqrt( -2 * log( u() ) ) * cos( 2 * M_PI * u() );
}

function words( $s ) {
	return count( preg_split( '/\s+/', trim( $s ) ) );
}

function squeeze( $s ) {
	return trim( preg_replace( '/\s+/', ' ', $s ) );
}

// Shuffle with mt_rand(), so that the order depends on the seed only.
function mix( $list ) {
	for ( $i = count( $list ) - 1; $i > 0; $i-- ) {
		$j = mt_rand( 0, $i );
		list( $list[ $i ], $list[ $j ] ) = array( $list[ $j ], $list[ $i ] );
	}
	return $list;
}

// Passages of consecutive verses of one book, 25 to 300 words, in random order. No verse is in two.
function passages() {
	$names  = explode( '|', BOOKS );
	$result = array();
	$book   = -1;
	$last   = '';
	$part   = null;
	$limit  = 0;
	foreach ( explode( "\n", shell_exec( 'bible -f gen1:1-rev22:21' ) ) as $line ) {
		if ( ! preg_match( '/^(\d?[A-Za-z]+)(\d+):(\d+) (.+)$/', $line, $m ) ) {
			continue;
		}
		if ( $m[1] !== $last ) {
			$last = $m[1];
			$book++;
			$part = null;
		}
		if ( null === $part ) {
			$result[] = array( 'book' => $book, 'name' => $names[ $book ], 'from' => "$m[2]:$m[3]", 'verses' => array(), 'words' => 0 );
			$part     = count( $result ) - 1;
			$limit    = max( 25, min( 300, exp( 4.6 + 0.6 * normal() ) ) );
		}
		$result[ $part ]['verses'][] = trim( $m[4] );
		$result[ $part ]['words']   += words( $m[4] );
		$result[ $part ]['to']       = "$m[2]:$m[3]";
		if ( $result[ $part ]['words'] >= $limit ) {
			$part = null;
		}
	}
	return mix( array_values( array_filter( $result, function ( $p ) {
		return $p['words'] >= 15 && $p['words'] <= 400;
	} ) ) );
}

function base64_number( $s ) {
	$n = 0;
	foreach ( str_split( $s ) as $c ) {
		$n = $n * 64 + strpos( 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/', $c );
	}
	return $n;
}

// Entries of a dictd dictionary: headword => text, one headword for each text.
function dictionary( $name ) {
	$data = implode( '', gzfile( "/usr/share/dictd/$name.dict.dz" ) );
	$seen = array();
	$all  = array();
	foreach ( file( "/usr/share/dictd/$name.index", FILE_IGNORE_NEW_LINES ) as $line ) {
		list( $head, $at, $length ) = explode( "\t", $line );
		if ( 0 === strpos( $head, '00' ) || isset( $seen[ $at ] ) ) {
			continue;
		}
		$seen[ $at ]  = true;
		$all[ $head ] = substr( $data, base64_number( $at ), base64_number( $length ) );
	}
	return $all;
}

// An entry as post: title, paragraphs (array of [text, is verse]), words.
function entry( $head, $raw, $source ) {
	$raw = rtrim( $raw );
	if ( 'jargon' === $source ) {
		$raw   = preg_replace( '/^.*\n/', '', $raw );
		$title = $head;
	} else {
		$title = ucfirst( strtolower( $head ) );
	}
	$list  = array();
	$count = 0;
	foreach ( preg_split( '/\n\s*\n/', $raw ) as $p ) {
		$verse = 'devil' === $source && preg_match( '/^ {4}/', $p );
		$text  = $verse ? implode( "\n", array_map( 'trim', explode( "\n", trim( $p, "\n" ) ) ) ) : squeeze( $p );
		if ( '' === $text ) {
			continue;
		}
		$count += words( $text );
		$list[] = array( $text, $verse );
	}
	return array( 'title' => $title, 'paragraphs' => $list, 'words' => $count, 'source' => $source, 'head' => $head );
}

function entries() {
	$all = array();
	foreach ( array( 'jargon', 'devil' ) as $source ) {
		foreach ( dictionary( $source ) as $head => $raw ) {
			$e = entry( (string) $head, $raw, $source );
			if ( $e['words'] >= 25 && $e['words'] <= 320 ) {
				$all[] = $e;
			}
		}
	}
	return mix( $all );
}

// Short sayings of 4 to 90 words for comments; none twice.
function sayings() {
	$files = 'art computers cookie debian definitions disclaimer education food fortunes goedel humorists kids law linux linuxcookie '
		. 'literature medicine miscellaneous news paradoxum people perl pets platitudes politics riddles science songs-poems '
		. 'sports startrek tao wisdom work';
	$all = array();
	foreach ( explode( ' ', $files ) as $file ) {
		foreach ( preg_split( '/^%.*\n/m', file_get_contents( "/usr/share/games/fortunes/$file" ) ) as $s ) {
			$s = squeeze( preg_replace( '/[\x00-\x08\x0b-\x1f]/', '', $s ) );
			$n = words( $s );
			if ( $n >= 4 && $n <= 90 && mb_check_encoding( $s, 'UTF-8' ) ) {
				$all[ strtolower( preg_replace( '/\W+/', '', $s ) ) ] = $s;
			}
		}
	}
	return mix( array_values( $all ) );
}
