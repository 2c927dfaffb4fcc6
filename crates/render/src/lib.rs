//! Renders pages in a browser, and learns how to do without it.
