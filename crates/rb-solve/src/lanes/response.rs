//! What forces and torques at a contact do to its bodies: W, for torques along the contact's axes.
//!
//! The normals of a contact turn a body about its tangents alone, r × n = r_u t − r_t u. So a visit of the position
//! pass needs no more of the angular part than W t and W u, which are kept with the batch. Of round bodies it needs
//! two numbers, which come with their velocities.

use super::axes::Axes;
use super::batch::{Batch, NONE, Wide3};
use super::pair::Pair;
use super::simd::{Simd, Stored, two};
use super::vector::{Mass, V3};
use rb_core::room;

/// W of both bodies of eight contacts.
#[derive(Clone, Debug, Default)]
#[repr(C)]
pub(super) struct Response<W> {
    /// Diagonal of the linear part (1/kg).
    lin: [Wide3<W>; 2],
    /// Angular part times n, t and u (1/(kg·m²)).
    ang: [[Wide3<W>; 3]; 2],
}

impl<W: Stored> Response<W> {
    #[inline(always)]
    pub(super) fn set<S: Simd<Stored = W>>(&mut self, axes: &Axes<S>, mass: &[Mass<S>; 2]) {
        for s in 0..2 {
            mass[s].lin.store(&mut self.lin[s]);
            for k in 0..3 {
                mass[s].ang(axes.0[k]).store(&mut self.ang[s][k]);
            }
        }
    }

    /// e·W f of the linear parts together.
    #[inline(always)]
    pub(super) fn between<S: Simd<Stored = W>>(&self, e: V3<S>, f: V3<S>) -> S {
        let both = V3::load(&self.lin[0]).add(V3::load(&self.lin[1]));
        e.times(both).dot(f)
    }

    /// Angular part of a side along the axes, as nn, tt, uu, nt, nu, tu.
    #[inline(always)]
    pub(super) fn along<S: Simd<Stored = W>>(&self, axes: &Axes<S>, side: usize) -> [S; 6] {
        let ([n, t, u], wt, wu) = (axes.0, self.column(side, 1), self.column(side, 2));
        [
            n.dot(self.column(side, 0)),
            t.dot(wt),
            u.dot(wu),
            n.dot(wt),
            n.dot(wu),
            t.dot(wu),
        ]
    }

    /// W times an axis: n, t or u.
    #[inline(always)]
    fn column<S: Simd<Stored = W>>(&self, side: usize, axis: usize) -> V3<S> {
        V3::load(&self.ang[side][axis])
    }
}

/// The responses of the batches so far, which have the first places in the list, in the order of these. What follows is
/// that of former batches, or of those still to come.
pub(super) struct Responses<'a, W> {
    list: &'a mut Vec<Response<W>>,
    used: usize,
}

impl<'a, W: Stored> Responses<'a, W> {
    pub(super) fn new(list: &'a mut Vec<Response<W>>) -> Self {
        Self { list, used: 0 }
    }

    /// Whether a batch has none, or the one whose turn it is, which it keeps.
    #[inline(always)]
    pub(super) fn keep(&mut self, number: u32) -> bool {
        let next = number as usize == self.used && self.used < self.list.len();
        self.used += usize::from(next);
        next || number == NONE
    }

    /// That of a batch, if its bodies are not all round.
    #[inline(always)]
    pub(super) fn of(&self, batch: &Batch<W>) -> Option<&Response<W>> {
        self.list.get(batch.response as usize)
    }

    /// Adds one; returns its number.
    #[inline(always)]
    pub(super) fn add(&mut self, response: Response<W>) -> u32 {
        match self.list.get_mut(self.used) {
            Some(place) => *place = response,
            None => self.list.push(response),
        }
        self.used += 1;
        self.used as u32 - 1
    }

    /// Forgets what follows.
    pub(super) fn end(self) {
        self.list.truncate(self.used);
        room::trim(self.list);
    }
}

/// Inertia of the bodies of eight contacts.
#[derive(Clone, Copy)]
pub(super) enum Inertia<'a, W> {
    /// No body has locked axes or different moments of inertia.
    Round,
    /// Whatever they are.
    Any(&'a Response<W>),
}

impl<W: Stored> Inertia<'_, W> {
    /// A force on b (world) and its opposite on a.
    #[inline(always)]
    pub(super) fn push<S: Simd<Stored = W>>(self, pair: &mut Pair<S>, force: V3<S>) {
        let ([va, wa], [vb, wb]) = (pair.of(0), pair.of(1));
        let moved = match self {
            Self::Round => [va.less(force, pair.mass(0)), vb.more(force, pair.mass(1))],
            Self::Any(w) => {
                let lin = two!(|s| V3::load(&w.lin[s]));
                [va.less_by(lin[0], force), vb.more_by(lin[1], force)]
            }
        };
        pair.set(0, moved[0], wa);
        pair.set(1, moved[1], wb);
    }

    /// Torques about t and u: of `torque` on b, and against that on a.
    #[inline(always)]
    pub(super) fn roll<S: Simd<Stored = W>>(
        self,
        pair: &mut Pair<S>,
        axes: &Axes<S>,
        torque: [[S; 2]; 2],
    ) {
        let [_, t, u] = axes.0;
        let columns = match self {
            Self::Round => two!(|s| [t.scaled(pair.moment(s)), u.scaled(pair.moment(s))]),
            Self::Any(w) => two!(|s| [w.column(s, 1), w.column(s, 2)]),
        };
        let ([va, wa], [vb, wb]) = (pair.of(0), pair.of(1));
        let ([t, u], [x, y]) = (columns[0], torque[0]);
        pair.set(0, va, wa.less(t, x).less(u, y));
        let ([t, u], [x, y]) = (columns[1], torque[1]);
        pair.set(1, vb, wb.more(t, x).more(u, y));
    }

    /// Moves the bodies: a force on b and its opposite on a, and torques of `torque` on b and against that on a, all
    /// along the axes.
    #[inline(always)]
    pub(super) fn act<S: Simd<Stored = W>>(
        self,
        pair: &mut Pair<S>,
        axes: &Axes<S>,
        force: V3<S>,
        torque: [V3<S>; 2],
    ) {
        self.push(pair, axes.world(force));
        let ([va, wa], [vb, wb]) = (pair.of(0), pair.of(1));
        let turned = match self {
            Self::Round => {
                let by = two!(|s| axes.world(torque[s]));
                [
                    wa.less(by[0], pair.moment(0)),
                    wb.more(by[1], pair.moment(1)),
                ]
            }
            Self::Any(w) => {
                let columns = two!(|s| [w.column(s, 0), w.column(s, 1), w.column(s, 2)]);
                let ([n, t, u], [x, y, z]) = (columns[0], torque[0].0);
                let wa = wa.less(n, x).less(t, y).less(u, z);
                let ([n, t, u], [x, y, z]) = (columns[1], torque[1].0);
                [wa, wb.more(n, x).more(t, y).more(u, z)]
            }
        };
        pair.set(0, va, turned[0]);
        pair.set(1, vb, turned[1]);
    }

    /// An impulse on b at a point, and its opposite on a: arms and impulse along the axes.
    #[inline(always)]
    pub(super) fn push_at<S: Simd<Stored = W>>(
        self,
        pair: &mut Pair<S>,
        axes: &Axes<S>,
        arm: &[V3<S>; 2],
        impulse: V3<S>,
    ) {
        self.act(pair, axes, impulse, two!(|s| arm[s].cross(impulse)));
    }
}
