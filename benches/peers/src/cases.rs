//! The scenes to run, and their sizes.

use anyhow::Context;
use rb_scenes::{SCENES, Scene, scene};
use std::str::FromStr;

/// What runs when no scene is asked for.
const USUAL: &[(&str, usize)] = &[
    ("large_pyramid", 20),
    ("large_pyramid", 50),
    ("large_pyramid", 90),
    ("many_pyramids", 8),
    ("box_drop", 10),
    ("mixed_drop", 10),
    ("joint_grid", 40),
    ("chain", 100),
    ("chain", 1000),
    ("chain_swing", 100),
    ("ragdolls", 64),
    ("tall_stack", 30),
    ("card_house", 4),
    ("arch", 21),
    ("terrain", 1000),
    ("washer", 12),
];

/// A scene at a size.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Case {
    pub(crate) scene: &'static Scene,
    pub(crate) size: usize,
}

impl FromStr for Case {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Self> {
        let (name, size) = match text.split_once('=') {
            Some((name, size)) => (name, Some(size.parse().context("the size is no number")?)),
            None => (text, None),
        };
        let known = || SCENES.iter().map(|s| s.name).collect::<Vec<_>>().join(", ");
        let scene = scene(name).with_context(|| format!("no such scene; there are {}", known()))?;
        let size = size.unwrap_or(scene.size);
        Ok(Self { scene, size })
    }
}

/// The cases of [`USUAL`].
pub(crate) fn usual() -> Vec<Case> {
    let case = |&(name, size)| scene(name).map(|scene| Case { scene, size });
    USUAL.iter().filter_map(case).collect()
}
