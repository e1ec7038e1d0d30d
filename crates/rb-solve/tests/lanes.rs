//! Contacts in lanes against rows: the same certificate, the same fixed point, the same order.

mod random;

use glam::{DMat3, DVec3};
use random::Random;
use rb_core::discretise::Discretiser;
use rb_core::manifold::{
    ContactMaterial, FrictionLaw, Manifold, ManifoldKey, ManifoldPoint, SurfaceExtras,
};
use rb_core::mass::InvMass;
use rb_core::math::Twist;
use rb_core::params::{FrictionAt, Params};
use rb_core::problem::{Pass, Problem};
use rb_core::residual::{grade_beside, grade_velocities};
use rb_solve::lanes::{ContactLanes, Kind, Member, Terms};

const BODIES: usize = 24;
const H: f64 = 1.0 / 360.0;

/// What some of the manifolds have beyond friction: restitution, and compliance. Without, there are too
/// few to a level, and they are swept one by one.
type Special = Option<f64>;

/// W of a body of about a kilogram.
fn mass(random: &mut Random) -> InvMass {
    let m = DMat3::from_cols(random.vector(), random.vector(), random.vector());
    InvMass {
        lin: DVec3::splat(1.5 + random.next()),
        ang: m * m.transpose() + DMat3::from_diagonal(DVec3::splat(3.0)),
    }
}

/// Random manifolds of one to four points between bodies of about a kilogram, the last immovable.
fn scene(
    seed: u64,
    laws: &[FrictionLaw],
    special: Special,
    at: FrictionAt,
) -> (Vec<Manifold>, ContactLanes) {
    let mut random = Random(seed);
    let mut lanes = ContactLanes::default();
    lanes.reset(BODIES);
    for i in 0..BODIES - 1 {
        lanes.set_mass(i, &mass(&mut random));
        let v = Twist::new(random.vector(), random.vector());
        lanes.set_velocity(i, &v);
        lanes.set_free(i, &v);
    }
    let mut set = Vec::new();
    for k in 0..40u32 {
        let a = k % (BODIES as u32 - 1);
        let b = (a + 1 + k / 20) % BODIES as u32;
        let point = |random: &mut Random| ManifoldPoint {
            arm: [random.vector() * 0.3, random.vector() * 0.3],
            gap: 1e-4 * random.next(),
        };
        let normal = random.vector().normalize();
        let points: Vec<_> = (0..1 + k % 4).map(|_| point(&mut random)).collect();
        let mut manifold = Manifold {
            key: ManifoldKey {
                pair: [k, k + 1],
                sub: [0, 0],
            },
            bodies: [a, b],
            normal,
            material: ContactMaterial {
                law: laws[k as usize % laws.len()],
                friction: 0.3 + 0.2 * random.next(),
                restitution: special.filter(|_| k % 3 == 0).unwrap_or(0.0),
                compliance: special.filter(|_| k % 5 == 0).map_or(0.0, |_| 1e-5),
                damping: 1e-3,
                surface_velocity: random.vector() * 0.1,
                extras: SurfaceExtras::default(),
            },
            ..Manifold::default()
        };
        manifold.set_points((0..).zip(points));
        set.push(manifold);
    }
    let lanes = packed(&set, 0..set.len(), &lanes, 0, at);
    (set, lanes)
}

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

/// A manifold of the set between the given bodies.
fn member(set: &[Manifold], i: usize, bodies: [u32; 2]) -> Member {
    Member {
        number: i as u32,
        bodies,
        kind: Kind::of(&set[i]),
    }
}

/// Some manifolds between bodies as `like` has them, with `idle` more between bodies that nothing moves:
/// where there are too few to a level, they are not swept in batches.
fn packed(
    set: &[Manifold],
    manifolds: core::ops::Range<usize>,
    like: &ContactLanes,
    idle: usize,
    friction: FrictionAt,
) -> ContactLanes {
    let mut lanes = ContactLanes::default();
    pack_into(&mut lanes, set, manifolds, like, idle, friction);
    lanes
}

