//! Contacts placed anew from their anchors against contacts found anew.

mod common;

use common::{Random, icosahedron};
use rb_contact::narrow::{Apart, collide_shapes};
use rb_contact::reach::{Approach, Reach};
use rb_contact::recycle::{Memory, Recall, Sphere};
use rb_contact::{ContactPatch, Shape};
use rb_core::anchor::{Anchor, Hold, Reference, Stand};
use rb_core::glam::{DQuat, DVec3};
use rb_core::math::{Pose, Twist, exp_rotation};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};

const PREDICTION: f64 = 0.02;

/// Share of a shape's radius by which it may move before contacts are searched for anew, as in the game profile.
const SHARE: f64 = 1e-3;

fn find(a: &Shape, pa: &Pose, b: &Shape, pb: &Pose) -> Vec<ContactPatch> {
    let mut patches = Vec::new();
    collide_shapes(a, pa, b, pb, &Reach::all(PREDICTION), &mut patches);
    patches
}

/// What is left of a search with the shapes there now.
fn recall(memory: &Memory, a: Sphere, b: Sphere) -> Recall {
    let limit = SHARE * a.1.min(b.1);
    memory.recall(memory.moved(a, b), PREDICTION, limit)
}

/// Gaps of anchored points against those of a search.
#[derive(Debug, Default)]
struct Tally {
    compared: usize,
    /// Points a search names otherwise.
    alone: usize,
    /// Patches that are always searched for.
    unanchored: usize,
    /// Largest difference (m).
    worst: f64,
    /// Points that are corners of a box.
    corners: usize,
    /// Largest difference at one of these (m).
    worst_corner: f64,
}

impl Tally {
    /// At least `least` gaps were compared and none is off by `most` (m).
    fn check(&self, name: &str, least: usize, most: f64) {
        println!("{name}: {self:?}");
        assert!(self.compared >= least, "{name}: {self:?}");
        assert!(self.worst < most, "{name}: {self:?}");
    }
}

/// A shape (with its bounding radius) lies at `place` on another, both creep by up to two thirds of what
/// ends the keeping.
fn creep(
    random: &mut Random,
    [lower, upper]: [&Shape; 2],
    radius: f64,
    place: Pose,
    tally: &mut Tally,
) {
    let frame = Pose::new(random.vector(5.0), exp_rotation(random.vector(3.0)));
    let before = frame * place;
    let creep = 0.4 * SHARE * radius;
    let after = Pose::new(
        before.p + random.vector(creep) * 0.5,
        exp_rotation(random.vector(0.4 * SHARE) * 0.5) * before.q,
    );
    let memory = Memory::new(
        (&frame, 9.0),
        (&before, radius),
        Apart::by(2.0 * PREDICTION),
    );
    let recalled = recall(&memory, (&frame, 9.0), (&after, radius));
    assert_eq!(recalled, Recall::InPlace);
    let fresh = find(lower, &frame, upper, &after);
    for patch in find(lower, &frame, upper, &before) {
        if patch.hold == Hold::NONE {
            tally.unanchored += 1;
            continue;
        }
        let places = patch.points.iter().map(|p| [p.position_a, p.position_b]);
        let mut anchor = Anchor::default();
        anchor.set(&patch.hold, patch.normal, places, [&frame, &before]);
        let stand = |pose: Pose| Stand {
            pose,
            center: pose.p,
        };
        anchor.renew(
            [&stand(frame), &stand(after)],
            patch.points.len(),
            |k, p| {
                let feature = patch.points[k].feature;
                let mut points = fresh.iter().flat_map(|p| &p.points);
                match points.find(|p| p.feature == feature) {
                    Some(found) => {
                        tally.compared += 1;
                        let error = (found.gap - p.gap).abs();
                        tally.worst = tally.worst.max(error);
                        if feature & !(1 << 31) < 8 {
                            tally.corners += 1;
                            tally.worst_corner = tally.worst_corner.max(error);
                        }
                    }
                    None => tally.alone += 1,
                }
            },
        );
    }
}

