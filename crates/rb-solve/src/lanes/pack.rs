//! Manifolds into lanes: all in one section, or in as many as a large island has, and a seam.
//!
//! A section holds the contacts of its own bodies and guests; the seam holds those between bodies of
//! different sections, in [parts](super::seam). Sections share nothing, so they are swept side by side, and the seam in
//! between (see [`watch`](super::watch)). How many there are is the caller's choice and must not depend on threads.

use super::bodies::Layout;
use super::kernel::Numbers;
use super::narrow::on_lines;
use super::plan::Member;
use super::seam::Seam;
use super::section::{PackInput, Section, Terms};
use super::simd::{Line, Narrow};
use crate::parallel;
use core::ops::Range;
use glam::{DMat3, DVec3};
use rb_core::discretise::Discretiser;
use rb_core::manifold::Contacts;
use rb_core::math::Twist;
use rb_core::problem::Pass;
use rb_core::room;

/// The contacts of one island, in lanes, and what they need to know of its bodies.
#[derive(Clone, Debug, Default)]
pub struct ContactLanes {
    pub(super) layout: Layout,
    pub(super) sections: Vec<Section>,
    pub(super) seam: Seam,
    /// Section of each manifold and its number there; parts of the seam are counted behind the sections.
    pub(super) locations: Vec<[u32; 2]>,
    /// Whether an inverse mass was set since thin manifolds were last prepared.
    pub(super) turned: bool,
    /// Velocity of each body: (lin, 1/m along z; ang, 1/I), the last negative unless the body is round: without
    /// locked axes, and with equal moments of inertia.
    pub(super) vel: Vec<Line>,
    /// The same in single precision, if bodies are only ever swept in that: see [`narrow`](super::narrow).
    pub(super) narrow: Vec<Narrow>,
    /// Displacement since the contacts were found, in the same places.
    pub(super) moved: Vec<Line>,
    /// W: (xx, yy, zz, xy, xz, yz of the angular part; 1/m along x and y).
    pub(super) inv: Vec<Line>,
    /// Velocity after forces, before impulses.
    pub(super) free: Vec<Line>,
    /// Whether the inverse mass of each is another than contacts were packed with.
    pub(super) other: Vec<bool>,
    /// When they were packed.
    step: Option<u64>,
    /// Whether what has become of the contacts since is what is stored of them.
    pub(super) own: bool,
}

impl ContactLanes {
    /// Forgets all contacts and makes room for `bodies` bodies at rest that nothing can move.
    pub fn reset(&mut self, bodies: usize) {
        self.reset_in_sections(bodies, 0, bodies);
    }

    /// The same for movable bodies in sections of `size` (the first `size` bodies are the first section,
    /// and so on), and for the guests after them.
    pub fn reset_in_sections(&mut self, movable: usize, guests: usize, size: usize) {
        self.layout = Layout::new(movable, guests, size);
        let Layout { sections, .. } = self.layout;
        self.sections.resize_with(sections, Section::default);
        for (k, section) in self.sections.iter_mut().enumerate() {
            section.clear(k * self.layout.stride());
        }
        self.seam.reset(sections, self.layout.stride());
        room::empty(&mut self.locations);
        let lines = self.layout.lines();
        for all in [
            &mut self.vel,
            &mut self.moved,
            &mut self.inv,
            &mut self.free,
        ] {
            all.clear();
            room::fit(all, lines);
            all.resize(lines, Line::default());
        }
        self.narrow.clear();
        self.other.clear();
        room::fit(&mut self.other, lines);
        self.other.resize(lines, true);
    }

    /// Gives back the memory of lanes that are not needed any more.
    pub fn release(&mut self) {
        if !self.is_empty() {
            *self = Self::default();
        }
    }

    /// Notes that something else has become of its contacts than [`settle`](Self::settle) found.
    pub fn drop_settled(&mut self) {
        self.own = false;
    }

    /// Number of manifolds.
    pub fn len(&self) -> usize {
        self.locations.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.locations.is_empty()
    }

