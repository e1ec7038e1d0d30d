//! What a coupling measures: coordinates of joints, points, distances, centres of mass, and affine
//! combinations of them to any depth.
//!
//! Equation   Joint: q of one axis;  Point: e · x_p;  Distance: |x_b − x_a|;
//!            Mean: e · Σ wᵢ xᵢ / Σ wᵢ (wᵢ the masses: the centre of mass);  Sum: c₀ + Σ cₖ qₖ
//! Jacobian   Point: [e, r × e];  Distance: [−e, −(x_b − c_a) × e | e, (x_b − c_b) × e] with
//!            e = (x_b − x_a)/|x_b − x_a|: both forces act on one line;  Mean: [wᵢ e / Σ w, 0];
//!            Sum: Σ cₖ Jₖ — a chain of mappings multiplies out to one sparse row
//! Units      m or rad; directions are unit vectors in the world
//! Errors     no terms, coefficients not finite or all zero, weights not above zero, unknown bodies
//! Source     theory §4.8; SOFA Compliant plugin, "MultiMapping", 2012, for the assembly

use super::{ConstraintCx, clash, coordinate, unit};
use crate::axis::Axis;
use glam::DVec3;
use rb_core::Result;
use rb_core::error::check;
use rb_core::handle::{BodyHandle, JointHandle};
use rb_core::math::Twist;
use serde::{Deserialize, Serialize};
use smallvec::{SmallVec, smallvec};

/// A scalar function of body poses.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Quantity {
    /// The coordinate of a joint along a free axis (m or rad).
    Joint {
        /// The joint.
        joint: JointHandle,
        /// Its axis.
        axis: Axis,
    },
    /// Position of a point of a body along a world direction (m).
    Point {
        /// The body.
        body: BodyHandle,
        /// The point in the body frame (m).
        at: DVec3,
        /// World direction.
        along: DVec3,
    },
    /// Distance between two points of bodies (m).
    Distance {
        /// Bodies (a, b).
        bodies: [BodyHandle; 2],
        /// The points in their body frames (m).
        at: [DVec3; 2],
    },
    /// Weighted mean position of centres of mass along a world direction (m).
    Mean {
        /// Bodies and weights; with masses as weights the centre of mass.
        bodies: Vec<(BodyHandle, f64)>,
        /// World direction.
        along: DVec3,
    },
    /// c₀ + Σ cₖ qₖ.
    Sum {
        /// Coefficients and quantities.
        terms: Vec<(f64, Quantity)>,
        /// c₀.
        offset: f64,
    },
}

/// A quantity's value and derivative.
#[derive(Clone, Debug, PartialEq)]
pub struct Measure {
    /// Value (m or rad).
    pub value: f64,
    /// J over the bodies of the context.
    pub jac: SmallVec<[Twist; 4]>,
}

impl Quantity {
    /// The coordinate of a joint along an axis.
    pub fn joint(joint: JointHandle, axis: Axis) -> Self {
        Self::Joint { joint, axis }
    }

    /// A point `at` (m, body frame) of a body along a world direction.
    pub fn point(body: BodyHandle, at: DVec3, along: DVec3) -> Self {
        Self::Point { body, at, along }
    }

    /// Distance between two points given in their body frames (m).
    pub fn distance(a: BodyHandle, at_a: DVec3, b: BodyHandle, at_b: DVec3) -> Self {
        Self::Distance {
            bodies: [a, b],
            at: [at_a, at_b],
        }
    }

    /// Affine combination Σ cₖ qₖ.
    pub fn sum(terms: impl IntoIterator<Item = (f64, Quantity)>) -> Self {
        Self::Sum {
            terms: terms.into_iter().collect(),
            offset: 0.0,
        }
    }

    /// Adds a constant (m or rad).
    pub fn plus(self, constant: f64) -> Self {
        Self::Sum {
            terms: vec![(1.0, self)],
            offset: constant,
        }
    }

