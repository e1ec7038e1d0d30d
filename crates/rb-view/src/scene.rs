//! The bodies of a recording: what does not change from frame to frame.

use std::collections::HashMap;

use serde::Serialize;

use crate::error::ViewError;

/// How a body moves; decides its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum BodyKind {
    /// Never moves: neutral grey.
    Static,
    /// Moves as told, pushed by nothing: amber.
    Kinematic,
    /// Moves by the laws of mechanics: a colour of its own from a palette.
    Dynamic,
}

/// A body as it is drawn and described.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyInfo {
    /// Shown when the body is picked.
    pub name: String,
    /// How the body moves.
    pub kind: BodyKind,
    /// Mass, kg; a value that is not finite is shown as `∞`.
    pub mass: f64,
    /// What the body is made of, in the body frame; several parts make a compound.
    pub parts: Vec<Part>,
}

/// One shape of a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The shape, in the part frame.
    pub shape: ShapeInfo,
    /// Origin of the part frame in the body frame, m.
    pub position: [f32; 3],
    /// Orientation of the part frame in the body frame, `[x, y, z, w]`, of unit length.
    pub rotation: [f32; 4],
    /// sRGB colour; `None` takes the colour of the body.
    pub color: Option<[u8; 3]>,
}

impl Part {
    /// The shape placed at the origin of the body frame, in the colour of the body.
    pub const fn new(shape: ShapeInfo) -> Self {
        Self {
            shape,
            position: [0.0; 3],
            rotation: [0.0, 0.0, 0.0, 1.0],
            color: None,
        }
    }
}

/// A shape, centred in its part frame; all lengths in metres.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum ShapeInfo {
    /// A ball.
    Ball {
        /// Radius, m.
        radius: f32,
    },
    /// A box.
    Cuboid {
        /// Half of the edge along each axis, m.
        half_extents: [f32; 3],
    },
    /// A cylinder along y capped by two half balls.
    Capsule {
        /// Half of the cylindrical part, m.
        half_height: f32,
        /// Radius, m.
        radius: f32,
    },
    /// A cylinder along y.
    Cylinder {
        /// Half of the height, m.
        half_height: f32,
        /// Radius, m.
        radius: f32,
    },
    /// A cone along y, its apex at `+half_height`.
    Cone {
        /// Half of the height, m.
        half_height: f32,
        /// Radius of the base, m.
        radius: f32,
    },
    /// Everything below a plane through the origin; drawn as a large grid.
    HalfSpace {
        /// Direction out of the solid, of any length but zero.
        normal: [f32; 3],
    },
    /// A triangle mesh; also what a convex hull is given as.
    Mesh {
        /// Vertices, m.
        vertices: Vec<[f32; 3]>,
        /// Indices of vertices, counter-clockwise seen from outside.
        triangles: Vec<[u32; 3]>,
    },
}

impl ShapeInfo {
    /// What keeps the shape from being drawn, if anything.
    fn flaw(&self) -> Option<&'static str> {
        let proper = |length: &f32| length.is_finite() && *length > 0.0;
        let sound = match self {
            Self::Ball { radius } => proper(radius),
            Self::Cuboid { half_extents } => half_extents.iter().all(proper),
            Self::Capsule {
                half_height,
                radius,
            } => half_height.is_finite() && *half_height >= 0.0 && proper(radius),
            Self::Cylinder {
                half_height,
                radius,
            }
            | Self::Cone {
                half_height,
                radius,
            } => proper(half_height) && proper(radius),
            Self::HalfSpace { normal } => {
                return (!finite(normal) || *normal == [0.0; 3])
                    .then_some("the normal is no direction");
            }
            Self::Mesh {
                vertices,
                triangles,
            } => return mesh_flaw(vertices, triangles),
        };
        (!sound).then_some("a dimension is not a positive number")
    }
}

fn mesh_flaw(vertices: &[[f32; 3]], triangles: &[[u32; 3]]) -> Option<&'static str> {
    if vertices.iter().any(|v| !finite(v)) {
        return Some("a vertex is not finite");
    }
    let beyond = |index: &u32| *index as usize >= vertices.len();
    triangles
        .iter()
        .flatten()
        .any(beyond)
        .then_some("a triangle names no vertex")
}

