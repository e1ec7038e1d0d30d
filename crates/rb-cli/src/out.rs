//! What goes to standard output.

use std::io::{ErrorKind, Write};

/// Prints a text. Whoever reads may have seen enough (`rb dump … | head`), which is no fault.
pub(crate) fn print(text: &str) {
    let mut out = std::io::stdout().lock();
    let printed = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    if let Err(error) = printed
        && error.kind() != ErrorKind::BrokenPipe
    {
        // Without standard error either, nothing sensible is left to do.
        let _ = writeln!(std::io::stderr(), "rb: standard output: {error}");
    }
}