    /// The section of a manifold, and its number there.
    #[inline]
    pub(super) fn location(&self, manifold: usize) -> (&Section, usize) {
        let [section, number] = self.locations[manifold].map(|n| n as usize);
        let section = match section.checked_sub(self.sections.len()) {
            Some(part) => &self.seam.parts()[part],
            None => &self.sections[section],
        };
        (section, number)
    }

    /// All sections, those of the seam last.
    pub(super) fn all(&self) -> impl Iterator<Item = &Section> {
        self.sections.iter().chain(self.seam.parts())
    }

    /// Packs manifolds of `set`, island by island, between bodies of which the first `movable` can move.
    /// Inverse masses must have been set.
    pub fn pack<C: Iterator<Item = Member>>(
        &mut self,
        set: Contacts,
        islands: impl Iterator<Item = C>,
        movable: usize,
        terms: Terms,
    ) {
        self.assign(islands);
        self.repack(set, movable, terms);
    }

    /// Takes manifolds in, island by island, that are to be packed.
    pub fn assign<C: Iterator<Item = Member>>(&mut self, islands: impl Iterator<Item = C>) {
        for contacts in islands {
            self.distribute(contacts);
            for section in self.sections.iter_mut().chain(self.seam.parts_mut()) {
                section.end_island();
            }
        }
    }

    /// Packs the manifolds that it has, as they are in `set` now. All that was to be told of bodies is to be told anew;
    /// what was packed in the step before, and is as it was, stays.
    pub fn repack(&mut self, set: Contacts, movable: usize, terms: Terms) {
        let input = self.take_in(set, movable, terms);
        let (inv, vel, other) = (&self.inv[..], &self.vel[..], &self.other[..]);
        let (sections, seam) = (&mut self.sections, &mut self.seam);
        let stride = self.layout.stride();
        parallel::both(
            || {
                parallel::for_each(sections, 1, |section| {
                    let run = section.base..section.base + stride;
                    let lines = (&inv[run.clone()], &vel[run.clone()], &other[run]);
                    section.pack(&input, lines, input.movable);
                });
            },
            || seam.pack(&input, (inv, vel, other)),
        );
        self.other.fill(false);
    }

