//! Triangle meshes from OBJ files, and the scanned bunny.

use crate::error::SceneError;
use glam::{DQuat, DVec3};
use rb_world::prelude::Shape;
use std::collections::HashMap;
use std::io::Cursor;
use std::path::Path;

/// A closed triangle mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct TriangleMesh {
    /// Vertices (m).
    pub vertices: Vec<DVec3>,
    /// Vertex indices, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

impl TriangleMesh {
    /// Reads the one closed mesh of an OBJ file.
    ///
    /// # Errors
    /// The file cannot be read, is not OBJ, holds no or several meshes, or a mesh with a hole.
    pub fn read_obj(path: impl AsRef<Path>) -> Result<Self, SceneError> {
        let name = path.as_ref().display().to_string();
        match std::fs::read_to_string(path) {
            Ok(text) => Self::parse_obj(&name, &text),
            Err(source) => Err(SceneError::Read { path: name, source }),
        }
    }

    /// Parses the one closed mesh of an OBJ text; `name` is for errors.
    ///
    /// # Errors
    /// As [`read_obj`](Self::read_obj), but for reading.
    pub fn parse_obj(name: &str, text: &str) -> Result<Self, SceneError> {
        let path = || name.to_owned();
        let options = tobj::LoadOptions {
            triangulate: true,
            ..Default::default()
        };
        let materials = |_: &Path| tobj::MTLLoadResult::Ok(Default::default());
        let (mut models, _) = tobj::load_obj_buf(&mut Cursor::new(text), &options, materials)
            .map_err(|source| SceneError::Obj {
                path: path(),
                source,
            })?;
        models.retain(|model| !model.mesh.indices.is_empty());
        let [model] = models.as_slice() else {
            return Err(SceneError::MeshCount {
                path: path(),
                found: models.len(),
            });
        };
        let (vertices, _) = model.mesh.positions.as_chunks::<3>();
        let (triangles, _) = model.mesh.indices.as_chunks::<3>();
        let mesh = Self {
            vertices: vertices
                .iter()
                .map(|v| DVec3::from_array(v.map(f64::from)))
                .collect(),
            triangles: triangles.to_vec(),
        };
        match mesh.hole() {
            Some(edge) => {
                let [from, to] = edge.map(|i| mesh.vertices[i as usize]);
                Err(SceneError::Open {
                    path: path(),
                    from,
                    to,
                })
            }
            None => Ok(mesh),
        }
    }

    /// The mesh as the shape of a static body, turned.
    ///
    /// # Errors
    /// A triangle without area.
    pub fn shape(&self, turn: DQuat) -> Result<Shape, SceneError> {
        let vertices: Vec<DVec3> = self.vertices.iter().map(|v| turn * *v).collect();
        Ok(Shape::tri_mesh(vertices, self.triangles.clone())?)
    }

    /// Enclosed volume (m³); positive for triangles wound counter-clockwise seen from outside.
    pub fn volume(&self) -> f64 {
        let corner = |i: u32| self.vertices[i as usize];
        let cone = |t: &[u32; 3]| corner(t[0]).dot(corner(t[1]).cross(corner(t[2])));
        self.triangles.iter().map(cone).sum::<f64>() / 6.0
    }

    /// An edge that is not run through exactly once in each direction.
    fn hole(&self) -> Option<[u32; 2]> {
        let mut runs: HashMap<[u32; 2], u32> = HashMap::new();
        let edges = |t: &[u32; 3]| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]];
        let all = || self.triangles.iter().flat_map(edges);
        all().for_each(|edge| *runs.entry(edge).or_default() += 1);
        all().find(|&[a, b]| runs[&[a, b]] != 1 || runs.get(&[b, a]) != Some(&1))
    }
}

/// The Stanford bunny: 3.2 m tall, standing on y = 0, centred on the y axis, looking along −x.
///
/// # Errors
/// The asset is missing or has been damaged.
pub fn bunny() -> Result<TriangleMesh, SceneError> {
    TriangleMesh::read_obj(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../assets/bunny.obj"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bunny_is_a_solid_of_the_stated_size() {
        let bunny = bunny().expect("the asset is sound");
        assert_eq!((bunny.vertices.len(), bunny.triangles.len()), (1839, 3674));
        // Euler's formula for a closed surface without handles.
        assert_eq!(
            bunny.vertices.len() + bunny.triangles.len(),
            3 * bunny.triangles.len() / 2 + 2
        );
        assert!(bunny.volume() > 0.0, "wound inwards");
        let bounds = |f: fn(DVec3, DVec3) -> DVec3| bunny.vertices.iter().copied().reduce(f);
        let (low, high) = (bounds(DVec3::min).unwrap(), bounds(DVec3::max).unwrap());
        assert!(low.y.abs() < 1e-6 && (high.y - 3.2).abs() < 1e-5);
        let middle = low + high;
        assert!(middle.x.abs() < 1e-5 && middle.z.abs() < 1e-5);
    }

    #[test]
    fn damaged_files_are_told_apart() {
        let parse = |text: &str| TriangleMesh::parse_obj("test", text).unwrap_err();
        let corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
        assert!(matches!(
            parse("v 1 two 3\nf 1 1 1"),
            SceneError::Obj { .. }
        ));
        assert!(matches!(
            parse(&format!("{corners}f 1 2 9")),
            SceneError::Obj { .. }
        ));
        assert!(matches!(parse(""), SceneError::MeshCount { found: 0, .. }));
        let open = parse(&format!("{corners}f 1 3 2\nf 1 2 4\nf 1 4 3"));
        assert_eq!(
            open.to_string(),
            "test: edge [0, 1, 0] to [1, 0, 0] is not shared by two triangles of opposite winding"
        );
        let missing = TriangleMesh::read_obj("no such file.obj").unwrap_err();
        assert!(matches!(missing, SceneError::Read { .. }));
    }
}
