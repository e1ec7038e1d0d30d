//! The list of joints: one enum over all of them, so that worlds and files hold plain values.
//!
//! Adding a joint is one file here with `impl Kind` (or `impl Joint`) and one line in `joints!`; its
//! module, its name in the crate, serialisation, the conversions and the conformance tests follow.
//! Modules within a macro are not seen by `cargo fmt`: see `CONTRIBUTING.md`.

use crate::axis::Axis;
use crate::bearing::Bearing;
use crate::custom::Custom;
use crate::drive::Drive;
use crate::joint::{Coordinates, Joint, JointCx, Rows};
use crate::memory::JointMemory;
use crate::stated::{Placing, Stated};
use rb_core::Result;
use rb_core::draw::DrawSink;
use rb_core::math::Pose;
use serde::{Deserialize, Deserializer, Serialize};

macro_rules! joints {
    ($($file:ident::$name:ident),+ $(,)?) => {
        $(pub mod $file;)+

        /// The joints by their names, for the crate's root.
        pub mod named {
            $(pub use super::$file::$name;)+
        }
        use named::*;

        /// Any joint.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        pub enum AnyJoint {
            $(#[doc = concat!("See [`", stringify!($name), "`](crate::", stringify!($name), ").")]
            $name($name),)+
            /// A joint of the user's own.
            Custom(Custom),
        }

        impl AnyJoint {
            /// Names of all built-in joints.
            pub const NAMES: &[&str] = &[$(stringify!($name)),+];

            /// One joint of each built-in kind between two local frames, nothing driven, in the
            /// order of [`AnyJoint::NAMES`].
            pub fn all(frame_a: Pose, frame_b: Pose) -> Vec<Self> {
                vec![$(Self::$name($name::new(frame_a, frame_b))),+]
            }

            /// Names of the kinds in files, in the order of [`AnyJoint::NAMES`].
            pub const KINDS: &[&str] = &[$(stringify!($file)),+];

            /// How files place a kind.
            pub fn placing(kind: &str) -> Option<Placing> {
                match kind {
                    $(stringify!($file) => Some(<$name as Stated>::PLACING),)+
                    _ => None,
                }
            }

            /// The joint of a kind between two local frames; `fields` are those particular to the
            /// kind. None if there is no such kind.
            ///
            /// # Errors
            /// A field the kind does not have or cannot read.
            pub fn stated<'de, D: Deserializer<'de>>(
                kind: &str,
                frames: [Pose; 2],
                fields: D,
            ) -> Option<core::result::Result<Self, D::Error>> {
                match kind {
                    $(stringify!($file) => {
                        Some(<$name as Stated>::stated(frames, fields).map(Self::$name))
                    })+
                    _ => None,
                }
            }

            /// Name of the kind; a custom joint gives its own.
            pub fn name(&self) -> &str {
                match self {
                    $(Self::$name(_) => stringify!($name),)+
                    Self::Custom(custom) => custom.name(),
                }
            }

            fn inner(&self) -> &dyn Joint {
                match self {
                    $(Self::$name(joint) => joint,)+
                    Self::Custom(custom) => custom,
                }
            }

            fn inner_mut(&mut self) -> &mut dyn Joint {
                match self {
                    $(Self::$name(joint) => joint,)+
                    Self::Custom(custom) => custom,
                }
            }
        }

        $(impl From<$name> for AnyJoint {
            fn from(joint: $name) -> Self {
                Self::$name(joint)
            }
        })+
    };
}

joints! {
    fixed::Fixed,
    hinge::Hinge,
    slider::Slider,
    cylindrical::Cylindrical,
    screw::Screw,
    ball::Ball,
    universal::Universal,
    wheel::Wheel,
    distance::Distance,
    six_dof::SixDof,
}

impl From<Custom> for AnyJoint {
    fn from(custom: Custom) -> Self {
        Self::Custom(custom)
    }
}

impl Joint for AnyJoint {
    fn frames(&self) -> &[Pose; 2] {
        self.inner().frames()
    }

    fn frames_mut(&mut self) -> Option<&mut [Pose; 2]> {
        self.inner_mut().frames_mut()
    }

    fn constraints(&self, cx: &JointCx, memory: &JointMemory, out: &mut Rows) {
        self.inner().constraints(cx, memory, out);
    }

    fn coordinates(&self, cx: &JointCx, memory: &JointMemory) -> Coordinates {
        self.inner().coordinates(cx, memory)
    }

    fn drive(&self, axis: Axis) -> Option<&Drive> {
        self.inner().drive(axis)
    }

    fn drive_mut(&mut self, axis: Axis) -> Option<&mut Drive> {
        self.inner_mut().drive_mut(axis)
    }

    fn placement(&self, values: &[f64; 6]) -> Option<Pose> {
        self.inner().placement(values)
    }

    fn validate(&self) -> Result<()> {
        self.inner().validate()
    }

    fn rows(&self, cx: &JointCx, memory: &JointMemory, out: &mut Rows) {
        self.inner().rows(cx, memory, out);
    }

    fn loose_rows(&self, cx: &JointCx, memory: &JointMemory, out: &mut Rows) {
        self.inner().loose_rows(cx, memory, out);
    }

    fn bearing(&self) -> Option<Bearing<'_>> {
        self.inner().bearing()
    }

    fn track(&self, cx: &JointCx, memory: &mut JointMemory) {
        self.inner().track(cx, memory);
    }

    fn draw(&self, cx: &JointCx, sink: &mut dyn DrawSink) {
        self.inner().draw(cx, sink);
    }
}
