//! Constraints made from closures, and the few worlds the row tests share.

use rb_world::joint::{Constraint, ConstraintCx, ConstraintRow, ConstraintRows};
use rb_world::prelude::*;
use std::sync::Arc;

type Rows = dyn Fn(&ConstraintCx, &mut ConstraintRows) + Send + Sync;

struct Closure(Box<Rows>);

impl std::fmt::Debug for Closure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Closure")
    }
}

impl Constraint for Closure {
    fn rows(&self, cx: &ConstraintCx, out: &mut ConstraintRows) {
        (self.0)(cx, out);
    }
}

/// Adds a constraint whose rows a closure states.
pub(crate) fn constrain(
    world: &mut World,
    bodies: &[BodyHandle],
    rows: impl Fn(&ConstraintCx, &mut ConstraintRows) + Send + Sync + 'static,
) -> ConstraintHandle {
    let custom = CustomConstraint::new("closure", Arc::new(Closure(Box::new(rows))));
    world.add_constraint(bodies, custom).unwrap()
}

/// One row along the world x axis of a single body.
pub(crate) fn along_x(make: impl FnOnce([Twist; 2]) -> Row) -> ConstraintRow {
    ConstraintRow::new([Twist::new(DVec3::X, DVec3::ZERO)], make)
}

/// A body of mass `m` at x = `x` that can only move along x, with speed `v`.
pub(crate) fn bead(params: Params, m: f64, x: f64, v: f64) -> (World, BodyHandle) {
    let mut world = World::new(params).unwrap();
    let desc = BodyDesc::dynamic()
        .mass(m, DVec3::splat(m))
        .at([x, 0.0, 0.0])
        .velocity([v, 0.0, 0.0])
        .lock(LockedAxes::ANGULAR | LockedAxes::LINEAR_Y | LockedAxes::LINEAR_Z);
    let body = world.add_body(desc).unwrap();
    (world, body)
}

/// (x, v) of a bead.
pub(crate) fn bead_state(world: &World, body: BodyHandle) -> [f64; 2] {
    [
        world.position(body).unwrap().x,
        world.velocity(body).unwrap().lin.x,
    ]
}
