//! Worlds built directly, one per file.

mod bullet;
mod bunny_pile;
mod conveyor;
mod domino;
mod falling_box;
mod four_bar;
mod incline;
mod newton_cradle;
mod pendulum_chain;
mod ragdoll;
mod rolling_car;
mod spinning_top;

use crate::error::SceneError;
use rb_world::core::Result as Edit;
use rb_world::prelude::*;

/// A registered demonstration.
#[derive(Clone, Copy, Debug)]
pub struct Demo {
    /// Name.
    pub name: &'static str,
    /// Size it is usually built with.
    pub size: usize,
    /// Steps of 1/60 s that tell enough of it.
    pub steps: usize,
    /// What it is, what the size means, and which bodies it returns.
    pub about: &'static str,
    fill: fn(&mut World, usize) -> Result<Vec<BodyHandle>, SceneError>,
}

/// All demonstrations.
pub const DEMOS: &[Demo] = &[
    falling_box::DEMO,
    bunny_pile::DEMO,
    domino::DEMO,
    newton_cradle::DEMO,
    four_bar::DEMO,
    pendulum_chain::DEMO,
    ragdoll::DEMO,
    rolling_car::DEMO,
    spinning_top::DEMO,
    conveyor::DEMO,
    incline::DEMO,
    bullet::DEMO,
];

/// The demonstration of a name.
pub fn demo(name: &str) -> Option<&'static Demo> {
    DEMOS.iter().find(|demo| demo.name == name)
}

impl Demo {
    /// Adds the demonstration to a world; returns the bodies it is about, as [`about`](Self::about)
    /// says.
    ///
    /// # Errors
    /// The world refuses a part, or an asset is missing or damaged.
    pub fn build(&self, world: &mut World, size: usize) -> Result<Vec<BodyHandle>, SceneError> {
        (self.fill)(world, size)
    }
}

/// Adds a body of one collider.
fn put(world: &mut World, body: BodyDesc, collider: ColliderDesc) -> Edit<BodyHandle> {
    let handle = world.add_body(body)?;
    world.add_collider(handle, collider)?;
    Ok(handle)
}

/// Adds a floor at y = 0.
fn put_ground(world: &mut World) -> Edit<BodyHandle> {
    let floor = ColliderDesc::new(Shape::half_space(DVec3::Y)?).friction(0.6);
    put(world, BodyDesc::fixed().named("ground"), floor)
}
