//! Whole crawls: under one seed, and with sub-requests.

mod simulation;
mod subrequests;
