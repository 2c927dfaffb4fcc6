//! What workers do with a page: decode, parse, judge, filter its links, record, deliver.

pub(crate) mod consent;
pub(crate) mod cookie_walls;
pub(crate) mod feeds;
pub(crate) mod job;
pub(crate) mod lease_end;
pub(crate) mod link_filter;
pub(crate) mod link_judge;
pub(crate) mod link_times;
pub(crate) mod metered;
pub(crate) mod page_processor;
pub(crate) mod page_record;
pub(crate) mod reach;
pub(crate) mod rules;
pub(crate) mod seen;
pub(crate) mod substitutes;
pub(crate) mod suspects;
pub(crate) mod validator;
pub(crate) mod visits;
pub(crate) mod worker;
pub(crate) mod worker_context;
