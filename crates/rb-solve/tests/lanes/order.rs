//! Lanes do what visiting one manifold after the other does, in the order that is planned.

use crate::impulses;
use crate::laws::assert_certificates_agree;
use crate::scene::{
    ALL, BODIES, H, Set, cases, member, pack_into, packed, scene, single, terms, thin,
};
use core::ops::Range;
use rb_core::discretise::Discretiser;
use rb_core::manifold::Manifold;
use rb_core::math::Twist;
use rb_core::params::{FrictionAt, Params};
use rb_core::problem::Pass;
use rb_solve::lanes::{ContactLanes, Motions};

/// Manifolds in the order in which those of one island or section are visited, when `line` is where its
/// bodies are: those of the lower half of the bodies, then the others backwards.
fn from_both_ends(set: &[Manifold], part: &[usize], line: impl Fn(u32) -> u32) -> Vec<usize> {
    let body = |m: usize| set[m].bodies.map(&line).into_iter().min().unwrap();
    let bodies = part.iter().map(|&m| body(m));
    let half = bodies
        .clone()
        .min()
        .unwrap()
        .midpoint(bodies.max().unwrap());
    let (low, high): (Vec<_>, Vec<_>) = part.iter().partition(|&&m| body(m) <= half);
    low.into_iter().chain(high.into_iter().rev()).collect()
}

/// Each manifold in lanes of its own, in the given order: swept one after the other.
struct Alone {
    lanes: Vec<ContactLanes>,
    velocity: Vec<Twist>,
}

impl Alone {
    fn new(set: &Set, order: &[usize], like: &ContactLanes, at: FrictionAt) -> Self {
        let alone = |&m: &usize| packed(set, m..m + 1, like, 7, at);
        Self {
            lanes: order.iter().map(alone).collect(),
            velocity: (0..BODIES).map(|i| like.velocity(i)).collect(),
        }
    }

    fn sweep(&mut self, pass: Pass, numbers: &Discretiser, backwards: bool) {
        self.sweep_some(0..self.lanes.len(), pass, numbers, backwards);
    }

    fn sweep_some(
        &mut self,
        some: Range<usize>,
        pass: Pass,
        numbers: &Discretiser,
        backwards: bool,
    ) {
        for k in some.clone() {
            let opposite = some.start + some.end - 1 - k;
            let one = &mut self.lanes[if backwards { opposite } else { k }];
            for (i, v) in self.velocity.iter().enumerate() {
                one.set_velocity(i, v);
            }
            one.sweep(pass, numbers, backwards);
            for (i, v) in self.velocity.iter_mut().enumerate() {
                *v = one.velocity(i);
            }
        }
    }
}

#[test]
fn eight_at_a_time_is_one_after_the_other() {
    let numbers = Discretiser::new(&Params::game(), H);
    for at in [FrictionAt::Points, FrictionAt::Manifold] {
        let (set, mut together) = scene(9, &ALL[..1], Some(0.0), at);
        let all: Vec<usize> = (0..set.len()).collect();
        let visits = from_both_ends(&set, &all, |body| body);
        let mut alone = Alone::new(&set, &visits, &together, at);
        for pass in [Pass::Position, Pass::Velocity, Pass::Velocity] {
            together.sweep(pass, &numbers, false);
            alone.sweep(pass, &numbers, false);
        }
        for (i, v) in alone.velocity.iter().enumerate() {
            assert_eq!(*v, together.velocity(i), "body {i}, to the last bit");
        }
    }
}

/// Manifolds in the given order, with bodies as `like` has them, in sections of `size` movable bodies.
pub(crate) fn divided(
    set: &Set,
    order: &[usize],
    like: &ContactLanes,
    size: usize,
    friction: FrictionAt,
) -> ContactLanes {
    let movable = BODIES - 1;
    let mut lanes = ContactLanes::default();
    lanes.reset_in_sections(movable, 1, size);
    for i in 0..BODIES {
        lanes.set_mass(i, &like.body(i).inv);
        lanes.set_velocity(i, &like.velocity(i));
        lanes.set_free(i, &like.free(i));
    }
    let numbers = Discretiser::new(&Params::game(), H);
    let contacts = order.iter().map(|&i| member(set, i, set[i].bodies));
    let terms = terms(&numbers, friction);
    lanes.pack(set.contacts(), core::iter::once(contacts), movable, terms);
    lanes.pose(|i| like.free(i), &numbers);
    lanes
}

