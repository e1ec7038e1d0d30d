//! Faults with their place in the file.

use rb_solve::InputError;
use rb_world::core::Error;

/// The fault of an object: at one of its `fields` if the error names one, else at the object.
pub(super) fn fault(path: &str, fields: &[&str], error: &Error) -> InputError {
    let place = match argument(error) {
        Some(name) if fields.contains(&first(name)) => format!("{path}.{name}"),
        _ => path.to_owned(),
    };
    InputError::new(place, error.to_string())
}

/// Refuses more than `most` of something.
pub(super) fn check_count(path: &str, found: usize, most: usize) -> Result<(), InputError> {
    if found <= most {
        return Ok(());
    }
    let reason = format!("{found} entries are more than {most}");
    Err(InputError::new(path, reason))
}

fn first(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

/// The argument an error is about.
fn argument(error: &Error) -> Option<&'static str> {
    match error {
        Error::NotFinite { argument, .. }
        | Error::OutOfRange { argument, .. }
        | Error::Degenerate { argument, .. }
        | Error::BadGeometry { argument, .. }
        | Error::Contradiction { argument, .. } => Some(argument),
        _ => None,
    }
}
