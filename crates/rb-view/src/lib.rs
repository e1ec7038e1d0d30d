//! Record a run into one self-contained HTML page
