//! The `harvestman` command.

fn main() {}
