//! One file per shape; the list is in `shape.rs`.

mod ball;
mod capsule;
mod compound;
mod cone;
mod convex_hull;
mod cuboid;
mod cylinder;
mod half_space;
mod height_field;
mod outline;
mod tri_mesh;

pub use ball::Ball;
pub use capsule::Capsule;
pub use compound::Compound;
pub use cone::Cone;
pub use convex_hull::ConvexHull;
pub use cuboid::Cuboid;
pub use cylinder::Cylinder;
pub use half_space::HalfSpace;
pub use height_field::HeightField;
pub use tri_mesh::TriMesh;