/// The same in lanes that have been used before.
fn pack_into(
    lanes: &mut ContactLanes,
    set: &[Manifold],
    manifolds: core::ops::Range<usize>,
    like: &ContactLanes,
    idle: usize,
    friction: FrictionAt,
) {
    lanes.reset(BODIES + 2);
    for i in 0..BODIES {
        lanes.set_mass(i, &like.body(i).inv);
        lanes.set_velocity(i, &like.velocity(i));
        lanes.set_free(i, &like.free(i));
    }
    let numbers = Discretiser::new(&Params::game(), H);
    let still = [BODIES as u32, BODIES as u32 + 1];
    let idle = vec![member(set, manifolds.start, still); idle];
    let contacts: Vec<_> = manifolds.map(|i| member(set, i, set[i].bodies)).collect();
    let islands = [contacts, idle].into_iter().map(Vec::into_iter);
    lanes.pack(set, islands, BODIES - 1, terms(&numbers, friction));
    lanes.pose(|i| like.free(i.min(BODIES - 1)), &numbers);
}

fn terms(numbers: &Discretiser, friction: FrictionAt) -> Terms {
    Terms {
        soft: [false, true].map(|still| numbers.contact_step(still)),
        friction,
        scale: 1.0,
    }
}

fn problem(lanes: &ContactLanes) -> Problem {
    let mut p = Problem {
        bodies: (0..BODIES).map(|i| lanes.body(i)).collect(),
        ..Problem::default()
    };
    lanes.append_to(&mut p, 0..lanes.len(), |body| body);
    p
}

/// Laws of friction, what some manifolds have besides, where friction acts, and a seed.
type Setting = (u64, &'static [FrictionLaw], Special, FrictionAt);

/// Every law alone and all together, with friction at points and as one, swept in batches and one by one.
fn cases(first: u64) -> impl Iterator<Item = Setting> {
    let (points, whole) = (FrictionAt::Points, FrictionAt::Manifold);
    let laws = [
        (&ALL[..1], points),
        (&ALL[1..2], points),
        (&ALL[2..3], points),
        (&ALL[..], points),
        (&ALL[..1], whole),
        (&ALL[..], whole),
    ];
    let of = move |special| {
        let seeds = first..;
        seeds
            .zip(laws)
            .map(move |(seed, (laws, at))| (seed, laws, special, at))
    };
    of(Some(0.5)).chain(of(None))
}

/// Whether manifolds are swept one by one.
fn thin((_, _, special, _): &Setting) -> bool {
    special.is_none()
}

const ALL: [FrictionLaw; 4] = [
    FrictionLaw::Conic,
    FrictionLaw::Boxed,
    FrictionLaw::Pyramid,
    FrictionLaw::None,
];

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
            let mut new = packed(set, manifolds.clone(), like, idle, at);
            pack_into(&mut used, set, manifolds, like, idle, at);
            for lanes in [&mut new, &mut used] {
                lanes.warm();
                lanes.sweep(Pass::Position, &numbers, false);
                lanes.sweep(Pass::Velocity, &numbers, true);
            }
            let found = |lanes: &ContactLanes| {
                let bodies: Vec<_> = (0..BODIES).map(|i| lanes.velocity(i)).collect();
                let contacts: Vec<_> = (0..lanes.len()).map(|m| lanes.impulses(m)).collect();
                (bodies, contacts)
            };
            assert_eq!(found(&new), found(&used));
        }
    }
}

#[test]
fn sweeping_on_reaches_the_law_and_keeps_the_impulse_balance() {
    let numbers = Discretiser::new(&Params::game(), H);
    for (seed, laws, special, at) in cases(1) {
        let (_, mut lanes) = scene(seed, laws, special, at);
        // Sets the terms of the velocity pass.
        lanes.sweep(Pass::Position, &numbers, false);
        let before = grade_velocities(&problem(&lanes), 0.0).abs;
        for k in 0..4000 {
            lanes.sweep(Pass::Velocity, &numbers, k % 2 == 1);
        }
        let mut p = problem(&lanes);
        let kept: Vec<Twist> = p.bodies.iter().map(|b| b.vel).collect();
        p.rebuild_velocities();
        let pairs = p.bodies.iter().zip(&kept);
        let off = pairs.map(|(b, k)| (b.vel.lin - k.lin).length() + (b.vel.ang - k.ang).length());
        let off = off.fold(0.0, f64::max);
        let grade = grade_velocities(&p, 0.0);
        println!(
            "{laws:?}: {before:.1e} -> {:.1e} m/s, balance {off:.1e}",
            grade.abs
        );
        assert!(off < 1e-11, "v = free + W Jᵀλ, off by {off:e}");
        assert!(
            before > 1e-2 && grade.abs < 1e-8,
            "{laws:?}: {:e}",
            grade.abs
        );
        assert!(grade.outside < 1e-12, "impulses admissible");
    }
}

