//! Integrating one body: forces before the solve, poses after it.

pub mod gyro;
mod stiffness;

pub use stiffness::{EXPLICIT_SHARE, lever};

use crate::body::{Body, BodyKind, sound};
use crate::grid::Grid;
use crate::mass::{InvMass, LockedAxes, PrincipalInertia};
use crate::math::{Pose, Twist, Wrench, turn};
use crate::params::{Gyroscopic, Params, Scheme};
use glam::{DQuat, DVec3};

/// How many times heavier damping makes a body at most: it then stands as good as still.
const HEAVIEST: f64 = 1e9;

/// Turn in a substep (rad) that is as good as none: what rounding to single precision is off by, as a share, in four of them.
pub const IDLE_TURN: f64 = 1.0 / (1 << 26) as f64;

/// A body within its island: what the substeps read and write.
#[derive(Clone, Debug, Default)]
pub struct Mover {
    /// Slot in the world.
    pub slot: u32,
    /// Centre of mass (m, world).
    pub com: DVec3,
    /// Attitude.
    pub q: DQuat,
    /// Velocity: the state.
    pub vel: Twist,
    /// Displacement since contacts were detected: translation (m) and rotation vector (rad).
    pub moved: Twist,
    /// W; zero if immovable.
    pub inv: InvMass,
    /// Mass (kg), larger by damping.
    pub mass: f64,
    /// Centre of mass in the body frame (m).
    pub com_local: DVec3,
    /// Inertia, larger by damping.
    pub inertia: PrincipalInertia,
    /// Locked world axes.
    pub locked: LockedAxes,
    /// Acceleration of gravity on this body (m/s²).
    pub gravity: DVec3,
    /// External load (N, N·m), as much larger as mass and inertia.
    pub force: Wrench,
    /// Damping rates (1/s).
    pub damping: [f64; 2],
    /// What its centre of mass moves on.
    pub grid: Grid,
    /// [Largest distance](Body::span) of its points from the centre of mass (m).
    pub extent: f64,
}

impl Mover {
    /// Takes a body out of the world for a step in substeps of `h` (s).
    #[inline]
    pub fn new(slot: u32, body: &Body, params: &Params, h: f64) -> Self {
        let mut mover = Self::default();
        mover.renew(slot, body, params, h);
        mover
    }

    /// Makes it what [`new`](Self::new) does, in place: all bodies are taken in every step.
    #[inline]
    pub fn renew(&mut self, slot: u32, body: &Body, params: &Params, h: f64) {
        self.take(slot, body, params);
        let idle = body.vel.ang.abs().max_element() * h <= IDLE_TURN;
        let q = match &body.mark {
            // Bit for bit what it was as long as contacts see it there.
            Some(mark) if idle => mark.q,
            _ => body.q,
        };
        match body.is_movable() {
            true => self.inv.set(self.mass, &self.inertia, q, self.locked),
            false => self.inv = InvMass::ZERO,
        }
        self.weigh_down(h);
    }

    /// The same of a body that moves others while nothing moves it.
    pub fn guest(slot: u32, body: &Body, params: &Params) -> Self {
        let mut mover = Self::default();
        mover.take(slot, body, params);
        mover
    }

    /// Takes all but the inverse mass, number by number: put together elsewhere first and copied, it would be waited for.
    #[inline]
    fn take(&mut self, number: u32, body: &Body, params: &Params) {
        let Self {
            slot,
            com,
            q,
            vel,
            moved,
            inv: _,
            mass,
            com_local,
            inertia,
            locked,
            gravity,
            force,
            damping,
            grid,
            extent,
        } = self;
        *slot = number;
        (*com, *q) = (body.com, body.q);
        // A dynamic body that cannot move stands still, whatever velocity waits for it.
        *vel = body.vel;
        if body.kind == BodyKind::Dynamic && !body.is_movable() {
            *vel = Twist::ZERO;
        }
        *moved = body.moved();
        (*mass, *com_local) = (body.mass.mass, body.mass.com_local);
        (*inertia, *locked) = (body.inertia, body.locked);
        *gravity = params.gravity * body.gravity_scale;
        *force = body.force();
        *damping = [body.linear_damping, body.angular_damping];
        (*grid, *extent) = (body.grid, body.span());
    }

