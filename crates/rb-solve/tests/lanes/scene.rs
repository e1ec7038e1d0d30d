//! Random manifolds, and their lanes.

use crate::random::Random;
use glam::{DMat3, DVec3};
use rb_core::anchor::Anchored;
use rb_core::discretise::Discretiser;
use rb_core::manifold::{
    ContactMaterial, Contacts, FrictionLaw, Manifold, ManifoldKey, SurfaceExtras,
};
use rb_core::mass::InvMass;
use rb_core::math::Twist;
use rb_core::params::{FrictionAt, Params, Precision};
use rb_core::problem::Problem;
use rb_solve::lanes::{ContactLanes, Kind, Member, Terms};

pub(crate) const BODIES: usize = 24;
pub(crate) const H: f64 = 1.0 / 360.0;

/// What some of the manifolds have beyond friction: restitution, and compliance. Without, there are too
/// few to a level, and those of single precision are swept one by one.
pub(crate) type Special = Option<f64>;

/// W of a body of about a kilogram.
pub(crate) fn mass(random: &mut Random) -> InvMass {
    let m = DMat3::from_cols(random.vector(), random.vector(), random.vector());
    InvMass {
        lin: DVec3::splat(1.5 + random.next()),
        ang: m * m.transpose() + DMat3::from_diagonal(DVec3::splat(3.0)),
    }
}

/// Manifolds with their materials.
pub(crate) struct Set {
    manifolds: Vec<Manifold>,
    materials: Vec<ContactMaterial>,
}

impl Set {
    pub(crate) fn contacts(&self) -> Contacts<'_> {
        Contacts {
            manifolds: &self.manifolds,
            materials: &self.materials,
            fresh: &[],
        }
    }
}

impl core::ops::Deref for Set {
    type Target = [Manifold];

    fn deref(&self) -> &[Manifold] {
        &self.manifolds
    }
}

/// Random manifolds of one to four points between bodies of about a kilogram, the last immovable.
pub(crate) fn scene(
    seed: u64,
    laws: &[FrictionLaw],
    special: Special,
    at: FrictionAt,
) -> (Set, ContactLanes) {
    let mut random = Random(seed);
    let mut lanes = ContactLanes::default();
    lanes.reset(BODIES);
    for i in 0..BODIES - 1 {
        lanes.set_mass(i, &mass(&mut random));
        let v = Twist::new(random.vector(), random.vector());
        lanes.set_velocity(i, &v);
        lanes.set_free(i, &v);
    }
    let mut set = Set {
        manifolds: Vec::new(),
        materials: Vec::new(),
    };
    for k in 0..40u32 {
        let a = k % (BODIES as u32 - 1);
        let b = (a + 1 + k / 20) % BODIES as u32;
        let normal = random.vector().normalize();
        let way = random.vector() * 0.3;
        let point = |random: &mut Random| {
            let (arm, gap) = (random.vector() * 0.3, 1e-4 * random.next());
            Anchored {
                arm: [arm, arm + normal * gap - way],
                gap,
            }
        };
        let points: Vec<_> = (0..1 + k % 4).map(|_| point(&mut random)).collect();
        let material = ContactMaterial {
            law: laws[k as usize % laws.len()],
            friction: 0.3 + 0.2 * random.next(),
            restitution: special.filter(|_| k % 3 == 0).unwrap_or(0.0),
            compliance: special.filter(|_| k % 5 == 0).map_or(0.0, |_| 1e-5),
            damping: 1e-3,
            surface_velocity: random.vector() * 0.1,
            extras: SurfaceExtras::default(),
        };
        let mut manifold = Manifold {
            key: ManifoldKey {
                pair: [k, k + 1],
                sub: [0, 0],
            },
            bodies: [a, b],
            normal,
            law: material.law,
            friction: material.friction,
            surface: k + 1,
            ..Manifold::default()
        };
        manifold.set_points((0..).zip(points));
        set.manifolds.push(manifold);
        set.materials.push(material);
    }
    let lanes = packed(&set, 0..set.len(), &lanes, 0, at);
    (set, lanes)
}