/// Manifolds between movable bodies, each of the first colour that neither of its bodies has had.
fn by_colours(set: &[Manifold], some: &[usize]) -> Vec<usize> {
    let mut had = [0u64; BODIES];
    let mut coloured: Vec<(u32, usize)> = Vec::new();
    for &m in some {
        let [a, b] = set[m].bodies.map(|b| b as usize);
        let colour = (0..).find(|c| (had[a] | had[b]) >> c & 1 == 0).unwrap();
        had[a] |= 1 << colour;
        had[b] |= 1 << colour;
        coloured.push((colour, m));
    }
    coloured.sort_by_key(|(colour, _)| *colour);
    coloured.into_iter().map(|(_, m)| m).collect()
}

/// Contacts in sections and a seam, and each in lanes of its own.
struct Both {
    parts: ContactLanes,
    alone: Alone,
    /// Manifolds as they are packed, and as they are visited.
    order: Vec<usize>,
    visits: Vec<usize>,
    /// How many of them are in sections.
    border: usize,
}

impl Both {
    /// Some with special terms, or none.
    fn new(seed: u64, special: Option<f64>) -> Self {
        const SIZE: usize = 6;
        let at = [FrictionAt::Points, FrictionAt::Manifold][seed as usize % 2];
        let (set, like) = scene(seed, &ALL, special, at);
        // Level, from 0 for what is in one section, and the part of that level.
        let part = |m: usize| {
            let own = |&b: &u32| (b as usize) < BODIES - 1;
            let bodies = set[m].bodies;
            let mut sections = bodies.iter().filter(|b| own(b)).map(|&b| b as usize / SIZE);
            let first = sections.next().unwrap_or(0);
            let other = sections.next().unwrap_or(first);
            let level = (0..).find(|l| first >> l == other >> l).unwrap();
            (level, first >> level)
        };
        let mut order: Vec<usize> = (0..set.len()).collect();
        order.sort_by_key(|&m| part(m));
        assert!(part(order[39]).0 > 1, "some are between pairs of sections");
        // A section has lines for its bodies, for the guest and for nobody.
        let size = SIZE as u32;
        let line = |body: u32| body / size * (size + 2) + body % size;
        let visits: Vec<usize> = order
            .chunk_by(|&a, &b| part(a) == part(b))
            .flat_map(|some| match part(some[0]) {
                (0, _) => from_both_ends(&set, some, line),
                _ => by_colours(&set, some),
            })
            .collect();
        let seam = |m: &usize| part(*m).0 > 0;
        Self {
            parts: divided(&set, &order, &like, SIZE, at),
            alone: Alone::new(&set, &visits, &like, at),
            border: order.iter().position(seam).unwrap(),
            order,
            visits,
        }
    }

    /// Sweeps those in lanes of their own: so often `S`ections, and so often what is between them, `x`.
    fn sweep_alone(
        &mut self,
        course: &str,
        pass: Pass,
        numbers: &Discretiser,
        (count, backwards): (u32, bool),
    ) {
        let mut done = [0; 2];
        for who in course.chars().filter(|who| *who != ' ') {
            let k = usize::from(who == 'x');
            let some = [0..self.border, self.border..self.order.len()][k].clone();
            let backwards = backwards != (done[k] % 2 == 1);
            self.alone.sweep_some(some, pass, numbers, backwards);
            done[k] += 1;
        }
        assert_eq!(done, [count; 2]);
    }

    /// Asserts that all are the same, to the last bit.
    fn assert_same(mut self) {
        for (i, v) in self.alone.velocity.iter().enumerate() {
            assert_eq!(*v, self.parts.velocity(i), "body {i}");
        }
        self.parts.settle();
        for (m, one) in self.visits.iter().zip(&mut self.alone.lanes) {
            one.settle();
            let place = self.order.iter().position(|n| n == m).unwrap();
            assert_eq!(
                impulses(one, 0),
                impulses(&self.parts, place),
                "manifold {m}"
            );
            assert_eq!(one.gaps(0), self.parts.gaps(place));
        }
        assert_certificates_agree(&mut self.parts, 0.1);
    }
}