    /// Damping brakes what a substep ends with, m (1 + h d) v⁺ = m v + h F + Jᵀλ: forces and impulses meet a heavier
    /// body. (Were it taken off before, a damped body at rest would press on the ground by as much too little.)
    fn weigh_down(&mut self, h: f64) {
        if self.damping == [0.0; 2] {
            return;
        }
        let [slow, calm] = self.damping.map(|rate| (1.0 + h * rate).min(HEAVIEST));
        self.mass *= slow;
        self.force.force *= slow;
        self.inertia.moments *= calm;
        self.force.torque *= calm;
        self.refresh();
    }

    /// Pose of the body frame.
    #[inline]
    pub fn frame(&self) -> Pose {
        let aside = self.grid.round(self.q * self.com_local);
        Pose::new(self.com - aside, self.q)
    }

    /// From the centre of mass to a point of the body frame (m, world axes).
    #[inline]
    pub fn arm(&self, point: DVec3) -> DVec3 {
        self.q * (point - self.com_local)
    }

    /// Rebuilds W at the present attitude.
    #[inline]
    pub fn refresh(&mut self) {
        if !self.inv.is_zero() {
            self.inv.set(self.mass, &self.inertia, self.q, self.locked);
        }
    }

    /// Acceleration by gravity and the external force (m/s²).
    #[inline]
    pub fn push(&self) -> DVec3 {
        self.locked.linear_mask() * self.gravity + self.inv.lin * self.force.force
    }

    /// Whether it may not turn about some axis.
    #[inline]
    pub fn is_bound(&self) -> bool {
        self.locked.intersects(LockedAxes::ANGULAR)
    }

    /// ṽ: the velocity after forces, gravity, damping and the gyroscopic term, before impulses.
    #[inline]
    pub fn predict(&self, h: f64, gyroscopic: Gyroscopic) -> Twist {
        if self.inv.is_zero() {
            return self.vel;
        }
        let lin = self.vel.lin + self.push() * h;
        let ang = self.spin_after(h, gyroscopic, DVec3::ZERO);
        Twist::new(
            lin / (1.0 + h * self.damping[0]),
            ang / (1.0 + h * self.damping[1]),
        )
    }

    /// Angular velocity after `h` under the external torque and an angular impulse (N·m·s, world).
    #[inline]
    pub fn spin_after(&self, h: f64, gyroscopic: Gyroscopic, impulse: DVec3) -> DVec3 {
        let w = self.vel.ang;
        let total = self.force.torque * h + impulse;
        if self.is_bound() || (self.inertia.is_round() && gyroscopic == Gyroscopic::Implicit) {
            return w + self.inv.ang * total;
        }
        gyro::step(gyroscopic, &self.inertia, self.q, w, total, h)
            .unwrap_or_else(|| w + self.inv.ang * total)
    }

    /// Moves the pose by `h` with β v⁺ + (1−β) v, where v⁺ is `next` and v the state's velocity.
    pub fn advance_by_scheme(&mut self, h: f64, scheme: &Scheme, next: Twist, gyro: Gyroscopic) {
        let beta = scheme.beta;
        let v = if beta == 1.0 {
            next
        } else {
            next * beta + self.vel * (1.0 - beta)
        };
        self.advance(h, v, gyro);
    }

    /// Whether the state is finite and within bounds.
    pub fn is_sound(&self) -> bool {
        sound(self.vel.lin) && sound(self.vel.ang) && sound(self.com) && self.q.is_finite()
    }

    /// Moves the pose by `h` with the velocity `v`; the state's velocity is left alone.
    #[inline]
    pub fn advance(&mut self, h: f64, v: Twist, gyroscopic: Gyroscopic) {
        self.com += self.grid.round(v.lin * h);
        self.q = match gyroscopic {
            Gyroscopic::Variational => gyro::variational_turn(self.q, v.ang, h),
            Gyroscopic::Implicit => turn(self.q, v.ang, h),
        };
        self.moved += v * h;
    }
}
