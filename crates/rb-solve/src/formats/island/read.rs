//! From an `island` file to a problem: everything is checked, so that no solver has to.

use super::{BlockPart, BodyPart, IslandFile, LawPart, RowPart};
use crate::input::{InputError, check_finite, check_len};
use glam::{DMat3, DVec3};
use rb_core::law::Law;
use rb_core::mass::InvMass;
use rb_core::math::Twist;
use rb_core::problem::{Extra, Problem, ProblemBody, ProblemRow, Source};

/// Most bodies and rows of a file, each.
const MOST: usize = 100_000;

fn twist(x: &[f64; 6]) -> Twist {
    Twist::new(DVec3::from_slice(&x[..3]), DVec3::from_slice(&x[3..]))
}

impl IslandFile {
    /// The problem, the same in both passes.
    ///
    /// # Errors
    /// Numbers that are not finite, bodies or rows that are not there, lists of wrong lengths, bounds
    /// out of order, W that is not symmetric positive semidefinite; with the path of the fault.
    pub fn problem(&self) -> Result<Problem, InputError> {
        let rows: usize = self.blocks.iter().map(|b| b.rows.len()).sum();
        for (path, found) in [("bodies", self.bodies.len()), ("blocks", rows)] {
            if found > MOST {
                let reason = format!("{found} are more than {MOST}");
                return Err(InputError::new(path, reason));
            }
        }
        let mut p = Problem::default();
        for (i, body) in self.bodies.iter().enumerate() {
            p.bodies.push(body.body(&format!("bodies[{i}]"))?);
        }
        for (i, block) in self.blocks.iter().enumerate() {
            block.push(&mut p, i, &format!("blocks[{i}]"))?;
        }
        p.rebuild_velocities();
        Ok(p)
    }
}

impl BodyPart {
    fn body(&self, path: &str) -> Result<ProblemBody, InputError> {
        check_finite(&format!("{path}.free"), &self.free)?;
        check_finite(&format!("{path}.extent"), &[self.extent])?;
        let lin = self.inv_mass;
        check_finite(&format!("{path}.inv_mass"), &lin.to_array())?;
        if lin.min_element() < 0.0 {
            let at = format!("{path}.inv_mass");
            return Err(InputError::new(at, "must not be negative"));
        }
        let at = format!("{path}.inv_inertia");
        check_finite(&at, self.inv_inertia.as_flattened())?;
        let ang = DMat3::from_cols_array_2d(&self.inv_inertia).transpose();
        let size = ang
            .to_cols_array()
            .iter()
            .fold(0.0f64, |m, x| m.max(x.abs()));
        let skew = (ang - ang.transpose()).to_cols_array();
        let minors = [0, 1, 2].map(|k| {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            ang.col(i)[i] * ang.col(j)[j] - ang.col(j)[i] * ang.col(i)[j]
        });
        let sound = skew.iter().all(|x| x.abs() <= 1e-9 * size)
            && (0..3).all(|k| ang.col(k)[k] >= 0.0)
            && minors.iter().all(|m| *m >= -1e-9 * size * size)
            && ang.determinant() >= -1e-9 * size * size * size;
        if !sound {
            return Err(InputError::new(
                at,
                "must be symmetric positive semidefinite",
            ));
        }
        let free = twist(&self.free);
        Ok(ProblemBody {
            free,
            vel: free,
            inv: InvMass { lin, ang },
            extent: self.extent,
        })
    }
}

impl BlockPart {
    /// Appends the block to a problem that has the bodies and all blocks before.
    fn push(&self, p: &mut Problem, number: usize, path: &str) -> Result<(), InputError> {
        self.check(p, path)?;
        let rows = self.rows.iter().enumerate();
        let rows: Vec<ProblemRow> = rows
            .map(|(k, r)| r.row(self.bodies.len(), &format!("{path}.rows[{k}]")))
            .collect::<Result<_, _>>()?;
        let law = Law::from(self.law);
        let pair = [self.bodies[0], self.bodies[1]];
        let source = Source::Constraint(number as u32);
        let narrow = self.bodies.len() == 2 && self.coupled.is_empty();
        let before = p.rows.len();
        if narrow && !matches!(law, Law::Spin { .. }) {
            p.push_block(pair, law, source, &rows);
        } else {
            p.push_wide_block(pair, source, &rows, self.extra());
            if let Some(block) = p.blocks.last_mut() {
                block.law = law;
            }
        }
        // Row numbers of `normals` are those of the file, so no row may be left out.
        if p.rows.len() < before + rows.len() {
            return Err(InputError::new(path, "a row that moves no body"));
        }
        Ok(())
    }

