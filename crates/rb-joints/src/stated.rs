//! Joints as data: what files state of any kind, and what is particular to one.
//!
//! A file knows a kind by the name of its module, as in `six_dof`, gives it frames in one of three ways
//! ([`Placing`]) and hands it the fields nobody else has, which the kind reads itself. So a new kind
//! is in every file without a word here.

use crate::axis::Axis;
use crate::built::{Jointed, Kind};
use crate::joint::Joint;
use rb_core::math::Pose;
use serde::Deserializer;

/// How a kind of joint is placed in the world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Placing {
    /// By a point and, if it matters, the z axis there: see [`frame_along`](crate::frame_along).
    #[default]
    Along,
    /// By a point, the x axis of a and the y axis of b there: see [`frame_across`](crate::frame_across).
    Across,
    /// By one point on each body, with the axes of the body.
    Apart,
}

/// A joint that files can state.
pub trait Stated: Joint + Sized {
    /// How it is placed.
    const PLACING: Placing = Placing::Along;

    /// The joint between two local frames, with the fields particular to its kind.
    ///
    /// # Errors
    /// A field the kind does not have or cannot read.
    fn stated<'de, D: Deserializer<'de>>(frames: [Pose; 2], fields: D) -> Result<Self, D::Error>;
}

impl<K: Kind> Stated for Jointed<K> {
    const PLACING: Placing = K::PLACING;

    fn stated<'de, D: Deserializer<'de>>([a, b]: [Pose; 2], fields: D) -> Result<Self, D::Error> {
        let kind = K::deserialize(fields)?;
        Ok(Self::new(a, b).of(kind))
    }
}

/// The one axis on which something can act, if there is just one.
pub fn single_axis(joint: &dyn Joint) -> Option<Axis> {
    let mut driven = Axis::ALL.into_iter().filter(|&a| joint.drive(a).is_some());
    let first = driven.next()?;
    driven.next().is_none().then_some(first)
}