/// Every kind of contact that is kept: gaps of points that a search finds too are what it says.
#[test]
fn anchored_gaps_are_those_of_a_search() {
    let mut random = Random(5);
    let half = DVec3::new(0.5, 0.3, 0.4);
    let cuboid = Shape::cuboid(half).unwrap();
    let plane = Shape::half_space(DVec3::Y).unwrap();
    let ball = Shape::ball(0.3).unwrap();
    let capsule = Shape::capsule(0.4, 0.2).unwrap();
    let soft = Shape::round_cuboid(half - 0.05, 0.05).unwrap();
    // A gem and a box, each on an edge.
    let corners = icosahedron(0.3);
    let bottom = corners.iter().fold(0.0, |m: f64, p| m.max(-p.y));
    let tip = corners[0].length();
    let gem = Shape::convex_hull(corners).unwrap();
    let lying = exp_rotation(DVec3::Z * FRAC_PI_2);
    let edge = (half.y + half.z) * 0.5f64.sqrt();
    let askew = exp_rotation(DVec3::X * FRAC_PI_4);
    let upright = DQuat::IDENTITY;
    let reach = half.length();
    // Shape, its height over what it lies on, its radius, its attitude there, gaps to compare.
    let kinds = [
        ("cuboid", &cuboid, half.y, reach, upright, 5000),
        ("ball", &ball, 0.3, 0.3, upright, 1900),
        ("capsule", &capsule, 0.2, 0.6, lying, 3900),
        ("standing capsule", &capsule, 0.6, 0.6, upright, 1900),
        ("rounded cuboid", &soft, half.y, reach, upright, 7000),
        ("cuboid on an edge", &cuboid, edge, reach, askew, 2500),
        ("gem", &gem, bottom, tip, upright, 3500),
    ];
    for (name, upper, height, radius, attitude, least) in kinds {
        let mut tally = Tally::default();
        for round in 0..2000 {
            let (lower, floor) = [(&cuboid, half.y), (&plane, 0.0)][round % 2];
            let at = DVec3::new(0.0, floor + height, 0.0);
            let turn = exp_rotation(DVec3::Y * random.range(-3.0, 3.0));
            let place = Pose::new(
                at + random.vector(0.25) * DVec3::new(1.0, 1e-3, 1.0),
                turn * exp_rotation(random.vector(1e-3)) * attitude,
            );
            creep(&mut random, [lower, upper], radius, place, &mut tally);
        }
        // Where a slope crosses the border of a face, a gap is off by the motion times the tilt.
        let sloping = ["cuboid on an edge", "gem"].contains(&name);
        let most = if sloping { SHARE * radius } else { 1e-6 };
        tally.check(name, least, most);
    }
}

/// Two boxes meet edge across edge, in each other by up to a millimetre or apart.
#[test]
fn anchored_edges_are_those_of_a_search() {
    let mut random = Random(6);
    let half = DVec3::new(0.5, 0.3, 0.4);
    let cuboid = Shape::cuboid(half).unwrap();
    let edge = (half.y + half.z) * 0.5f64.sqrt();
    let up = DVec3::new(0.0, 1.0, 1.0) * 0.5f64.sqrt();
    let tilt = exp_rotation(DVec3::X * FRAC_PI_4);
    let mut tally = Tally::default();
    for _ in 0..2000 {
        let turn = exp_rotation(DVec3::Y * random.range(0.5, 2.6));
        let place = Pose::new(
            DVec3::new(0.0, half.y, half.z) + up * edge + random.vector(1e-3),
            tilt * turn * tilt * exp_rotation(random.vector(1e-3)),
        );
        creep(&mut random, [&cuboid; 2], half.length(), place, &mut tally);
    }
    tally.check("edge across edge", 1900, 1e-6);
    assert_eq!(tally.unanchored, 0);
}

/// A box lies aslant on another, edge across edge, so that there are points around the crossing: they keep to the
/// face that leans under it.
#[test]
fn anchored_points_beside_edges_are_those_of_a_search() {
    let mut random = Random(7);
    let half = DVec3::new(0.5, 0.3, 0.4);
    let cuboid = Shape::cuboid(half).unwrap();
    let mut tally = Tally::default();
    for _ in 0..8000 {
        let turn = exp_rotation(DVec3::Y * random.range(-3.0, 3.0));
        let place = Pose::new(
            DVec3::Y * (2.0 * half.y + random.range(0.0, 0.01))
                + random.vector(0.4) * DVec3::new(1.0, 0.0, 1.0),
            exp_rotation(random.vector(0.2) * DVec3::new(1.0, 0.0, 1.0)) * turn,
        );
        let found = find(&cuboid, &Pose::IDENTITY, &cuboid, &place);
        let beside = |p: &ContactPatch| p.hold.reference == Reference::BesideFaceOfA;
        if found.iter().any(beside) {
            creep(&mut random, [&cuboid; 2], half.length(), place, &mut tally);
        }
    }
    // Points on the border of the face are off by the motion times the tilt.
    tally.check("points beside edges", 5000, SHARE * half.length());
    assert!(tally.corners > 800, "{tally:?}");
    assert!(tally.worst_corner < 1e-5, "{tally:?}");
}

