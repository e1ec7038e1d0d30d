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
    precise: bool,
    brittle: bool,
    coupled: bool,
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
        Self {
            bearing,
            precise: desc.precise,
            brittle: desc.is_brittle(),
            coupled: matches!(desc.options.yields, Yield::Block { .. }),
        }
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

    /// Bytes that lie elsewhere.
    pub(crate) const APART: usize = size_of::<JointDesc>();

    /// Whether its island is to be solved exactly, it may break, and its rows yield together.
    #[inline]
    pub(crate) fn traits(&self) -> [bool; 3] {
        let Outline {
            precise,
            brittle,
            coupled,
            ..
        } = self.outline;
        [precise, brittle, coupled]
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