    /// Packs the seam alone, as [`repack`](Self::repack) does; returns what sections [are to be](super::Watch::pack)
    /// packed with.
    pub fn pack_seam<'a>(
        &mut self,
        set: Contacts<'a>,
        movable: usize,
        terms: Terms,
    ) -> PackInput<'a> {
        let input = self.take_in(set, movable, terms);
        self.seam.pack(&input, (&self.inv, &self.vel, &self.other));
        input
    }

    /// What all are packed with, in the step that `terms` names.
    fn take_in<'a>(&mut self, set: Contacts<'a>, movable: usize, terms: Terms) -> PackInput<'a> {
        let before = self.step.replace(terms.step);
        let follows = before.is_some_and(|step| step + 1 == terms.step);
        self.turned = false;
        PackInput {
            set: Contacts {
                fresh: if follows { set.fresh } else { &[] },
                ..set
            },
            movable: movable.min(self.layout.size),
            terms,
            own: core::mem::take(&mut self.own) && follows && terms.scale == 1.0,
        }
    }

    /// Tells the sections and the seam which manifolds of an island are theirs.
    fn distribute(&mut self, contacts: impl Iterator<Item = Member>) {
        for member in contacts {
            let bodies = member.bodies;
            let [a, b] = bodies.map(|body| self.layout.place(body as usize));
            let (name, section, bodies) = match [a.0, b.0] {
                [Some(k), Some(l)] if k != l => {
                    let number = self.seam.between(k, l);
                    let part = &mut self.seam.parts_mut()[number];
                    let lines = bodies.map(|body| self.layout.line(body as usize) - part.base);
                    (self.sections.len() + number, part, lines)
                }
                [k, l] => {
                    let k = k.or(l).unwrap_or(0);
                    (k, &mut self.sections[k], [a.1, b.1])
                }
            };
            self.locations
                .push([name, section.members.len()].map(|n| n as u32));
            let bodies = bodies.map(|line| line as u32);
            section.members.push(Member { bodies, ..member });
        }
    }

    /// Terms of the manifolds that bounce or yield, and of thin ones, for the substep that starts now
    /// with velocities `start`.
    pub fn pose(&mut self, start: impl Fn(usize) -> Twist + Sync, numbers: &Discretiser) {
        let turned = std::mem::take(&mut self.turned);
        let layout = self.layout;
        let start = |line: usize| start(layout.body(line));
        let state = State {
            inv: &self.inv,
            vel: &self.vel,
            moved: &self.moved,
            free: &self.free,
        };
        parallel::for_each(&mut self.sections, 1, |section| {
            let base = section.base;
            let state = state.run(base..base + layout.stride());
            section.pose(|line| start(base + line), state, numbers, turned);
        });
        self.seam.look(state, |part, state| {
            let base = part.base;
            part.pose(|line| start(base + line), state, numbers, turned);
        });
    }

    /// Adds W Jᵀλ of all contacts to the velocities.
    pub fn warm(&mut self) {
        self.each(|section, bodies| section.warm(bodies));
        self.warm_seam();
    }

    /// Visits every contact once in the given pass, from both ends or towards them.
    pub fn sweep(&mut self, pass: Pass, numbers: &Discretiser, backwards: bool) {
        self.sweeps(pass, numbers, 1, backwards);
    }

    pub(super) fn sweep_seam(&mut self, pass: Pass, numbers: &Numbers, backwards: bool) {
        on_lines!(self, |bodies| self.seam.each(
            bodies,
            backwards,
            |part, bodies| part.sweep(bodies, pass, numbers, backwards)
        ));
    }

    /// Runs `f` on every section with its bodies.
    pub(super) fn each(&mut self, f: impl Fn(&mut Section, Bodies) + Sync + Send) {
        let (inv, moved) = (&self.inv, &self.moved);
        let stride = self.layout.stride();
        parallel::for_each_with_run(&mut self.sections, &mut self.vel, stride, |section, vel| {
            let run = section.base..section.base + stride;
            let bodies = Bodies {
                inv: &inv[run.clone()],
                moved: &moved[run],
                vel,
            };
            f(section, bodies);
        });
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let lines = [&self.vel, &self.moved, &self.inv, &self.free];
        let lines: usize = lines.into_iter().map(room::bytes).sum();
        let sections: usize = self.sections.iter().map(Section::bytes).sum();
        let lines = lines + room::bytes(&self.narrow);
        let records = room::bytes(&self.sections) + room::bytes(&self.locations);
        sections + self.seam.bytes() + records + lines + room::bytes(&self.other)
    }
}

/// What a sweep reads and writes of the bodies.
pub(super) struct Bodies<'a, L = Line> {
    pub(super) inv: &'a [Line],
    /// Of the precision that visits have them in.
    pub(super) vel: &'a mut [L],
    pub(super) moved: &'a [Line],
}

/// What the other passes read of them.
#[derive(Clone, Copy)]
pub(super) struct State<'a> {
    pub(super) inv: &'a [Line],
    pub(super) vel: &'a [Line],
    pub(super) moved: &'a [Line],
    pub(super) free: &'a [Line],
}

impl State<'_> {
    /// A run of the lines.
    pub(super) fn run(&self, lines: Range<usize>) -> Self {
        Self {
            inv: &self.inv[lines.clone()],
            vel: &self.vel[lines.clone()],
            moved: &self.moved[lines.clone()],
            free: &self.free[lines],
        }
    }
}

/// W of a body from its lines: of the linear part the diagonal, and the angular part.
pub(super) fn matrix(inv: &Line, vel: &Line) -> (DVec3, DMat3) {
    let [xx, yy, zz, xy, xz, yz, mx, my] = inv.0;
    let columns = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
    let lin = DVec3::new(mx, my, vel.0[3]);
    (lin, DMat3::from_cols_array_2d(&columns))
}
