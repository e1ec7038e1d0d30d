//! What can go wrong while a scene is built.

use glam::DVec3;
use rb_view::ViewError;
use rb_world::core::Error;

/// Why a scene could not be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SceneError {
    /// The world refused a part of it.
    #[error(transparent)]
    World(#[from] Error),
    /// A run cannot be recorded.
    #[error(transparent)]
    View(#[from] ViewError),
    /// A mesh file cannot be read.
    #[error("{path}: {source}")]
    Read {
        /// The file.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// A mesh file is not valid OBJ.
    #[error("{path}: {source}")]
    Obj {
        /// The file.
        path: String,
        /// What is wrong with it.
        source: tobj::LoadError,
    },
    /// A mesh file does not hold exactly one mesh.
    #[error("{path}: holds {found} meshes, expected one")]
    MeshCount {
        /// The file.
        path: String,
        /// Number of meshes in it.
        found: usize,
    },
    /// A mesh does not enclose a solid.
    #[error("{path}: edge {from} to {to} is not shared by two triangles of opposite winding")]
    Open {
        /// The file.
        path: String,
        /// Where the edge starts (m).
        from: DVec3,
        /// Where it ends (m).
        to: DVec3,
    },
}

/// Why a text does not name a scene at a size.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CaseError {
    /// No scene has that name.
    #[error("no such scene; there are {known}")]
    NoSuchScene {
        /// All names.
        known: String,
    },
    /// What follows the name is no number.
    #[error("the size is no number: {0}")]
    BadSize(String),
}