/// Round shapes beside edges, corners, ends and each other, in each other by up to a millimetre or apart: one
/// point each, and gap and normal are those of a search however they roll.
#[test]
fn anchored_lines_are_those_of_a_search() {
    let mut random = Random(8);
    let half = DVec3::new(0.5, 0.3, 0.4);
    let cuboid = Shape::cuboid(half).unwrap();
    let signs = [-1.0, 1.0];
    let corners = signs.map(|x| signs.map(|y| signs.map(|z| half * DVec3::new(x, y, z))));
    let hull = Shape::convex_hull(corners.as_flattened().as_flattened().to_vec()).unwrap();
    let ball = Shape::ball(0.3).unwrap();
    let capsule = Shape::capsule(0.4, 0.2).unwrap();
    let upright = DQuat::IDENTITY;
    let across = exp_rotation(DVec3::Z * FRAC_PI_2);
    let askew = DQuat::from_rotation_arc(DVec3::Y, DVec3::new(1.0, 1.0, -1.0).normalize());
    let level = DQuat::from_rotation_arc(DVec3::Y, half.cross(DVec3::X).normalize());
    let edge = DVec3::new(0.0, half.y, half.z);
    let slope = DVec3::new(0.0, 1.0, 1.0).normalize();
    let out = half.normalize();
    let center = DVec3::ZERO;
    // Two shapes, where the core of the first holds its line or point, the way to the core of the second, and the
    // attitude of that.
    let kinds = [
        ("edge, ball", &cuboid, &ball, edge, slope * 0.3, upright),
        (
            "hull's edge, ball",
            &hull,
            &ball,
            edge,
            slope * 0.3,
            upright,
        ),
        ("corner, ball", &cuboid, &ball, half, out * 0.3, upright),
        (
            "hull's corner, ball",
            &hull,
            &ball,
            half,
            out * 0.3,
            upright,
        ),
        ("edge, capsule", &cuboid, &capsule, edge, slope * 0.2, askew),
        (
            "hull's edge, capsule",
            &hull,
            &capsule,
            edge,
            slope * 0.2,
            askew,
        ),
        ("corner, capsule", &cuboid, &capsule, half, out * 0.2, level),
        (
            "capsule, ball",
            &capsule,
            &ball,
            center,
            DVec3::X * 0.5,
            upright,
        ),
        (
            "end, ball",
            &capsule,
            &ball,
            DVec3::Y * 0.4,
            slope * 0.5,
            upright,
        ),
        ("ball, ball", &ball, &ball, center, out * 0.6, upright),
        (
            "capsules",
            &capsule,
            &capsule,
            center,
            DVec3::Z * 0.4,
            across,
        ),
    ];
    for (name, lower, upper, on, way, attitude) in kinds {
        let mut tally = Tally::default();
        for _ in 0..500 {
            let place = Pose::new(
                on + way + random.vector(1e-3),
                attitude * exp_rotation(random.vector(1e-2)),
            );
            creep(&mut random, [lower, upper], 0.3, place, &mut tally);
        }
        tally.check(name, 450, 1e-9);
        assert_eq!(tally.unanchored, 0, "{name}");
    }
}

/// Shapes of every kind that can tell along which vector they are apart, with their radii; the last one is a plane.
fn kinds() -> [(Shape, f64); 8] {
    let half = DVec3::new(0.5, 0.3, 0.4);
    [
        (Shape::cuboid(half).unwrap(), half.length()),
        (Shape::cuboid(half * 0.4).unwrap(), 0.4 * half.length()),
        (Shape::convex_hull(icosahedron(0.3)).unwrap(), 0.6),
        (Shape::ball(0.3).unwrap(), 0.3),
        (Shape::capsule(0.4, 0.2).unwrap(), 0.6),
        (Shape::cylinder(0.4, 0.2).unwrap(), 0.5),
        (Shape::round_cuboid(half - 0.05, 0.05).unwrap(), 0.75),
        (Shape::half_space(DVec3::Y).unwrap(), f64::INFINITY),
    ]
}

