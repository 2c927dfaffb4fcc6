//! What a crawl says about itself: while it runs ([`CrawlStatus`]) and when it has ended ([`Report`]).
