use super::*;

#[test]
fn t() {}