/// A manifold of the set between the given bodies.
pub(crate) fn member(set: &Set, i: usize, bodies: [u32; 2]) -> Member {
    Member {
        number: i as u32,
        bodies,
        kind: Kind::new(&set[i], set.contacts().surface(&set[i])),
    }
}

/// Some manifolds between bodies as `like` has them, with `idle` more between bodies that nothing moves:
/// where there are too few to a level, those of single precision are not swept in batches.
pub(crate) fn packed(
    set: &Set,
    manifolds: core::ops::Range<usize>,
    like: &ContactLanes,
    idle: usize,
    friction: FrictionAt,
) -> ContactLanes {
    let mut lanes = ContactLanes::default();
    let terms = terms(&Discretiser::new(&Params::game(), H), friction);
    pack_into(&mut lanes, set, manifolds, like, idle, terms);
    lanes
}

/// The same in lanes that have been used before.
pub(crate) fn pack_into(
    lanes: &mut ContactLanes,
    set: &Set,
    manifolds: core::ops::Range<usize>,
    like: &ContactLanes,
    idle: usize,
    terms: Terms,
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
    lanes.pack(set.contacts(), islands, BODIES - 1, terms);
    lanes.pose(|i| like.free(i.min(BODIES - 1)), &numbers);
}

pub(crate) fn terms(numbers: &Discretiser, friction: FrictionAt) -> Terms {
    Terms {
        soft: [false, true].map(|still| numbers.contact_step(still)),
        friction,
        scale: 1.0,
        precision: Precision::Double,
        step: 0,
    }
}

/// The same of single precision, in which manifolds are swept one by one where there are too few to a level.
pub(crate) fn single(terms: Terms) -> Terms {
    Terms {
        precision: Precision::Single,
        ..terms
    }
}

/// A scene in lanes of double and of single precision.
pub(crate) fn both(case: Setting, numbers: &Discretiser) -> [ContactLanes; 2] {
    let (seed, laws, special, at) = case;
    let (set, double) = scene(seed, laws, special, at);
    // Some have been of double precision before.
    let mut lanes = match seed % 2 {
        1 => double.clone(),
        _ => ContactLanes::default(),
    };
    let terms = single(terms(numbers, at));
    pack_into(&mut lanes, &set, 0..set.len(), &double, 0, terms);
    [double, lanes]
}

pub(crate) fn problem(lanes: &ContactLanes) -> Problem {
    let mut p = Problem {
        bodies: (0..BODIES).map(|i| lanes.body(i)).collect(),
        ..Problem::default()
    };
    lanes.append_to(&mut p, 0..lanes.len(), |body| body);
    p
}

/// Brings the velocities of a problem to v = free + W Jᵀλ; says how far they were off.
pub(crate) fn rebalance(p: &mut Problem) -> f64 {
    let kept: Vec<Twist> = p.bodies.iter().map(|b| b.vel).collect();
    p.rebuild_velocities();
    let pairs = p.bodies.iter().zip(&kept);
    let off = pairs.map(|(b, k)| (b.vel.lin - k.lin).length() + (b.vel.ang - k.ang).length());
    off.fold(0.0, f64::max)
}

/// Laws of friction, what some manifolds have besides, where friction acts, and a seed.
pub(crate) type Setting = (u64, &'static [FrictionLaw], Special, FrictionAt);

/// Every law alone and all together, with friction at points and as one, swept in batches and one by one.
pub(crate) fn cases(first: u64) -> impl Iterator<Item = Setting> {
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

/// Whether manifolds of single precision are swept one by one.
pub(crate) fn thin((_, _, special, _): &Setting) -> bool {
    special.is_none()
}

pub(crate) const ALL: [FrictionLaw; 4] = [
    FrictionLaw::Conic,
    FrictionLaw::Boxed,
    FrictionLaw::Pyramid,
    FrictionLaw::None,
];
