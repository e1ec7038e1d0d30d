//! The planes of all faces of a polyhedron, four side by side, to be looked through at once.
//!
//! Which face is best is anyone's guess: a branch for each of them would be guessed wrong a few times, which costs more
//! than looking at all.

use super::Face;
use glam::DVec3;

const LANES: usize = 4;

/// x, y and z of the normals of four faces, and their levels (m). What is left over repeats the last face.
type Four = [[f64; LANES]; 4];

/// Normals and levels of faces.
#[derive(Clone, Debug, Default)]
pub(crate) struct Planes(Vec<Four>);

impl Planes {
    pub(super) fn new(faces: &[Face]) -> Self {
        let four = |faces: &[Face]| {
            let at = |lane: usize| faces[lane.min(faces.len() - 1)];
            let row = |number: fn(&Face) -> f64| core::array::from_fn(|lane| number(&at(lane)));
            [
                row(|f| f.normal.x),
                row(|f| f.normal.y),
                row(|f| f.normal.z),
                row(|f| f.level),
            ]
        };
        Self(faces.chunks(LANES).map(four).collect())
    }

    /// The greatest score of a face, by its normal and level (m), and the number of the face, the first of equals.
    #[inline]
    pub(crate) fn best(&self, score: impl Fn(DVec3, f64) -> f64) -> (f64, usize) {
        let (mut best, mut found) = (f64::NEG_INFINITY, 0);
        for (k, [x, y, z, level]) in self.0.iter().enumerate() {
            let mut scores = [0.0; LANES];
            for lane in 0..LANES {
                let normal = DVec3::new(x[lane], y[lane], z[lane]);
                scores[lane] = score(normal, level[lane]);
            }
            let most = scores.into_iter().fold(best, greater);
            if most > best {
                let same = scores.iter().rev();
                let bits = same.fold(0_u32, |bits, s| 2 * bits + u32::from(*s == most));
                best = most;
                found = LANES * k + bits.trailing_zeros() as usize;
            }
        }
        (best, found)
    }
}

fn greater(x: f64, y: f64) -> f64 {
    if y > x { y } else { x }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_the_best_is_found() {
        for count in 1..40 {
            let level = |k: usize| ((7 * k + 3) % 11) as f64;
            let faces: Vec<Face> = (0..count).map(|k| Face::bare(DVec3::X, level(k))).collect();
            let planes = Planes::new(&faces);
            let most = (0..count).map(level).fold(0.0, f64::max);
            let first = (0..count).position(|k| level(k) == most);
            let (score, face) = planes.best(|n, level| n.x * level);
            assert_eq!((score, Some(face)), (most, first), "{count} faces");
        }
    }
}
