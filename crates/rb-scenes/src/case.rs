//! Scenes at a size, as benchmarks name them.

use crate::error::CaseError;
use crate::scenes::{SCENES, Scene, scene};
use std::str::FromStr;

/// What a benchmark runs when no scene is asked for.
const USUAL: [(&str, usize); 16] = [
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

/// A registered scene at a size; written `NAME` or `NAME=SIZE`.
///
/// ```
/// let case: rb_scenes::Case = "tall_stack=10".parse()?;
/// assert_eq!((case.scene.name, case.size), ("tall_stack", 10));
/// assert!("no_such_scene".parse::<rb_scenes::Case>().is_err());
/// # Ok::<(), rb_scenes::CaseError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// The scene.
    pub scene: &'static Scene,
    /// Its size.
    pub size: usize,
}

impl Case {
    /// The benchmark scenes at their usual sizes.
    pub fn usual() -> impl Iterator<Item = Self> {
        let case = |(name, size)| scene(name).map(|scene| Self { scene, size });
        USUAL.into_iter().filter_map(case)
    }
}

impl FromStr for Case {
    type Err = CaseError;

    fn from_str(text: &str) -> Result<Self, CaseError> {
        let (name, size) = match text.split_once('=') {
            Some((name, size)) => (name, Some(size)),
            None => (text, None),
        };
        let known = || SCENES.iter().map(|s| s.name).collect::<Vec<_>>().join(", ");
        let scene = scene(name).ok_or_else(|| CaseError::NoSuchScene { known: known() })?;
        let size = match size {
            Some(size) => size.parse().map_err(|_| CaseError::BadSize(size.into()))?,
            None => scene.size,
        };
        Ok(Self { scene, size })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_usual_cases_are_registered() {
        assert_eq!(Case::usual().count(), USUAL.len());
    }

    #[test]
    fn a_size_is_a_number() {
        let error = "arch=many".parse::<Case>().map(|c| c.size);
        assert_eq!(error, Err(CaseError::BadSize("many".into())));
    }
}
