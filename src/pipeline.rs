//! Wires all stages.
