//! JSON files of problems, as used by the collection in `assets/problems` and the command line.
//!
//! | `type` | fields | meaning |
//! |---|---|---|
//! | `lcp` | `n`, `M`, `q` | w = M z + q, 0 ≤ w ⊥ z ≥ 0 |
//! | `boxed_lcp` | and `lo`, `hi` | numbers or `"inf"`, `"-inf"` |
//!
//! Matrices M of `lcp` are lists of rows. Unknown fields are ignored. A fault is reported with its
//! path in the file.

use crate::input::InputError;
use crate::lcp::BoxedLcp;
use crate::linalg::matrix::Matrix;
use serde::de::{self, DeserializeOwned, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;

/// A problem as read from a file.
#[derive(Clone, Debug)]
pub enum Model {
    /// `lcp` and `boxed_lcp`.
    Boxed(BoxedLcp),
}

/// A model and the name the file gives it.
#[derive(Clone, Debug)]
pub struct Named {
    /// `name`, or empty.
    pub name: String,
    /// The problem.
    pub model: Model,
}

#[derive(Deserialize)]
struct Header {
    r#type: String,
    #[serde(default)]
    name: String,
}

#[derive(Deserialize)]
#[expect(non_snake_case, reason = "names of the format")]
struct LcpFile {
    n: usize,
    M: Vec<Vec<f64>>,
    q: Vec<f64>,
    lo: Option<Vec<Bound>>,
    hi: Option<Vec<Bound>>,
}

/// Reads a problem from the text of a file.
///
/// # Errors
/// Text that is not JSON, a missing or ill-typed field, wrong shapes, bounds out of order; with the
/// path of the fault.
pub fn parse(text: &str) -> Result<Named, InputError> {
    let header: Header = read(text)?;
    let model = match header.r#type.as_str() {
        "lcp" | "boxed_lcp" => Model::Boxed(boxed(read(text)?, header.r#type == "boxed_lcp")?),
        other => {
            let reason = format!("unknown problem type {other:?}");
            return Err(InputError::new("type", reason));
        }
    };
    Ok(Named {
        name: header.name,
        model,
    })
}

fn read<T: DeserializeOwned>(text: &str) -> Result<T, InputError> {
    let mut json = serde_json::Deserializer::from_str(text);
    let value = serde_path_to_error::deserialize(&mut json)
        .map_err(|e| InputError::new(e.path().to_string(), e.inner().to_string()))?;
    json.end()
        .map_err(|e| InputError::new(".", e.to_string()))?;
    Ok(value)
}

fn boxed(file: LcpFile, bounds: bool) -> Result<BoxedLcp, InputError> {
    let n = file.n;
    crate::input::check_len("M", file.M.len(), n)?;
    crate::input::check_len("q", file.q.len(), n)?;
    for (i, row) in file.M.iter().enumerate() {
        crate::input::check_len(&format!("M[{i}]"), row.len(), n)?;
    }
    let m = Matrix::from_fn(n, n, |i, j| file.M[i][j]);
    if !bounds {
        return BoxedLcp::nonnegative(m, file.q);
    }
    let side = |name: &str, list: Option<Vec<Bound>>| {
        let list = list.ok_or_else(|| InputError::new(name, "missing field"))?;
        Ok(list.into_iter().map(|b| b.0).collect())
    };
    BoxedLcp::new(m, file.q, side("lo", file.lo)?, side("hi", file.hi)?)
}

/// A number, `"inf"` or `"-inf"`.
struct Bound(f64);

impl<'de> Deserialize<'de> for Bound {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_any(BoundVisitor)
    }
}

struct BoundVisitor;

impl Visitor<'_> for BoundVisitor {
    type Value = Bound;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a number, \"inf\" or \"-inf\"")
    }

    fn visit_f64<E: de::Error>(self, v: f64) -> Result<Bound, E> {
        Ok(Bound(v))
    }

    fn visit_i64<E: de::Error>(self, v: i64) -> Result<Bound, E> {
        Ok(Bound(v as f64))
    }

    fn visit_u64<E: de::Error>(self, v: u64) -> Result<Bound, E> {
        Ok(Bound(v as f64))
    }

    fn visit_str<E: de::Error>(self, v: &str) -> Result<Bound, E> {
        match v {
            "inf" => Ok(Bound(f64::INFINITY)),
            "-inf" => Ok(Bound(f64::NEG_INFINITY)),
            _ => Err(de::Error::invalid_value(de::Unexpected::Str(v), &self)),
        }
    }
}