    /// Checks numbers; bodies and joints are checked by the world.
    ///
    /// # Errors
    /// See the header.
    pub fn validate(&self) -> Result<()> {
        match self {
            Self::Joint { .. } => Ok(()),
            Self::Point { at, along, .. } => {
                check::vector("point", *at)?;
                unit("along", *along).map(|_| ())
            }
            Self::Distance { bodies, at } => {
                check::vector("point a", at[0])?;
                check::vector("point b", at[1])?;
                if bodies[0] == bodies[1] {
                    return Err(clash("bodies", "a distance needs two different bodies"));
                }
                Ok(())
            }
            Self::Mean { bodies, along } => {
                if bodies.is_empty() {
                    return Err(clash("bodies", "a mean needs at least one body"));
                }
                for (_, w) in bodies {
                    check::positive("weight", *w)?;
                }
                unit("along", *along).map(|_| ())
            }
            Self::Sum { terms, offset } => {
                check::finite("offset", *offset)?;
                for (c, q) in terms {
                    check::finite("coefficient", *c)?;
                    q.validate()?;
                }
                if terms.iter().all(|(c, _)| *c == 0.0) {
                    return Err(clash("terms", "needs a coefficient other than zero"));
                }
                Ok(())
            }
        }
    }

    /// Appends the bodies it names itself, each once.
    pub fn bodies(&self, out: &mut Vec<BodyHandle>) {
        let mut add = |b: BodyHandle| {
            if !out.contains(&b) {
                out.push(b);
            }
        };
        match self {
            Self::Joint { .. } => {}
            Self::Point { body, .. } => add(*body),
            Self::Distance { bodies, .. } => bodies.iter().copied().for_each(add),
            Self::Mean { bodies, .. } => bodies.iter().for_each(|(b, _)| add(*b)),
            Self::Sum { terms, .. } => terms.iter().for_each(|(_, q)| q.bodies(out)),
        }
    }

    /// Appends the joints and axes it reads, each once.
    pub fn joints(&self, out: &mut Vec<(JointHandle, Axis)>) {
        match self {
            Self::Joint { joint, axis } if !out.contains(&(*joint, *axis)) => {
                out.push((*joint, *axis));
            }
            Self::Sum { terms, .. } => terms.iter().for_each(|(_, q)| q.joints(out)),
            _ => {}
        }
    }

    /// Value and J at the poses of a context; `None` if it lacks a body or joint.
    pub fn measure(&self, cx: &ConstraintCx) -> Option<Measure> {
        let mut out = Measure {
            value: 0.0,
            jac: smallvec![Twist::ZERO; cx.bodies.len()],
        };
        self.add_to(1.0, cx, &mut out)?;
        Some(out)
    }

    fn add_to(&self, k: f64, cx: &ConstraintCx, out: &mut Measure) -> Option<()> {
        match self {
            Self::Joint { joint, axis } => {
                let view = cx.joints.iter().find(|v| v.joint == *joint)?;
                let q = coordinate(view, *axis)?;
                out.value += k * q.value;
                for (&i, half) in view.bodies.iter().zip(&q.jac) {
                    out.jac[i] += *half * k;
                }
            }
            Self::Point { body, at, along } => {
                let (i, e) = (cx.index(*body)?, along.normalize());
                let point = cx.bodies[i].pose.point(*at);
                out.value += k * e.dot(point);
                out.jac[i] += push(point - cx.bodies[i].com, e * k);
            }
            Self::Distance { bodies, at } => {
                let [i, j] = [cx.index(bodies[0])?, cx.index(bodies[1])?];
                let (a, b) = (
                    cx.bodies[i].pose.point(at[0]),
                    cx.bodies[j].pose.point(at[1]),
                );
                let length = a.distance(b);
                let e = if length > 1e-12 {
                    (b - a) / length
                } else {
                    DVec3::Z
                } * k;
                out.value += k * length;
                out.jac[i] += push(b - cx.bodies[i].com, -e);
                out.jac[j] += push(b - cx.bodies[j].com, e);
            }
            Self::Mean { bodies, along } => {
                let (e, total) = (along.normalize(), bodies.iter().map(|b| b.1).sum::<f64>());
                for (body, w) in bodies {
                    let (i, share) = (cx.index(*body)?, k * w / total);
                    out.value += share * e.dot(cx.bodies[i].com);
                    out.jac[i].lin += e * share;
                }
            }
            Self::Sum { terms, offset } => {
                out.value += k * offset;
                for (c, q) in terms {
                    q.add_to(k * c, cx, out)?;
                }
            }
        }
        Some(())
    }
}

/// A force through the point at `arm` from the centre of mass.
fn push(arm: DVec3, force: DVec3) -> Twist {
    Twist::new(force, arm.cross(force))
}
