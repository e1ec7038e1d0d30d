//! JSON files of problems, as used by the collection in `assets/problems` and the command line.
//!
//! | `type` | fields | meaning |
//! |---|---|---|
//! | `lcp` | `n`, `M`, `q` | w = M z + q, 0 ≤ w ⊥ z ≥ 0 |
//! | `boxed_lcp` | and `lo`, `hi` | numbers or `"inf"`, `"-inf"` |
//!
//! | `fc3d_local`, `fc2d_local` | `dim`, `nc`, `mu`, `q`, `W` | u = W r + q, (n, t₁[, t₂]) per contact |
//! | `fc3d_global` | `dim`, `nc`, `mu`, `M`, `H`, `f`, `w` | M v = H r + f, u = Hᵀ v + w |
//! | `island` | `bodies`, `blocks` | joints, limits and friction together, see [`island`] |
//!
//! Matrices M of `lcp` are lists of rows; those of friction problems are sparse,
//! `{"rows", "cols", "i", "j", "v"}`, and entries at one place add up. Unknown fields are ignored. A fault is reported with its
//! path in the file. [`dump`] writes the problem of an island in whichever of them says it all.

pub mod dump;
pub mod island;

use crate::conic::{FrictionProblem, GlobalFrictionProblem};
use crate::input::InputError;
use crate::lcp::BoxedLcp;
use crate::linalg::matrix::Matrix;
use rb_core::problem::Problem;
use serde::de::{self, DeserializeOwned, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// A problem as read from a file.
#[derive(Clone, Debug)]
pub enum Model {
    /// `lcp` and `boxed_lcp`.
    Boxed(BoxedLcp),
    /// `fc3d_local`, and `fc2d_local` with a second tangent added.
    Friction {
        /// The contacts.
        problem: FrictionProblem,
        /// 2 or 3: components per contact in the file.
        dim: usize,
    },
    /// `fc3d_global`.
    GlobalFriction(GlobalFrictionProblem),
    /// `island`.
    Island(Problem),
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

#[derive(Deserialize)]
#[expect(non_snake_case, reason = "names of the format")]
struct FrictionFile {
    dim: usize,
    nc: usize,
    mu: Vec<f64>,
    q: Vec<f64>,
    W: Sparse,
}

#[derive(Deserialize)]
#[expect(non_snake_case, reason = "names of the format")]
struct GlobalFrictionFile {
    dim: usize,
    nc: usize,
    mu: Vec<f64>,
    M: Sparse,
    H: Sparse,
    f: Vec<f64>,
    w: Vec<f64>,
}

/// A matrix by its non-zero entries.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
struct Sparse {
    rows: usize,
    cols: usize,
    i: Vec<usize>,
    j: Vec<usize>,
    v: Vec<f64>,
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
        "fc3d_local" => friction(read(text)?, 3)?,
        "fc2d_local" => friction(read(text)?, 2)?,
        "fc3d_global" => global(read(text)?)?,
        "island" => Model::Island(read::<island::IslandFile>(text)?.problem()?),
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

/// Reads any value from the text of a JSON file.
///
/// # Errors
/// Text that is not JSON, or not of that type, with the path of the fault; `.` is the whole text.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T, InputError> {
    let mut json = serde_json::Deserializer::from_str(text);
    let value = read_from(&mut json)?;
    json.end()
        .map_err(|e| InputError::new(".", e.to_string()))?;
    Ok(value)
}

/// Reads any value from a deserialiser.
///
/// # Errors
/// As [`read`].
pub fn read_from<'de, T: Deserialize<'de>>(
    from: impl Deserializer<'de, Error: fmt::Display>,
) -> Result<T, InputError> {
    serde_path_to_error::deserialize(from).map_err(|e| {
        let path = e.path().to_string();
        // Text that ends early has no path; its reason names line and column.
        let path = if path == "?" { ".".to_owned() } else { path };
        InputError::new(path, e.inner().to_string())
    })
}

/// Most unknowns of a dense problem: memory grows with their square, time with their cube.
const MOST_UNKNOWNS: usize = 4_000;

/// Refuses a dense problem that is too large before anything is allocated for it.
fn check_size(path: &str, unknowns: usize) -> Result<(), InputError> {
    if unknowns <= MOST_UNKNOWNS {
        return Ok(());
    }
    let reason = format!("{unknowns} unknowns are more than {MOST_UNKNOWNS}");
    Err(InputError::new(path, reason))
}

fn boxed(file: LcpFile, bounds: bool) -> Result<BoxedLcp, InputError> {
    let n = file.n;
    check_size("n", n)?;
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

fn friction(file: FrictionFile, dim: usize) -> Result<Model, InputError> {
    check_contacts(file.dim, dim, &file.mu, file.nc)?;
    let n = dim * file.nc;
    check_size("nc", n)?;
    let w = file.W.dense("W", [n, n])?;
    let problem = if dim == 2 {
        FrictionProblem::planar(&w, &file.q, file.mu)?
    } else {
        FrictionProblem::new(w, file.q, file.mu)?
    };
    Ok(Model::Friction { problem, dim })
}

fn global(file: GlobalFrictionFile) -> Result<Model, InputError> {
    check_contacts(file.dim, 3, &file.mu, file.nc)?;
    let (dof, n) = (file.f.len(), 3 * file.nc);
    check_size("nc", n)?;
    check_size("f", dof)?;
    crate::input::check_len("w", file.w.len(), n)?;
    Ok(Model::GlobalFriction(GlobalFrictionProblem {
        m: file.M.dense("M", [dof, dof])?,
        h: file.H.dense("H", [dof, n])?,
        f: file.f,
        w: file.w,
        mu: file.mu,
    }))
}

fn check_contacts(dim: usize, expected: usize, mu: &[f64], nc: usize) -> Result<(), InputError> {
    if dim != expected {
        let reason = format!("is {dim} where the type says {expected}");
        return Err(InputError::new("dim", reason));
    }
    crate::input::check_len("mu", mu.len(), nc)
}

impl Sparse {
    /// The entries of a matrix that are not zero.
    fn of(m: &Matrix) -> Self {
        let mut out = Self {
            rows: m.rows(),
            cols: m.cols(),
            ..Self::default()
        };
        for i in 0..m.rows() {
            for (j, &v) in m.row(i).iter().enumerate().filter(|(_, v)| **v != 0.0) {
                out.i.push(i);
                out.j.push(j);
                out.v.push(v);
            }
        }
        out
    }

    fn dense(&self, path: &str, shape: [usize; 2]) -> Result<Matrix, InputError> {
        for (name, found, expected) in
            [("rows", self.rows, shape[0]), ("cols", self.cols, shape[1])]
        {
            if found != expected {
                let reason = format!("is {found} where {expected} belong");
                return Err(InputError::new(format!("{path}.{name}"), reason));
            }
        }
        crate::input::check_len(&format!("{path}.i"), self.i.len(), self.v.len())?;
        crate::input::check_len(&format!("{path}.j"), self.j.len(), self.v.len())?;
        for (name, list, end) in [("i", &self.i, self.rows), ("j", &self.j, self.cols)] {
            if let Some(k) = list.iter().position(|&index| index >= end) {
                let reason = format!("is {} where less than {end} belongs", list[k]);
                return Err(InputError::new(format!("{path}.{name}[{k}]"), reason));
            }
        }
        let mut m = Matrix::zeros(self.rows, self.cols);
        for (k, v) in self.v.iter().enumerate() {
            m[(self.i[k], self.j[k])] += v;
        }
        Ok(m)
    }
}

/// A number, `"inf"` or `"-inf"`.
#[derive(Clone, Copy, Debug)]
struct Bound(f64);

impl Serialize for Bound {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            f64::INFINITY => s.serialize_str("inf"),
            f64::NEG_INFINITY => s.serialize_str("-inf"),
            number => s.serialize_f64(number),
        }
    }
}

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
