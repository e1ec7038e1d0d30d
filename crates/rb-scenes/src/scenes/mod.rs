//! The described scenes, one per file.

mod arch;
mod box_drop;
mod card_house;
mod chain;
mod chain_swing;
mod joint_grid;
mod large_pyramid;
mod many_pyramids;
mod mixed_drop;
mod ragdolls;
mod tall_stack;
mod terrain;
mod washer;

pub(crate) use ragdolls::add_ragdoll;

use crate::desc::SceneDesc;

/// A registered scene.
#[derive(Clone, Copy, Debug)]
pub struct Scene {
    /// Name, as on command lines and in files.
    pub name: &'static str,
    /// Size it is usually built with.
    pub size: usize,
    /// Steps of 1/60 s that tell enough of it.
    pub steps: usize,
    /// What it is and what the size means.
    pub about: &'static str,
    fill: fn(&mut SceneDesc, usize),
}

/// All described scenes.
pub const SCENES: &[Scene] = &[
    large_pyramid::SCENE,
    many_pyramids::SCENE,
    box_drop::SCENE,
    mixed_drop::SCENE,
    joint_grid::SCENE,
    chain::SCENE,
    chain_swing::SCENE,
    ragdolls::SCENE,
    tall_stack::SCENE,
    card_house::SCENE,
    arch::SCENE,
    terrain::SCENE,
    washer::SCENE,
];

/// The described scene of a name.
pub fn scene(name: &str) -> Option<&'static Scene> {
    SCENES.iter().find(|scene| scene.name == name)
}

impl Scene {
    /// Describes the scene at a size.
    pub fn build(&self, size: usize) -> SceneDesc {
        let mut desc = SceneDesc::empty(self.name, size, self.steps);
        (self.fill)(&mut desc, size);
        desc
    }
}
