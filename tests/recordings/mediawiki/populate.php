<?php
// Carries out the plan (one JSON object a line) with MediaWiki's own classes, at the times that the plan says.
use MediaWiki\MediaWikiServices;
use MediaWiki\Revision\SlotRecord;
use Wikimedia\IPUtils;
use Wikimedia\Timestamp\ConvertibleTimestamp;

require_once '/usr/share/mediawiki/maintenance/Maintenance.php';

class PopulateWiki extends Maintenance {
	public function __construct() {
		parent::__construct();
		$this->addOption( 'plan', 'File with the plan', true, true );
	}

	/** The installer's own revision and account get a date before all others. */
	private function moveFirstPageBack() {
		$db = $this->getDB( DB_PRIMARY );
		$ts = $db->timestamp( '20190301000000' );
		$db->update( 'revision', [ 'rev_timestamp' => $ts ], '*', __METHOD__ );
		$db->update( 'recentchanges', [ 'rc_timestamp' => $ts ], '*', __METHOD__ );
		$db->update( 'logging', [ 'log_timestamp' => $ts ], '*', __METHOD__ );
		$db->update( 'user', [ 'user_registration' => $ts ], '*', __METHOD__ );
	}

	private function user( string $name ): User {
		// Anonymous editors are named by their address.
		return IPUtils::isIPAddress( $name ) ? User::newFromName( $name, false ) : User::newFromName( $name );
	}

	public function execute() {
		$this->moveFirstPageBack();
		$n = 0;
		foreach ( new SplFileObject( $this->getOption( 'plan' ) ) as $line ) {
			$op = json_decode( $line, true );
			if ( !$op ) {
				continue;
			}
			ConvertibleTimestamp::setFakeTime( $op['ts'] );
			$user = $this->user( $op['user'] );
			StubGlobalUser::setUser( $user );
			RequestContext::getMain()->setUser( $user );
			$status = $this->{ 'do' . ucfirst( $op['op'] ) }( $op, $user );
			if ( $status instanceof StatusValue && !$status->isOK() ) {
				$this->error( json_encode( [ $op['op'], $op['title'] ?? '' ] ) . ' ' . $status );
			}
			if ( ++$n % 250 === 0 ) {
				DeferredUpdates::doUpdates();
				$this->output( "$n steps\n" );
			}
		}
		DeferredUpdates::doUpdates();
		$this->output( "$n steps done\n" );
	}

	private function doUser( array $op, User $user ) {
		$user->addToDatabase();
		$user->setRealName( $op['real'] ?? '' );
		$user->saveSettings();
		$log = new ManualLogEntry( 'newusers', 'create' );
		$log->setPerformer( $user );
		$log->setTarget( $user->getUserPage() );
		$log->setParameters( [ '4::userid' => $user->getId() ] );
		$log->publish( $log->insert() );
		foreach ( $op['groups'] ?? [] as $group ) {
			MediaWikiServices::getInstance()->getUserGroupManager()->addUserToGroup( $user, $group );
		}
		SiteStatsUpdate::factory( [ 'users' => 1 ] )->doUpdate();
	}

	private function doEdit( array $op, User $user ) {
		$title = Title::newFromText( $op['title'] );
		$page = MediaWikiServices::getInstance()->getWikiPageFactory()->newFromTitle( $title );
		$text = $op['text'];
		if ( $op['append'] ?? false ) {
			$old = $page->getContent();
			$text = ( $old ? $old->getText() . "\n\n" : '' ) . $text;
		}
		$updater = $page->newPageUpdater( $user );
		$updater->setContent( SlotRecord::MAIN, ContentHandler::makeContent( $text, $title ) );
		$updater->saveRevision(
			CommentStoreComment::newUnsavedComment( $op['summary'] ?? '' ),
			EDIT_AUTOSUMMARY | ( ( $op['minor'] ?? false ) ? EDIT_MINOR : 0 )
		);
		return $updater->getStatus();
	}

	private function doUpload( array $op, User $user ) {
		$services = MediaWikiServices::getInstance();
		$file = $services->getRepoGroup()->getLocalRepo()->newFile( Title::newFromText( $op['title'] ) );
		// A copy, because upload() may move its source.
		$copy = wfTempDir() . '/' . md5( $op['file'] ) . '.png';
		copy( $op['file'], $copy );
		$status = $file->upload( $copy, $op['summary'], $op['text'], 0, false, ConvertibleTimestamp::now(), $user );
		@unlink( $copy );
		return $status;
	}

	private function doMove( array $op, User $user ) {
		$move = MediaWikiServices::getInstance()->getMovePageFactory()
			->newMovePage( Title::newFromText( $op['title'] ), Title::newFromText( $op['to'] ) );
		return $move->move( $user, $op['summary'], true );
	}

	private function doDelete( array $op, User $user ) {
		$services = MediaWikiServices::getInstance();
		$page = $services->getWikiPageFactory()->newFromTitle( Title::newFromText( $op['title'] ) );
		return $services->getDeletePageFactory()->newDeletePage( $page, $user )->forceImmediate( true )
			->deleteUnsafe( $op['summary'] );
	}

	private function doProtect( array $op, User $user ) {
		$page = MediaWikiServices::getInstance()->getWikiPageFactory()->newFromTitle( Title::newFromText( $op['title'] ) );
		$cascade = false;
		return $page->doUpdateRestrictions( [ 'edit' => $op['level'], 'move' => $op['level'] ], [], $cascade,
			$op['summary'], $user );
	}

	private function doBlock( array $op, User $user ) {
		return MediaWikiServices::getInstance()->getBlockUserFactory()
			->newBlockUser( $op['target'], $user, $op['expiry'], $op['summary'] )->placeBlockUnsafe();
	}
}

$maintClass = PopulateWiki::class;
require_once RUN_MAINTENANCE_IF_MAIN;
