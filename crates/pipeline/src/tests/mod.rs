//! Whole crawls under one seed.

mod simulation;
