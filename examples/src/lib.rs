//! Command line, progress bar, recording and summary shared by the examples.
//!
//! Every example understands `--steps N`, `--threads N` and `--out run.html`; the latter records
//! the run into one page that plays in any browser.

mod run;
mod summary;

pub use run::{Args, DT, Run};
pub use summary::Summary;