/// Compares the certificate of lanes with that of their rows; returns the depth it measured.
fn assert_certificates_agree(lanes: &mut ContactLanes, floor: f64) -> f64 {
    let (contacts, scaled, depth) = lanes.grade(floor);
    let empty = Problem::default();
    let ours = grade_beside(&empty, Pass::Velocity, floor, (contacts, scaled));
    let p = problem(lanes);
    let theirs = grade_velocities(&p, floor);
    for (name, a, b) in [
        ("abs", ours.abs, theirs.abs),
        ("rel", ours.rel, theirs.rel),
        ("rms", ours.rms, theirs.rms),
        ("contact", ours.contact, theirs.contact),
        ("outside", ours.outside, theirs.outside),
        ("closing", ours.closing, theirs.closing),
        (
            "complementarity",
            ours.complementarity,
            theirs.complementarity,
        ),
        ("dissipation", ours.dissipation, theirs.dissipation),
    ] {
        assert!(
            (a - b).abs() <= 1e-9 * b.abs() + 1e-12,
            "{name}: {a:e} and {b:e}"
        );
    }
    assert_eq!(
        (ours.worst, ours.open, ours.stick, ours.slide),
        (theirs.worst, theirs.open, theirs.stick, theirs.slide)
    );
    depth
}

#[test]
fn both_certificates_agree() {
    let numbers = Discretiser::new(&Params::game(), H);
    for (seed, laws, special, at) in cases(5) {
        let (_, mut lanes) = scene(seed, laws, special, at);
        lanes.sweep(Pass::Position, &numbers, false);
        for _ in 0..3 {
            lanes.sweep(Pass::Velocity, &numbers, false);
        }
        let depth = assert_certificates_agree(&mut lanes, 0.01);
        let rigid = |k: &usize| special.is_none() || !k.is_multiple_of(5);
        let gaps = (0..40).filter(rigid).flat_map(|m| lanes.gaps(m));
        let deepest = gaps.fold(0.0f64, |d, g| d.max(-g));
        assert!((deepest - depth).abs() < 1e-15, "{deepest:e} and {depth:e}");
    }
}

/// Each manifold in lanes of its own, in the given order: swept one after the other.
struct Alone {
    lanes: Vec<ContactLanes>,
    velocity: Vec<Twist>,
}

impl Alone {
    fn new(set: &[Manifold], order: &[usize], like: &ContactLanes, at: FrictionAt) -> Self {
        let alone = |&m: &usize| packed(set, m..m + 1, like, 7, at);
        Self {
            lanes: order.iter().map(alone).collect(),
            velocity: (0..BODIES).map(|i| like.velocity(i)).collect(),
        }
    }

