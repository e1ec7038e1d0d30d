//! Command line, progress bar and summary shared by the examples.