fn near_each_other(random: &mut Random) -> [Pose; 2] {
    let a = Pose::new(random.vector(5.0), exp_rotation(random.vector(3.0)));
    let way = random.vector(1.0).normalize() * random.range(0.3, 1.6);
    [a, a * Pose::new(way, exp_rotation(random.vector(3.0)))]
}

/// Shapes that were apart and are not looked at again have no contact, however far they have moved across the way
/// between them or away from each other.
#[test]
fn pairs_apart_are_apart_while_nothing_comes_nearer() {
    let (mut random, kinds) = (Random(9), kinds());
    let (mut kept, mut far) = (0, 0);
    for round in 0..60_000 {
        let [(a, ra), (b, rb)] = [round % 7, (round / 7) % 8].map(|k| &kinds[k]);
        let [pa, pb] = near_each_other(&mut random);
        let mut patches = Vec::new();
        let reach = Reach::all(PREDICTION);
        let apart = collide_shapes(a, &pa, b, &pb, &reach, &mut patches);
        if !patches.is_empty() || apart.along == DVec3::ZERO {
            continue;
        }
        assert!((apart.along.length() - 1.0).abs() < 1e-12, "{apart:?}");
        let memory = Memory::new((&pa, *ra), (&pb, *rb), apart);
        let after = Pose::new(
            pb.p + random.vector(0.3),
            exp_rotation(random.vector(0.02)) * pb.q,
        );
        if recall(&memory, (&pa, *ra), (&after, *rb)) == Recall::Search {
            continue;
        }
        kept += 1;
        far += usize::from(pb.p.distance(after.p) > apart.distance);
        let found = find(a, &pa, b, &after);
        assert!(found.is_empty(), "{a:?} {b:?} {apart:?} {found:?}");
    }
    assert!(kept > 10_000 && far > 1000, "{kept} {far}");
}

/// Shapes of which a search that looks ahead tells no contact do not meet by the motion it looks ahead for, nor if one of
/// them is stopped; many that pass are told apart though they are nearer than they move.
#[test]
fn what_looking_ahead_leaves_out_does_not_meet() {
    let (mut random, kinds) = (Random(11), kinds());
    let (mut left_out, mut passing) = (0, 0);
    for round in 0..60_000 {
        let [(a, ra), (b, rb)] = [round % 7, (round / 7) % 8].map(|k| &kinds[k]);
        let [pa, pb] = near_each_other(&mut random);
        let mut motion = || Twist::new(random.vector(0.1), random.vector(0.03));
        let (va, vb, still) = (motion(), motion(), Twist::ZERO);
        let approach = |va, vb| Approach::new(((&pa, *ra), va), ((&pb, *rb), vb));
        let most = approach(&va, &vb).nearing() + va.lin.length() + vb.lin.length() + 0.1;
        let halted = [approach(&still, &vb), approach(&va, &still)];
        let reach = Reach::ahead(0.0, approach(&va, &vb), most).or_halted(halted);
        let mut patches = Vec::new();
        let apart = collide_shapes(a, &pa, b, &pb, &reach, &mut patches);
        if !patches.is_empty() {
            continue;
        }
        left_out += 1;
        passing += usize::from(apart.distance < (vb.lin - va.lin).length());
        for (va, vb) in [(&va, &vb), (&still, &vb), (&va, &still)] {
            let moved = |p: &Pose, v: &Twist| Pose::new(p.p + v.lin, exp_rotation(v.ang) * p.q);
            let found = find(a, &moved(&pa, va), b, &moved(&pb, vb));
            // But for what is of third order in their motion.
            let deep = |p: &ContactPatch| p.points.iter().any(|p| p.gap < -1e-4);
            assert!(!found.iter().any(deep), "{a:?} {b:?} {apart:?} {found:?}");
        }
    }
    assert!(left_out > 10_000 && passing > 1000, "{left_out} {passing}");
}
