//! Names of the six relative directions of a joint, and of the slots its rows live in.
//!
//! A slot is a feature of one axis: the motor of the twist, the lower stop of the slide. The same
//! feature has the same slot in every step, whether or not it has a row in that step, so that
//! impulses find their way back as warm starts and a report can say what each of them was.
//!
//! Frames: x, y and z are the axes of the joint frame on body a; z is the axis of the joint.

use core::fmt;
use serde::{Deserialize, Serialize};

/// Number of slots: ten roles on each of six axes.
pub const SLOTS: usize = 60;

/// One of the six relative directions of b as seen from a.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Axis {
    /// Translation along x (m).
    #[serde(alias = "lin_x")]
    LinX,
    /// Translation along y (m).
    #[serde(alias = "lin_y")]
    LinY,
    /// Translation along z (m): the slide; the length of a distance joint.
    #[serde(alias = "lin_z")]
    LinZ,
    /// Rotation about x (rad): first swing component; first angle of a universal joint.
    #[serde(alias = "ang_x")]
    AngX,
    /// Rotation about y (rad): second swing component; second angle of a universal joint.
    #[serde(alias = "ang_y")]
    AngY,
    /// Rotation about z (rad): the twist; the angle of a hinge.
    #[serde(alias = "ang_z")]
    AngZ,
}

impl Axis {
    /// All six, translations first.
    pub const ALL: [Self; 6] = [
        Self::LinX,
        Self::LinY,
        Self::LinZ,
        Self::AngX,
        Self::AngY,
        Self::AngZ,
    ];

    /// Position in [`Axis::ALL`].
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Whether the coordinate is an angle (rad, N·m) and not a length (m, N).
    pub const fn is_angular(self) -> bool {
        self.index() >= 3
    }

    /// Short name for reports and plots.
    pub const fn name(self) -> &'static str {
        ["lin x", "lin y", "lin z", "ang x", "ang y", "ang z"][self.index()]
    }
}

/// What a row does for its axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Role {
    /// Takes the freedom of the axis away.
    Lock,
    /// Spring and damper.
    Spring,
    /// Inertia of a rotor behind a gear.
    Rotor,
    /// Force commanded by a controller.
    Actuator,
    /// Dry friction.
    Friction,
    /// Motor.
    Motor,
    /// Keeps the rate above its lowest value.
    SlowLimit,
    /// Keeps the rate below its highest value.
    FastLimit,
    /// Keeps the coordinate above its lowest value, or at it when both limits are equal.
    LowerLimit,
    /// Keeps the coordinate below its highest value.
    UpperLimit,
}

impl Role {
    /// All ten, in the order in which a drive states its rows: the last ones have the last word
    /// in a sweep over the rows.
    pub const ALL: [Self; 10] = [
        Self::Lock,
        Self::Spring,
        Self::Rotor,
        Self::Actuator,
        Self::Friction,
        Self::Motor,
        Self::SlowLimit,
        Self::FastLimit,
        Self::LowerLimit,
        Self::UpperLimit,
    ];

    /// Short name for reports and plots.
    pub const fn name(self) -> &'static str {
        [
            "lock",
            "spring",
            "rotor",
            "actuator",
            "friction",
            "motor",
            "slow limit",
            "fast limit",
            "lower limit",
            "upper limit",
        ][self as usize]
    }
}

/// A feature of one axis: how the number in `Row::slot` is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Slot {
    /// The axis.
    pub axis: Axis,
    /// The feature.
    pub role: Role,
}

impl Slot {
    /// The slot of a feature of an axis.
    pub const fn new(axis: Axis, role: Role) -> Self {
        Self { axis, role }
    }

    /// The number stored in `Row::slot`, below [`SLOTS`].
    pub const fn id(self) -> u8 {
        (self.axis.index() * Role::ALL.len() + self.role as usize) as u8
    }

    /// Reads a `Row::slot`; `None` from [`SLOTS`] on.
    pub fn from_id(id: u8) -> Option<Self> {
        let (axis, role) = (id as usize / Role::ALL.len(), id as usize % Role::ALL.len());
        Some(Self::new(*Axis::ALL.get(axis)?, Role::ALL[role]))
    }
}

impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.role.name(), self.axis.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_count_up_and_read_back() {
        let all = Axis::ALL
            .into_iter()
            .flat_map(|axis| Role::ALL.map(|role| Slot::new(axis, role)));
        for (id, slot) in all.enumerate() {
            assert_eq!(slot.id() as usize, id);
            assert_eq!(Slot::from_id(slot.id()), Some(slot));
        }
        assert_eq!(Slot::from_id(SLOTS as u8), None);
        assert_eq!(
            Slot::new(Axis::AngZ, Role::Motor).to_string(),
            "motor of ang z"
        );
    }
}