fn finite(values: &[f32]) -> bool {
    values.iter().all(|v| v.is_finite())
}

/// The scene as the player reads it; equal shapes are stored once.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Scene {
    bodies: Vec<SceneBody>,
    shapes: Vec<ShapeInfo>,
    /// Index of each shape by its serialised form.
    #[serde(skip)]
    known: HashMap<String, usize>,
}

#[derive(Clone, Debug, Serialize)]
struct SceneBody {
    name: String,
    kind: BodyKind,
    mass: f64,
    parts: Vec<ScenePart>,
}

#[derive(Clone, Debug, Serialize)]
struct ScenePart {
    shape: usize,
    position: [f32; 3],
    rotation: [f32; 4],
    #[serde(skip_serializing_if = "Option::is_none")]
    color: Option<[u8; 3]>,
}

impl Scene {
    pub(crate) const fn body_count(&self) -> usize {
        self.bodies.len()
    }

    /// Adds a body after making sure that all of it can be drawn.
    pub(crate) fn add(&mut self, body: BodyInfo) -> Result<usize, ViewError> {
        for (index, part) in body.parts.iter().enumerate() {
            let placed = finite(&part.position) && finite(&part.rotation);
            let flaw = if placed {
                part.shape.flaw()
            } else {
                Some("the placement is not finite")
            };
            if let Some(reason) = flaw {
                return Err(ViewError::Shape {
                    body: body.name,
                    part: index,
                    reason,
                });
            }
        }
        let parts = body.parts.into_iter().map(|part| self.intern(part));
        let parts = parts.collect::<Result<_, _>>()?;
        self.bodies.push(SceneBody {
            name: body.name,
            kind: body.kind,
            mass: body.mass,
            parts,
        });
        Ok(self.bodies.len() - 1)
    }

    fn intern(&mut self, part: Part) -> Result<ScenePart, ViewError> {
        let key = serde_json::to_string(&part.shape)?;
        let shape = *self.known.entry(key).or_insert_with(|| {
            self.shapes.push(part.shape);
            self.shapes.len() - 1
        });
        Ok(ScenePart {
            shape,
            position: part.position,
            rotation: part.rotation,
            color: part.color,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(shape: ShapeInfo) -> BodyInfo {
        let parts = vec![Part::new(shape)];
        BodyInfo {
            name: "b".into(),
            kind: BodyKind::Dynamic,
            mass: 1.0,
            parts,
        }
    }

    fn tetrahedron(last: u32) -> ShapeInfo {
        let vertices = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        ShapeInfo::Mesh {
            vertices,
            triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, last]],
        }
    }

    #[test]
    fn equal_shapes_are_stored_once() {
        let mut scene = Scene::default();
        for _ in 0..10 {
            scene.add(body(tetrahedron(3))).expect("a sound mesh");
            scene
                .add(body(ShapeInfo::Ball { radius: 0.5 }))
                .expect("a sound ball");
        }
        assert_eq!((scene.bodies.len(), scene.shapes.len()), (20, 2));
    }

    #[test]
    fn what_cannot_be_drawn_is_refused_and_leaves_no_trace() {
        let flawed = [
            ShapeInfo::Ball { radius: f32::NAN },
            ShapeInfo::Cuboid {
                half_extents: [1.0, 0.0, 1.0],
            },
            ShapeInfo::Capsule {
                half_height: -1.0,
                radius: 1.0,
            },
            ShapeInfo::Cone {
                half_height: 1.0,
                radius: f32::INFINITY,
            },
            ShapeInfo::HalfSpace { normal: [0.0; 3] },
            tetrahedron(4),
        ];
        let mut scene = Scene::default();
        for shape in flawed {
            let mut compound = body(ShapeInfo::Ball { radius: 1.0 });
            compound.parts.push(Part::new(shape));
            let refused = scene.add(compound);
            assert!(
                matches!(refused, Err(ViewError::Shape { part: 1, .. })),
                "{refused:?}"
            );
        }
        assert_eq!((scene.bodies.len(), scene.shapes.len()), (0, 0));
    }
}