/// What is swept in a pass of so many sweeps, one after the other: sections or the seam.
fn course(sweeps: u32) -> &'static str {
    match sweeps {
        1 => "S x",
        2 => "S xx S",
        3 => "S xxx SS",
        4 => "S xx SS xx S",
        _ => "S xx SS xxx SS",
    }
}

#[test]
fn sections_and_the_seam_take_turns_as_one_after_the_other() {
    let numbers = Discretiser::new(&Params::game(), H);
    for seed in 0..8 {
        let mut both = Both::new(seed, Some(0.3));
        for (pass, count, backwards) in [
            (Pass::Position, 3, false),
            (Pass::Position, 2, true),
            (Pass::Velocity, 5, false),
            (Pass::Velocity, 1, true),
            (Pass::Velocity, 4, true),
        ] {
            both.parts.sweeps(pass, &numbers, count, backwards);
            both.sweep_alone(course(count), pass, &numbers, (count, backwards));
        }
        both.assert_same();
    }
}

/// The seam is late where that may be: few sweeps, and no contact that bounces or is damped.
#[test]
fn a_late_seam_comes_when_sections_are_through() {
    let numbers = Discretiser::new(&Params::game(), H);
    let mut motions = Motions::default();
    motions.reset(BODIES - 1);
    for (special, count, late) in [(None, 2, "SS xx"), (None, 4, "SSSS xxxx"), (None, 5, "")]
        .into_iter()
        .chain([(Some(0.3), 2, "")])
    {
        for seed in 0..4 {
            let mut both = Both::new(seed, special);
            both.parts.sweeps(Pass::Position, &numbers, 1, false);
            both.sweep_alone("S x", Pass::Position, &numbers, (1, false));
            let round = both.parts.round(Pass::Velocity, &numbers, count, true);
            let round = both.parts.late(round);
            assert_eq!(round.is_late(), !late.is_empty());
            both.parts.watch(&mut motions, |mut w| w.open(&round));
            both.parts.cross(&round);
            both.parts.watch(&mut motions, |mut w| w.close(&round));
            let course = [course(count), late][usize::from(round.is_late())];
            both.sweep_alone(course, Pass::Velocity, &numbers, (count, true));
            // Plain ones may be swept one by one in sections, which rounds otherwise.
            for (i, v) in both.alone.velocity.iter().enumerate() {
                let off = *v - both.parts.velocity(i);
                assert!(off.lin.length() + off.ang.length() < 1e-12, "body {i}");
            }
        }
    }
}

/// Lanes plan their visits once for contacts that stay. What they hold must not hang on what they held before:
/// the same contacts with other numbers, some of them, others, as batches and one by one.
#[test]
fn lanes_that_were_used_before_are_as_new() {
    let numbers = Discretiser::new(&Params::game(), H);
    for (seed, laws, special, at) in cases(400) {
        let (first, like) = scene(seed, laws, special, at);
        let (second, other) = scene(seed + 50, laws, special, at);
        let mut used = ContactLanes::default();
        let all = 0..first.len();
        let courses = [
            (&first, all.clone(), &like, 0),
            (&first, all.clone(), &like, 0),
            (&second, all.clone(), &other, 0),
            (&second, 3..30, &other, 0),
            (&second, 3..30, &other, 200),
            (&second, 3..30, &other, 200),
            (&first, 0..0, &like, 0),
            (&first, all, &like, 0),
        ];
        for (set, manifolds, like, idle) in courses {
            let terms = match thin(&(seed, laws, special, at)) {
                true => single(terms(&numbers, at)),
                false => terms(&numbers, at),
            };
            let mut new = ContactLanes::default();
            pack_into(&mut new, set, manifolds.clone(), like, idle, terms);
            pack_into(&mut used, set, manifolds, like, idle, terms);
            for lanes in [&mut new, &mut used] {
                lanes.warm();
                lanes.sweep(Pass::Position, &numbers, false);
                lanes.sweep(Pass::Velocity, &numbers, true);
                lanes.settle();
            }
            let found = |lanes: &ContactLanes| {
                let bodies: Vec<_> = (0..BODIES).map(|i| lanes.velocity(i)).collect();
                let contacts: Vec<_> = (0..lanes.len()).map(|m| impulses(lanes, m)).collect();
                (bodies, contacts)
            };
            assert_eq!(found(&new), found(&used));
        }
    }
}