    fn extra(&self) -> Extra {
        let beyond = self.rows.iter().flat_map(|r| r.jac[2..].iter());
        Extra {
            bodies: self.bodies[2..].to_vec(),
            jac: beyond.map(twist).collect(),
            cross: self.coupled.concat(),
            normals: self.normals.clone(),
            ..Extra::default()
        }
    }

    fn check(&self, p: &Problem, path: &str) -> Result<(), InputError> {
        let wrong =
            |field: &str, reason: &str| Err(InputError::new(format!("{path}.{field}"), reason));
        let (bodies, n) = (p.bodies.len(), self.rows.len());
        if self.bodies.len() < 2 || self.bodies.iter().any(|b| *b as usize >= bodies) {
            return wrong("bodies", "must name at least two of the file's bodies");
        }
        let twice = |(i, b)| self.bodies[..i].contains(b);
        if self.bodies.len() > 1024 || self.bodies.iter().enumerate().any(twice) {
            return wrong("bodies", "must name at most 1024 bodies, each once");
        }
        let wide = self.bodies.len() > 2 || !self.coupled.is_empty();
        let size = match self.law {
            LawPart::Rows => (1..=255).contains(&n),
            LawPart::Spin { .. } => n == 3 && !wide,
            _ => n == 3 && !wide && self.normals.is_empty(),
        };
        if !size {
            let reason = "1 to 255 rows; friction has three rows over two bodies";
            return wrong("rows", reason);
        }
        let coefficients = match self.law {
            LawPart::Rows => [0.0; 2],
            LawPart::Boxed { mu } | LawPart::Pyramid { mu } | LawPart::Cone { mu } => [mu; 2],
            LawPart::Spin { torsion, rolling } => [torsion, rolling],
        };
        if !coefficients.iter().all(|c| c.is_finite() && *c >= 0.0) {
            return wrong("law", "coefficients must be finite and not negative");
        }
        if self.normals.iter().any(|r| *r as usize >= p.rows.len()) {
            return wrong("normals", "must name rows of the blocks before");
        }
        if !self.coupled.is_empty() {
            check_len(&format!("{path}.coupled"), self.coupled.len(), n)?;
        }
        for (k, row) in self.coupled.iter().enumerate() {
            let at = format!("{path}.coupled[{k}]");
            check_len(&at, row.len(), n)?;
            check_finite(&at, row)?;
        }
        Ok(())
    }
}

impl RowPart {
    fn row(&self, bodies: usize, path: &str) -> Result<ProblemRow, InputError> {
        check_len(&format!("{path}.jac"), self.jac.len(), bodies)?;
        for (k, j) in self.jac.iter().enumerate() {
            check_finite(&format!("{path}.jac[{k}]"), j)?;
        }
        for (name, x) in [
            ("bias", self.bias),
            ("reg", self.reg),
            ("lambda", self.lambda),
        ] {
            check_finite(&format!("{path}.{name}"), &[x])?;
        }
        let (lo, hi) = (self.lo.0, self.hi.0);
        if !(lo <= hi && lo < f64::INFINITY && hi > f64::NEG_INFINITY) {
            let reason = format!("bounds {lo} and {hi} leave no number");
            return Err(InputError::new(format!("{path}.lo"), reason));
        }
        let mut row = ProblemRow {
            jac: [twist(&self.jac[0]), twist(&self.jac[1])],
            lo,
            hi,
            lambda: self.lambda,
            ..ProblemRow::default()
        };
        row.both(self.bias, self.reg);
        Ok(row)
    }
}