    fn sweep(&mut self, pass: Pass, numbers: &Discretiser, backwards: bool) {
        for k in 0..self.lanes.len() {
            let last = self.lanes.len() - 1;
            let one = &mut self.lanes[if backwards { last - k } else { k }];
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
fn divided(
    set: &[Manifold],
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
    lanes.pack(set, core::iter::once(contacts), movable, terms);
    lanes.pose(|i| like.free(i), &numbers);
    lanes
}

#[test]
fn sections_and_then_the_seam_is_one_after_the_other() {
    const SIZE: usize = 6;
    let numbers = Discretiser::new(&Params::game(), H);
    for seed in 0..8 {
        let at = [FrictionAt::Points, FrictionAt::Manifold][seed as usize % 2];
        let (set, like) = scene(seed, &ALL, Some(0.3), at);
        // In that order everything is in one section.
        let section = |m: usize| {
            let own = |&b: &u32| (b as usize) < BODIES - 1;
            let bodies = set[m].bodies;
            let mut sections = bodies.iter().filter(|b| own(b)).map(|&b| b as usize / SIZE);
            let first = sections.next();
            let same = sections.all(|s| Some(s) == first);
            if same { first.unwrap_or(0) } else { usize::MAX }
        };
        let mut order: Vec<usize> = (0..set.len()).collect();
        order.sort_by_key(|&m| section(m));
        assert_eq!(section(order[39]), usize::MAX, "some are in the seam");
        let mut parts = divided(&set, &order, &like, SIZE, at);
        // A section has lines for its bodies, for the guest and for nobody.
        let size = SIZE as u32;
        let line = |body: u32| body / size * (size + 2) + body % size;
        let visits: Vec<usize> = order
            .chunk_by(|&a, &b| section(a) == section(b))
            .flat_map(|part| from_both_ends(&set, part, line))
            .collect();
        let mut alone = Alone::new(&set, &visits, &like, at);
        for (pass, backwards) in [
            (Pass::Position, false),
            (Pass::Position, true),
            (Pass::Velocity, false),
            (Pass::Velocity, true),
        ] {
            parts.sweep(pass, &numbers, backwards);
            alone.sweep(pass, &numbers, backwards);
        }
        for (i, v) in alone.velocity.iter().enumerate() {
            assert_eq!(*v, parts.velocity(i), "body {i}, to the last bit");
        }
        for (m, one) in visits.iter().zip(&alone.lanes) {
            let place = order.iter().position(|n| n == m).unwrap();
            assert_eq!(one.impulses(0), parts.impulses(place), "manifold {m}");
            assert_eq!(one.gaps(0), parts.gaps(place));
        }
        assert_certificates_agree(&mut parts, 0.1);
    }
}

/// Gives every body an inverse mass of about the same size, turned.
fn turn(lanes: &mut ContactLanes, seed: u64) {
    let mut random = Random(seed);
    for i in 0..BODIES - 1 {
        let (w, other) = (lanes.body(i).inv, mass(&mut random));
        let ang = 0.95 * w.ang + 0.05 * other.ang;
        lanes.set_mass(i, &InvMass { ang, ..w });
    }
}

#[test]
fn one_by_one_is_the_sweep_of_batches() {
    let numbers = Discretiser::new(&Params::game(), H);
    for (seed, laws, special, at) in cases(10).filter(thin) {
        let (set, mut thin) = scene(seed, laws, special, at);
        let mut wide = packed(&set, 0..set.len(), &thin, 800, at);
        let bodies: Vec<_> = (0..BODIES).map(|i| thin.body(i)).collect();
        for lanes in [&mut thin, &mut wide] {
            turn(lanes, seed);
            lanes.pose(|i| bodies[i.min(BODIES - 1)].vel, &numbers);
        }
        let mut off = 0.0f64;
        let passes = [
            Pass::Position,
            Pass::Position,
            Pass::Velocity,
            Pass::Velocity,
        ];
        for (k, pass) in passes.into_iter().enumerate() {
            for lanes in [&mut thin, &mut wide] {
                lanes.sweep(pass, &numbers, k % 2 == 1);
            }
            let apart = |v: Twist, w: Twist| (v.lin - w.lin).length() + (v.ang - w.ang).length();
            let apart = (0..BODIES).map(|i| apart(thin.velocity(i), wide.velocity(i)));
            off = apart.fold(off, f64::max);
        }
        println!("{laws:?}: off by {off:.1e} m/s");
        assert!(off > 0.0, "packed in two ways");
        assert!(off < 1e-12, "{laws:?}: off by {off:e} m/s");
    }
}

#[test]
fn one_by_one_keeps_the_impulse_balance_of_bodies_that_have_turned() {
    let numbers = Discretiser::new(&Params::game(), H);
    for (seed, laws, special, at) in cases(20).filter(thin) {
        let (_, mut lanes) = scene(seed, laws, special, at);
        turn(&mut lanes, seed);
        let start: Vec<Twist> = (0..BODIES).map(|i| lanes.free(i)).collect();
        lanes.pose(|i| start[i.min(BODIES - 1)], &numbers);
        lanes.sweep(Pass::Position, &numbers, false);
        for k in 0..40_000 {
            lanes.sweep(Pass::Velocity, &numbers, k % 2 == 1);
        }
        let mut p = problem(&lanes);
        let kept: Vec<Twist> = p.bodies.iter().map(|b| b.vel).collect();
        p.rebuild_velocities();
        let pairs = p.bodies.iter().zip(&kept);
        let off = pairs.map(|(b, k)| (b.vel.lin - k.lin).length() + (b.vel.ang - k.ang).length());
        let off = off.fold(0.0, f64::max);
        let grade = grade_velocities(&p, 0.0).abs;
        println!("{laws:?}: {grade:.1e} m/s, balance {off:.1e}");
        assert!(off < 1e-11, "v = free + W Jᵀλ, off by {off:e}");
        assert!(grade < 1e-9, "{laws:?}: {grade:e}");
    }
}
