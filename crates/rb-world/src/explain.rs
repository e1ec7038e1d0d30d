//! `explain(handle)`: why a body is awake, what holds it, how hard its motors work.

use crate::joints::DriveLoad;
use crate::world::World;
use glam::DVec3;
use rb_core::Result;
use rb_core::body::{BodyFlags, BodyKind};
use rb_core::handle::{BodyHandle, ColliderHandle, JointHandle};
use rb_core::math::Wrench;
use std::fmt;

/// Why a body moves or not.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Wakefulness {
    /// Static or kinematic: told what to do.
    Told(BodyKind),
    /// Its state became non-finite; held until it is edited.
    Frozen,
    /// Asleep with its island.
    Asleep,
    /// Sleep is off, for the world or for this body.
    MayNotSleep,
    /// Faster than the threshold.
    Moving {
        /// Speed of its surface (m/s).
        speed: f64,
        /// Threshold (m/s).
        threshold: f64,
    },
    /// Slow, but not yet for long enough, or an island mate is not.
    Settling {
        /// How long it has been still (s).
        still: f64,
        /// How long it must be (s).
        needed: f64,
    },
}

/// One contact that holds the body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Support {
    /// The body's collider.
    pub collider: ColliderHandle,
    /// The other collider.
    pub other: ColliderHandle,
    /// Force on the body (N, world), mean over the last substep.
    pub force: DVec3,
    /// Share of the friction it may use, 0 to 1; 1 slides.
    pub friction_use: f64,
}

/// One joint that holds the body.
#[derive(Clone, Debug, PartialEq)]
pub struct Hold {
    /// The joint.
    pub joint: JointHandle,
    /// The other body.
    pub other: BodyHandle,
    /// Load on the body at b's joint frame (N, N·m, world).
    pub load: Wrench,
    /// Motors, limits, friction and springs at work.
    pub drives: Vec<DriveLoad>,
}

/// Answer of [`World::explain`]; prints itself as text.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The body.
    pub body: BodyHandle,
    /// Why it moves or not.
    pub wakefulness: Wakefulness,
    /// Contacts that carry a force.
    pub supports: Vec<Support>,
    /// Joints.
    pub holds: Vec<Hold>,
}

impl World {
    /// Why a body is awake, what holds it, and how far its motors are saturated.
    ///
    /// # Errors
    /// Dead handle.
    pub fn explain(&self, body: BodyHandle) -> Result<Explanation> {
        Ok(Explanation {
            body,
            wakefulness: self.wakefulness(body)?,
            supports: self.supports(body),
            holds: self.holds(body)?,
        })
    }

    fn wakefulness(&self, body: BodyHandle) -> Result<Wakefulness> {
        let b = self.body(body)?;
        let p = self.params().sleep;
        let speed = b.speed();
        Ok(if b.kind != BodyKind::Dynamic {
            Wakefulness::Told(b.kind)
        } else if b.flags.contains(BodyFlags::FROZEN) {
            Wakefulness::Frozen
        } else if b.is_asleep() {
            Wakefulness::Asleep
        } else if !p.enabled || b.flags.contains(BodyFlags::NO_SLEEP) {
            Wakefulness::MayNotSleep
        } else if speed >= p.speed {
            Wakefulness::Moving {
                speed,
                threshold: p.speed,
            }
        } else {
            Wakefulness::Settling {
                still: b.still,
                needed: p.time,
            }
        })
    }

    fn supports(&self, body: BodyHandle) -> Vec<Support> {
        let h = self.state.h.max(f64::MIN_POSITIVE);
        let mut out = Vec::new();
        for contact in self.state.all_contacts() {
            let Some(side) = contact.bodies.iter().position(|&s| s == body.index()) else {
                continue;
            };
            let (mut impulse, mut normal, mut tangent) = (DVec3::ZERO, 0.0, 0.0);
            for p in contact.views() {
                let t = p.axes[1] * p.impulse[1] + p.axes[2] * p.impulse[2];
                impulse += p.axes[0] * p.impulse[0] + t;
                normal += p.impulse[0];
                tangent += t.length();
            }
            if normal <= 0.0 {
                continue;
            }
            let pair = contact.key.pair.map(|c| self.state.collider_handle(c));
            let most = contact.friction * normal;
            out.push(Support {
                collider: pair[side],
                other: pair[1 - side],
                force: impulse * (if side == 1 { 1.0 } else { -1.0 } / h),
                friction_use: if most > 0.0 { tangent / most } else { 0.0 },
            });
        }
        out
    }

    fn holds(&self, body: BodyHandle) -> Result<Vec<Hold>> {
        let mut out = Vec::new();
        for &joint in self.joints_of(body)? {
            let [a, b] = self.joint_bodies(joint)?;
            let load = self.reaction(joint)?;
            let (other, load) = if b == body {
                (a, load)
            } else {
                (
                    b,
                    Wrench {
                        force: -load.force,
                        torque: -load.torque,
                    },
                )
            };
            out.push(Hold {
                joint,
                other,
                load,
                drives: self.drive_loads(joint)?,
            });
        }
        Ok(out)
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "body {:?}: ", self.body)?;
        match self.wakefulness {
            Wakefulness::Told(kind) => writeln!(f, "{kind:?}, moves only as told")?,
            Wakefulness::Frozen => writeln!(f, "frozen: its state became non-finite")?,
            Wakefulness::Asleep => writeln!(f, "asleep")?,
            Wakefulness::MayNotSleep => writeln!(f, "awake: sleep is off for it")?,
            Wakefulness::Moving { speed, threshold } => {
                writeln!(
                    f,
                    "awake: moves at {speed:.3} m/s, sleeps below {threshold:.3}"
                )?;
            }
            Wakefulness::Settling { still, needed } => {
                writeln!(f, "awake: still for {still:.2} s of {needed:.2} s")?;
            }
        }
        for s in &self.supports {
            let used = 100.0 * s.friction_use;
            writeln!(
                f,
                "  contact with {:?}: {:.3} N, friction {used:.0} % used",
                s.other,
                s.force.length()
            )?;
        }
        for h in &self.holds {
            let (force, torque) = (h.load.force.length(), h.load.torque.length());
            writeln!(
                f,
                "  joint {:?} to {:?}: {force:.3} N, {torque:.3} N·m",
                h.joint, h.other
            )?;
            for d in &h.drives {
                writeln!(
                    f,
                    "    {}: {:.3}, {:.0} % saturated",
                    d.slot,
                    d.force,
                    100.0 * d.saturation
                )?;
            }
        }
        Ok(())
    }
}
