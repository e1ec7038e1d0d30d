//! Poses and velocities as a table.

use crate::scene::unwritten;
use rb_scenes::file::InputError;
use rb_world::prelude::*;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

const COLUMNS: &str = "step,t,body,x,y,z,qx,qy,qz,qw,vx,vy,vz,wx,wy,wz";

/// A table with one line per step and body: place (m) and attitude of the body frame, velocity of the
/// centre of mass (m/s), angular velocity (rad/s), world axes. Numbers read back to the same bits.
pub(crate) struct Poses {
    path: PathBuf,
    file: BufWriter<File>,
}

impl Poses {
    pub(crate) fn create(path: &Path) -> Result<Self, InputError> {
        let open = || {
            let mut file = BufWriter::new(File::create(path)?);
            writeln!(file, "{COLUMNS}")?;
            Ok(file)
        };
        let file = open().map_err(|e: io::Error| unwritten(path, e))?;
        Ok(Self {
            path: path.to_owned(),
            file,
        })
    }

    /// Appends the state of all bodies.
    pub(crate) fn add(&mut self, world: &World) -> Result<(), InputError> {
        self.lines(world).map_err(|e| unwritten(&self.path, e))
    }

    pub(crate) fn close(mut self) -> Result<(), InputError> {
        self.file.flush().map_err(|e| unwritten(&self.path, e))
    }

    fn lines(&mut self, world: &World) -> io::Result<()> {
        let (step, t) = (world.step_count(), world.time());
        for (_, body) in world.bodies() {
            let name = quoted(body.name().unwrap_or_default());
            write!(self.file, "{step},{t},{name}")?;
            let pose = body.pose();
            let vectors = [pose.p, body.vel.lin, body.vel.ang].map(|v| v.to_array());
            let [p, v, w] = &vectors;
            for x in p.iter().chain(&pose.q.to_array()).chain(v).chain(w) {
                write!(self.file, ",{x:?}")?;
            }
            writeln!(self.file)?;
        }
        Ok(())
    }
}

/// A field of a table: in quotes where it would be read as several.
fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn names_stay_one_field() {
        assert_eq!(quoted("left leg"), "left leg");
        assert_eq!(quoted("a,b"), "\"a,b\"");
        assert_eq!(quoted("the \"box\""), "\"the \"\"box\"\"\"");
    }
}
