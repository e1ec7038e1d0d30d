//! Nets of pins in single precision, where the parameters allow it: half the memory, and one register for eight numbers
//! with AVX2 too.
//!
//! Bodies stay as they are, of double precision, and lanes convert what they ask of them. Where a step begins points come
//! from absolute places, and the way between two centres of mass is found before it is rounded: it may be known to 6e-8 of
//! its length then, as arms are, a tenth of a micrometre in a cloth. What is graded is what was swept, with rates of
//! double precision.

use super::JointLanes;
use super::carry::{Bias, Turn, Turns};
use super::grade::{Sums, grade_point};
use super::kernel::Order;
use super::pack::Batch;
use super::pin::{LanePin, Pins};
use super::point::Point;
use crate::lanes::pair::Pair;
use crate::lanes::simd::{AllLanes, Double, Line, Narrow, Simd, Stored, Within, by_halves};
use crate::lanes::vector::V3;
use crate::lanes::{BodyLines, dispatch};
use rb_core::discretise::Discretiser;

#[cfg(test)]
mod tests;

/// W of the bodies of a point.
type Masses = [[Narrow; 9]; 2];

/// Points of a net, by number of the batch.
#[derive(Clone, Debug, Default)]
pub(super) struct Net {
    /// Whether all joints are here.
    pub(super) is_used: bool,
    pub(super) points: Vec<Point<Narrow>>,
    pins: Vec<Pins<Narrow>>,
    /// W of both bodies, where these are not round.
    masses: Vec<Masses>,
}

impl Net {
    /// The point of a batch, if there is one.
    #[inline(always)]
    pub(super) fn point_of(&self, batch: &Batch) -> Option<&Point<Narrow>> {
        match self.is_used {
            true => self.points.get(batch.point as usize),
            false => None,
        }
    }

    /// Has a point for a batch.
    pub(super) fn open(&mut self, batch: usize) -> &mut Point<Narrow> {
        let most = self.points.len().max(batch + 1);
        self.points.resize(most, Point::default());
        self.pins.resize(most, Pins::default());
        self.masses.resize(most, Default::default());
        &mut self.points[batch]
    }

    /// Puts a pin into a lane of a point.
    #[inline]
    pub(super) fn put(&mut self, point: usize, lane: usize, pin: &LanePin) {
        self.pins[point].put(lane, pin);
        self.points[point].start(lane, pin.impulse);
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.points.capacity() * size_of::<Point<Narrow>>()
            + self.pins.capacity() * size_of::<Pins<Narrow>>()
            + self.masses.capacity() * size_of::<Masses>()
    }
}

impl JointLanes {
    /// Sweeps pins in single precision from now on, if there is nothing else, or all joints in double; says whether it was
    /// otherwise before.
    pub(super) fn use_net(&mut self, net: bool) -> bool {
        let other = self.net.is_used != net;
        if other {
            self.net = Net {
                is_used: net,
                ..Net::default()
            };
        }
        other
    }

    /// Carries the points along, from the start of a step if it is the `first` time, and adds up what they do to the
    /// inertia of their bodies if they are `pulling`.
    pub(super) fn carry_net(&mut self, numbers: &Discretiser, first: bool, pulling: bool) {
        run_carry(self, Bias::of(numbers), [first, pulling]);
    }

    /// Adds up what the points do to the inertia of their bodies.
    pub(super) fn pull_net(&mut self) {
        run_pull(self);
    }

    /// Prepares the points between these bodies, and starts from their last impulses.
    pub(super) fn start_net(&mut self, lines: &mut BodyLines) {
        let (points, masses) = (&mut self.net.points[..], &mut self.net.masses[..]);
        let count = self.numbered as usize;
        let (points, masses) = (&mut points[..count], &mut masses[..count]);
        match lines.narrow.is_empty() {
            true => run_start(points, masses, lines.inv, lines.vel),
            false => run_start(points, masses, lines.inv, lines.narrow),
        }
    }

    /// Visits every point once.
    pub(super) fn sweep_net<L: Stored>(&mut self, vel: &mut [L], order: Order) {
        run_sweep(&mut self.net, &self.visits, vel, order);
    }

    /// The largest error of a joint where its bodies are now (m).
    pub(super) fn net_error(&self) -> f64 {
        let mut most = Narrow::default();
        run_error(self, &mut most);
        f64::from(most.0.into_iter().fold(0.0, f32::max))
    }

    /// Grades some batches at the velocities of the lines, and those before impulses.
    pub(super) fn grade_net(
        &self,
        batches: &[Batch],
        lines: [&[Line]; 2],
        floor: f64,
        sums: &mut Sums,
    ) {
        run_grade(&self.net, batches, lines, floor, sums);
    }

    /// Its points.
    #[inline(always)]
    fn used(&self) -> usize {
        self.numbered as usize
    }
}

fn run_carry(lanes: &mut JointLanes, bias: Bias, how: [bool; 2]) {
    dispatch!(carry(lanes: &mut JointLanes, bias: Bias, how: [bool; 2]))
}

