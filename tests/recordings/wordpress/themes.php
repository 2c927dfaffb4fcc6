<?php
// Themes of the blog (groups of related tags), and who writes about what: a post gets its tags from its text, and an author
// writes about 70 % of the time about one to three themes, and about anything else otherwise. Nothing here calls mt_rand().

// Theme => tags; a tag belongs to a text with the words of its pattern.
const THEMES = array(
	'war'      => array( 'battle' => 'battles?|fights?|fought', 'sword' => 'swords?', 'armies' => 'army|armies|captains?', 'enemies' => 'enemy|enemies',
		'chariots' => 'chariots?|horsemen', 'spoil' => 'spoil(ed)?', 'captivity' => 'captives?|captivity' ),
	'worship'  => array( 'altar' => 'altars?', 'priests' => 'priests?|levites?', 'offerings' => 'offerings?|sacrifices?', 'tabernacle' => 'tabernacle|sanctuary',
		'temple' => 'temple', 'incense' => 'incense', 'congregation' => 'congregation', 'idols' => 'idols?|images?|baal' ),
	'crown'    => array( 'kings' => 'kings', 'throne' => 'thrones?|crown', 'reign' => 'reign(ed)?', 'princes' => 'princes?|rulers?|officers', 'kingdom' => 'kingdoms?' ),
	'kin'      => array( 'sons' => 'sons', 'daughters' => 'daughters?|sisters?', 'wives' => 'wife|wives|husbands?', 'brothers' => 'brothers?|brethren', 'mothers' => 'mothers?',
		'firstborn' => 'firstborn', 'generations' => 'generations|begat|tribes?' ),
	'land'     => array( 'flocks' => 'sheep|flocks?|lambs?|goats|rams', 'cattle' => 'cattle|oxen|bullocks?', 'harvest' => 'harvest|corn|wheat|grass', 'vineyard' => 'vineyards?|wine|vine',
		'trees' => 'trees?|fruits?', 'rivers' => 'rivers?|waters', 'wilderness' => 'wilderness|desert', 'mountains' => 'mountains?|hills?' ),
	'faith'    => array( 'prayer' => 'pray(er|ed)?', 'mercy' => 'mercy|mercies|merciful', 'grace' => 'grace', 'gospel' => 'gospel|jesus|christ', 'disciples' => 'disciples|apostles?',
		'salvation' => 'salvation|saved?', 'spirit' => 'spirits?|ghost', 'angels' => 'angels?' ),
	'conduct'  => array( 'wisdom' => 'wisdom|wise', 'folly' => 'fools?|folly|foolish', 'wicked' => 'wicked(ness)?|iniquity', 'riches' => 'rich|riches|gold|silver', 'statutes' => 'statutes|commandments?',
		'judgment' => 'judgments?|judges?', 'witness' => 'witness(es)?|testimony' ),
	'programs' => array( 'software' => 'software', 'program' => 'programs?|programmers?|programming', 'compiler' => 'compilers?|interpreter', 'bugs' => 'bugs?|errors?|crash(es)?', 'unix' => 'unix|linux',
		'languages' => 'lisp|cobol|fortran|pascal|languages?', 'source' => 'code|coding|algorithms?' ),
	'machines' => array( 'hardware' => 'hardware|chips?', 'memory' => 'memory|bits?|bytes?', 'disks' => 'disks?|floppy|tapes?', 'terminals' => 'terminals?|screens?', 'keyboards' => 'keyboards?|keys?',
		'computers' => 'computers?|machines?|ibm|pdp', 'files' => 'files?|data' ),
	'net'      => array( 'usenet' => 'usenet|newsgroups?', 'email' => 'e-?mail|mail', 'internet' => 'internet|network|networks|arpanet', 'spam' => 'spam|spammers?', 'flames' => 'flames?|flamage|trolls?', 'posting' => 'postings?|posters?' ),
	'hackers'  => array( 'hacking' => 'hack|hacks|hacking', 'hackish' => 'hackers?|hackish', 'slang' => 'slang|jargon|techspeak', 'mit' => 'mit|stanford|berkeley', 'humor' => 'humor|humorous|jokes?', 'crackers' => 'crackers?|security' ),
	'society'  => array( 'politics' => 'politics|political|politicians?|government', 'opinion' => 'opinions?|public', 'marriage' => 'marriage|married|lady|ladies', 'philosophy' => 'philosophers?|philosophy|mind',
		'literature' => 'poets?|poetry|verse|literature|authors?', 'death' => 'dead|death|grave', 'commerce' => 'money|business|trade' ),
);
// Factor by which a shared interest raises the chance that an author writes.
const INTEREST = 8;

// The tags of a text, those with the most words first, and only of its two strongest themes: [tags, themes of these tags].
function tags_of_text( $plain ) {
	$uses     = array();
	$of_theme = array();
	foreach ( THEMES as $theme => $patterns ) {
		foreach ( $patterns as $tag => $pattern ) {
			$n = preg_match_all( "/\b(?:$pattern)\b/i", $plain );
			if ( $n ) {
				$uses[ $tag ]       = array( -$n, count( $uses ), $theme );
				$of_theme[ $theme ] = ( $of_theme[ $theme ] ?? 0 ) + $n;
			}
		}
	}
	// Sorting is stable: of equal themes, the first one is stronger.
	arsort( $of_theme );
	$strong = array_slice( array_keys( $of_theme ), 0, 2 );
	asort( $uses );
	$uses = array_slice( array_filter( $uses, function ( $use ) use ( $strong ) {
		return in_array( $use[2], $strong, true );
	} ), 0, 3 );
	return array( array_keys( $uses ), array_values( array_unique( array_column( $uses, 2 ) ) ) );
}

// One to three themes for each of $count authors: dealt from decks that have each theme once.
function interests( $count, $seed ) {
	$deck   = array();
	$result = array();
	for ( $i = 0; $i < $count; $i++ ) {
		$wanted = array( 1, 2, 2, 3 )[ crc32( "number $seed $i" ) % 4 ];
		$have   = array();
		while ( count( $have ) < $wanted ) {
			if ( ! $deck ) {
				$deck = array_keys( THEMES );
				usort( $deck, function ( $a, $b ) use ( $seed, $i ) {
					return md5( "deck $seed $i $a" ) <=> md5( "deck $seed $i $b" );
				} );
			}
			$theme          = array_pop( $deck );
			$have[ $theme ] = $theme;
		}
		$result[] = array_values( $have );
	}
	return $result;
}

// The author of a post for a uniform number $u: the first authors write more, and those with an interest in its themes.
function author_for( $interests, $themes, $u ) {
	$count   = count( $interests );
	$weights = array();
	foreach ( $interests as $i => $have ) {
		$weights[] = ( pow( ( $i + 1 ) / $count, 1 / 2.2 ) - pow( $i / $count, 1 / 2.2 ) ) * ( array_intersect( $have, $themes ) ? INTEREST : 1 );
	}
	$rest = $u * array_sum( $weights );
	foreach ( $weights as $i => $weight ) {
		$rest -= $weight;
		if ( $rest < 0 ) {
			return $i;
		}
	}
	return $count - 1;
}
