//! The description of a joint, and in short what every step asks of it: a description is most of a kilobyte, and to
//! look through thousands of them costs more than what is found there. It lies elsewhere, so that what steps do ask for
//! is close together.

use rb_core::math::Pose;
use rb_joints::bearing::{Bearing, Swing};
use rb_joints::{AnyJoint, JointDesc, Yield};
use serde::{Deserialize, Serialize, Serializer};
use std::ops::Deref;

/// A description that does not change: whoever wants another one replaces it.
#[derive(Clone, Debug, Deserialize)]
#[serde(from = "JointDesc")]
pub(crate) struct Described {
    desc: Box<JointDesc>,
    outline: Outline,
}

/// What a step asks of a description.
#[derive(Clone, Debug)]
struct Outline {
    bearing: Known,
    traits: Traits,
}

/// What a joint asks of its island, and how its island has to treat it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Traits {
    /// Its island is to be solved exactly.
    pub(crate) precise: bool,
    /// It may break.
    pub(crate) brittle: bool,
    /// Its rows yield together.
    pub(crate) coupled: bool,
}

/// Whether a joint is a bearing.
#[derive(Clone, Debug)]
enum Known {
    No,
    Yes {
        frames: [Pose; 2],
        swing: Swing,
        twist: [f64; 2],
    },
    /// It is the user's, who may change its mind.
    Ask,
}

impl Outline {
    fn new(desc: &JointDesc) -> Self {
        let bearing = match (&desc.kind, desc.bearing()) {
            (AnyJoint::Custom(_), _) => Known::Ask,
            (_, None) => Known::No,
            (_, Some(bearing)) => Known::Yes {
                frames: *bearing.frames,
                swing: bearing.swing,
                twist: bearing.twist,
            },
        };
        let traits = Traits {
            precise: desc.precise,
            brittle: desc.is_brittle(),
            coupled: matches!(desc.options.yields, Yield::Block { .. }),
        };
        Self { bearing, traits }
    }
}

impl Described {
    /// As [`JointDesc::bearing`].
    #[inline]
    pub(crate) fn bearing(&self) -> Option<Bearing<'_>> {
        match &self.outline.bearing {
            Known::No => None,
            Known::Ask => self.desc.bearing(),
            Known::Yes {
                frames,
                swing,
                twist,
            } => Some(Bearing {
                frames,
                swing: *swing,
                twist: *twist,
            }),
        }
    }

    /// As [`JointDesc::pin`].
    #[inline]
    pub(crate) fn pin(&self) -> Option<&[Pose; 2]> {
        if let Known::Ask = self.outline.bearing {
            return self.desc.pin();
        }
        self.bearing().filter(Bearing::is_pin).map(|b| b.frames)
    }

    /// Whether it may become another one without having been edited.
    pub(crate) fn may_change(&self) -> bool {
        matches!(self.outline.bearing, Known::Ask)
    }

    /// Bytes that lie elsewhere.
    pub(crate) const APART: usize = size_of::<JointDesc>();

    /// What it asks of its island.
    #[inline]
    pub(crate) fn traits(&self) -> Traits {
        self.outline.traits
    }
}

impl From<JointDesc> for Described {
    fn from(desc: JointDesc) -> Self {
        Self {
            outline: Outline::new(&desc),
            desc: Box::new(desc),
        }
    }
}

impl Deref for Described {
    type Target = JointDesc;

    fn deref(&self) -> &JointDesc {
        &self.desc
    }
}

/// The description alone: all else follows from it.
impl Serialize for Described {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.desc.serialize(serializer)
    }
}