#[inline(always)]
pub(super) fn carry<S: Double + AllLanes>(
    lanes: &mut JointLanes,
    bias: Bias,
    [first, pulling]: [bool; 2],
) {
    let count = lanes.used();
    let (net, turned, levers) = (&mut lanes.net, &lanes.turned[..], &mut lanes.levers[..]);
    let numbers = bias.numbers::<S::Single>();
    for i in 0..count {
        let point = &mut net.points[i];
        let bodies = point.bodies;
        let pull = if first {
            let now = Turns::<S>::of(turned, &bodies).narrowed();
            point.carry(&now, numbers, Some(&net.pins[i]))
        } else {
            point.carry(&Turns::of(turned, &bodies), numbers, None)
        };
        if pulling {
            pull.put(levers, &bodies);
        }
    }
}

fn run_pull(lanes: &mut JointLanes) {
    dispatch!(pull(lanes: &mut JointLanes))
}

#[inline(always)]
pub(super) fn pull<S: Double + AllLanes>(lanes: &mut JointLanes) {
    for i in 0..lanes.used() {
        let point = &lanes.net.points[i];
        point
            .pull::<S::Single>()
            .put(&mut lanes.levers, &point.bodies);
    }
}

fn run_start<L: Stored>(
    points: &mut [Point<Narrow>],
    masses: &mut [Masses],
    inv: &[Line],
    vel: &mut [L],
) {
    dispatch!(single L start(
        points: &mut [Point<Narrow>],
        masses: &mut [Masses],
        inv: &[Line],
        vel: &mut [L]
    ))
}

#[inline(always)]
pub(super) fn start<S: Simd<Stored = Narrow>, L: Stored>(
    points: &mut [Point<Narrow>],
    masses: &mut [Masses],
    inv: &[Line],
    vel: &mut [L],
) {
    for (point, mass) in points.iter_mut().zip(masses) {
        let pair = Pair::<S>::gather(vel, Within::both(&point.bodies, vel));
        point.prepare(mass, &pair, inv);
        point.warm_pair(mass, pair, vel);
    }
}

fn run_sweep<L: Stored>(net: &mut Net, visits: &[u32], vel: &mut [L], order: Order) {
    dispatch!(single L sweep(net: &mut Net, visits: &[u32], vel: &mut [L], order: Order))
}

#[inline(always)]
pub(super) fn sweep<S: Simd<Stored = Narrow>, L: Stored>(
    net: &mut Net,
    visits: &[u32],
    vel: &mut [L],
    order: Order,
) {
    for i in 0..visits.len() {
        let place = if order.backwards {
            visits.len() - 1 - i
        } else {
            i
        };
        let number = visits[place] as usize;
        net.points[number].visit::<S, L>(&net.masses[number], vel, order.pass);
    }
}

fn run_error(lanes: &JointLanes, most: &mut Narrow) {
    dispatch!(error(lanes: &JointLanes, most: &mut Narrow))
}

#[inline(always)]
pub(super) fn error<S: Double + AllLanes>(lanes: &JointLanes, most: &mut Narrow) {
    let mut largest = S::Single::load(most);
    for point in &lanes.net.points[..lanes.used()] {
        let now = Turns::<S::Single>::of(&lanes.turned, &point.bodies);
        largest = point.error(&now).max(largest);
    }
    largest.store(most);
}

fn run_grade(net: &Net, batches: &[Batch], lines: [&[Line]; 2], floor: f64, sums: &mut Sums) {
    dispatch!(grade(
        net: &Net,
        batches: &[Batch],
        lines: [&[Line]; 2],
        floor: f64,
        sums: &mut Sums
    ))
}

#[inline(always)]
pub(super) fn grade<S: Double + AllLanes>(
    net: &Net,
    batches: &[Batch],
    lines: [&[Line]; 2],
    floor: f64,
    sums: &mut Sums,
) {
    for (number, batch) in batches.iter().enumerate() {
        let point = &net.points[batch.point as usize].widened::<S>();
        by_halves!(grade_point::<S>(point, (number, batch), lines, floor, sums));
    }
}

impl<S: Double + AllLanes> Turns<S> {
    /// The same in single precision.
    #[inline(always)]
    fn narrowed(&self) -> Turns<S::Single> {
        let [a, b] = &self.turn;
        let ([x, y, z, w], [p, q, r, s]) = (a.numbers(), b.numbers());
        let [u, v, t] = self.went.0;
        Turns {
            turn: [
                Turn::new([narrowed(x), narrowed(y), narrowed(z), narrowed(w)]),
                Turn::new([narrowed(p), narrowed(q), narrowed(r), narrowed(s)]),
            ],
            went: V3([narrowed(u), narrowed(v), narrowed(t)]),
        }
    }
}

#[inline(always)]
fn narrowed<S: AllLanes>(x: S) -> S::Single {
    let mut to = Narrow::default();
    x.write_single(&mut to.0);
    S::Single::load(&to)
}
