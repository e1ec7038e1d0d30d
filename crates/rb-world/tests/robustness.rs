//! Non-finite states are contained, removals leave nothing dangling, random edits never panic.

mod common;
use common::rows::constrain;
use common::*;
use proptest::prelude::*;
use rb_world::joint::ConstraintRow;
use rb_world::prelude::*;

const DT: f64 = 1.0 / 60.0;

#[test]
fn a_row_that_is_no_number_spreads_nowhere() {
    for params in [Params::game(), Params::robotics()] {
        let mut world = World::new(params).unwrap();
        let [bad, good] = [0.0, 5.0].map(|x| {
            let at = DVec3::new(x, 9.0, 0.0);
            sphere(&mut world, 0.5, 0.0, at, DVec3::ZERO)
        });
        // One of three coordinates alone.
        constrain(&mut world, &[bad], |cx, out| {
            let jac = [Twist::new(DVec3::new(f64::NAN, 1.0, 0.0), DVec3::ZERO)];
            let gap = cx.bodies[0].com.y;
            out.push(ConstraintRow::new(jac, |j| Row::bilateral(j, gap, 0)));
        });
        let report = world.step(DT).unwrap();
        assert_eq!(report.frozen, [bad], "named once");
        assert!(world.bodies().all(|(_, b)| b.is_sound()));
        let fallen = world.velocity(good).unwrap().lin;
        assert!(fallen.y < -0.1 && fallen.is_finite(), "{fallen}");
    }
}

type MakeRow = fn([Twist; 2], f64) -> Row;

/// Whom a row without numbers holds is frozen; what hangs on it goes on.
#[test]
fn a_row_that_is_no_number_spares_the_rest_of_its_island() {
    let nan = f64::NAN;
    let upward = |y: f64| [Twist::new(DVec3::new(0.0, y, 0.0), DVec3::ZERO)];
    let rows: [(f64, MakeRow, f64); 4] = [
        (1.0, |j, x| Row::velocity(j, x, 0), nan),
        (1.0, |j, x| Row::bilateral(j, x, 0), nan),
        (1.0, |j, x| Row::bilateral(j, x, 0), f64::INFINITY),
        (nan, |j, x| Row::bilateral(j, x, 0), 0.0),
    ];
    for (case, (y, row, number)) in rows.into_iter().enumerate() {
        for params in [Params::game(), Params::robotics()] {
            let mut world = World::new(params).unwrap();
            let chain: Vec<_> = (0..5)
                .map(|k| {
                    let at = DVec3::new(2.0 * k as f64, 9.0, 0.0);
                    sphere(&mut world, 0.5, 0.0, at, DVec3::ZERO)
                })
                .collect();
            for link in chain.windows(2) {
                let [a, b] = [0, 1].map(|i| world.pose(link[i]).unwrap());
                let ball = Ball::at_world(&a, &b, 0.5 * (a.p + b.p));
                world.add_joint(link[0], link[1], ball).unwrap();
            }
            constrain(&mut world, &chain[..1], move |_, out| {
                out.push(ConstraintRow::new(upward(y), |j| row(j, number)));
            });
            let report = world.step(DT).unwrap();
            assert_eq!(report.frozen, chain[..1], "case {case}");
            assert!(!report.met, "case {case}");
            for &link in &chain[1..] {
                let v = world.velocity(link).unwrap().lin;
                assert!(v.is_finite() && v.y < -0.01, "case {case}: {v}");
            }
        }
    }
}

#[test]
fn an_absurd_force_freezes_one_body_only() {
    let mut world = World::new(Params::game()).unwrap();
    floor(&mut world, 0.5, FrictionLaw::Conic);
    let row: Vec<_> = (0..5)
        .map(|k| {
            sphere(
                &mut world,
                0.5,
                0.0,
                DVec3::new(k as f64, 0.5, 0.0),
                DVec3::ZERO,
            )
        })
        .collect();
    let twin = world.clone();
    world.add_force(row[2], [1e300, 0.0, 0.0]).unwrap();
    let report = world.step(DT).unwrap();
    assert_eq!(report.frozen, [row[2]]);
    assert_eq!(world.events().frozen, [row[2]]);
    assert!(!report.met);
    assert_eq!(
        world.position(row[2]).unwrap(),
        twin.position(row[2]).unwrap()
    );
    for _ in 0..120 {
        let report = world.step(DT).unwrap();
        assert!(report.frozen.is_empty() && report.residual < 1e-2);
    }
    for (k, body) in row.iter().enumerate() {
        let p = world.position(*body).unwrap();
        assert!(
            (p - DVec3::new(k as f64, 0.5, 0.0)).length() < 5e-3,
            "{k}: {p}"
        );
    }
    // An edit lets it move again.
    world.apply_impulse(row[2], DVec3::Y * 5.0).unwrap();
    world.step(DT).unwrap();
    assert!(world.velocity(row[2]).unwrap().lin.y > 1.0);
}

#[test]
fn a_kinematic_body_stays_within_the_bounds_of_a_state() {
    let mut world = World::new(Params::game()).unwrap();
    let [told, driven] = [0, 1].map(|_| world.add_body(BodyDesc::kinematic()).unwrap());
    let far = 0.999e12;
    world.set_position(driven, [far, 0.0, 0.0]).unwrap();
    world
        .set_velocity(driven, [0.5e12, 0.0, 0.0], [0.0; 3])
        .unwrap();
    let target = Pose::from_translation(DVec3::X * 2e12);
    world.set_target(told, target).unwrap();
    let report = world.step(DT).unwrap();
    assert_eq!(report.frozen, [told, driven]);
    for (body, x) in [(told, 0.0), (driven, far)] {
        assert_eq!(world.position(body).unwrap().x, x);
        assert_eq!(world.velocity(body).unwrap(), Twist::ZERO);
    }
    world
        .set_velocity(driven, [-1.0, 0.0, 0.0], [0.0; 3])
        .unwrap();
    assert!(world.step(DT).unwrap().frozen.is_empty());
    assert!(world.position(driven).unwrap().x < far);
}

#[test]
fn removing_a_support_wakes_what_rests_on_it() {
    let mut world = World::new(Params::game()).unwrap();
    let table = world
        .add_body(BodyDesc::fixed().at([0.0, 1.0, 0.0]))
        .unwrap();
    let top = Shape::cuboid(DVec3::new(2.0, 0.1, 2.0)).unwrap();
    world.add_collider(table, ColliderDesc::new(top)).unwrap();
    let ball = sphere(&mut world, 0.5, 0.0, DVec3::Y * 1.6, DVec3::ZERO);
    run(&mut world, DT, 120, |_, _| {});
    assert!(world.body(ball).unwrap().is_asleep());
    world.remove_body(table).unwrap();
    assert!(!world.body(ball).unwrap().is_asleep());
    run(&mut world, DT, 30, |_, _| {});
    assert!(world.position(ball).unwrap().y < 1.0, "it must fall");
    assert_eq!(world.contact_points().count(), 0);
}

#[test]
fn a_sleeping_jointed_body_can_be_removed() {
    let mut world = World::new(Params::game()).unwrap();
    floor(&mut world, 0.5, FrictionLaw::Conic);
    let a = sphere(&mut world, 0.5, 0.0, DVec3::Y * 0.5, DVec3::ZERO);
    let b = sphere(&mut world, 0.5, 0.0, DVec3::new(1.5, 0.5, 0.0), DVec3::ZERO);
    let weld = Fixed::at_world(&world.pose(a).unwrap(), &world.pose(b).unwrap(), DVec3::X);
    let joint = world.add_joint(a, b, weld).unwrap();
    run(&mut world, DT, 120, |_, _| {});
    assert!(world.body(a).unwrap().is_asleep());
    world.remove_body(a).unwrap();
    assert!(world.joint(joint).is_err() && world.joints_of(b).unwrap().is_empty());
    assert!(!world.body(b).unwrap().is_asleep());
    run(&mut world, DT, 120, |_, _| {});
    assert!((world.position(b).unwrap().y - 0.5).abs() < 5e-3);
}

/// One random edit or step, chosen by numbers that shrink well.
fn act(world: &mut World, kind: u8, pick: usize, x: [f64; 3]) {
    let v = DVec3::from(x);
    let bodies: Vec<_> = world.bodies().map(|(h, _)| h).collect();
    let body = bodies
        .get(pick % bodies.len().max(1))
        .copied()
        .unwrap_or_default();
    let other = bodies
        .get((pick / 7) % bodies.len().max(1))
        .copied()
        .unwrap_or_default();
    let joints: Vec<_> = world.joints().map(|(h, _)| h).collect();
    let joint = joints
        .get(pick % joints.len().max(1))
        .copied()
        .unwrap_or_default();
    let frame = Pose::from_translation(v * 0.1);
    let shapes = [
        Shape::ball(0.3 + x[0].abs() * 0.05),
        Shape::cuboid(v.abs() * 0.05 + 0.2),
        Shape::capsule(0.3, 0.2),
        Shape::cylinder(0.2, 0.3),
        Shape::convex_hull(vec![v, DVec3::X, DVec3::Y, DVec3::Z, -DVec3::ONE]),
    ];
    // Results are ignored on purpose: half of these edits must be refused.
    let _ = match kind % 20 {
        0..=2 => world
            .add_body(BodyDesc::dynamic().at(v))
            .and_then(|b| {
                shapes[pick % 5]
                    .clone()
                    .and_then(|s| world.add_collider(b, ColliderDesc::new(s)))
            })
            .map(|_| ()),
        3 => world
            .add_body(BodyDesc::kinematic().at(v).velocity(v * 0.1))
            .map(|_| ()),
        4 => shapes[pick % 5]
            .clone()
            .and_then(|s| world.add_collider(body, ColliderDesc::new(s)))
            .map(|_| ()),
        5 => world.remove_body(body),
        6 => world
            .add_joint(body, other, Hinge::new(frame, frame).limits(-1.0, 1.0))
            .map(|_| ()),
        7 => world
            .add_joint(body, other, Ball::new(frame, frame).cone(0.5))
            .map(|_| ()),
        8 => world.remove_joint(joint),
        9 => world.set_position(body, v),
        10 => world.set_velocity(body, v * 10.0, v),
        11 => world.add_force(body, v * 1e3),
        12 => world.add_force(body, v * 1e300),
        13 => world.set_target(body, frame),
        14 => world.set_kind(
            body,
            [BodyKind::Static, BodyKind::Kinematic, BodyKind::Dynamic][pick % 3],
        ),
        15 => world
            .colliders_of(body)
            .map(|c| c.first().copied().unwrap_or_default())
            .and_then(|c| world.remove_collider(c)),
        16 => world.set_position(body, v * f64::NAN),
        17 => world
            .save()
            .and_then(|s| World::restore(&s))
            .map(|w| *world = w),
        _ => Ok(()),
    };
    let report = world.step(DT).unwrap();
    for (h, b) in world.bodies() {
        assert!(b.is_sound(), "{h:?} after {:?}: {:?}", report.frozen, b.com);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 50, max_shrink_iters: 200, ..ProptestConfig::default() })]
    /// 50 × 200 = 10,000 random edits, each followed by a step.
    #[test]
    fn random_edits_never_panic(
        acts in prop::collection::vec((any::<u8>(), 0usize..1000, prop::array::uniform3(-3.0..3.0f64)), 200),
    ) {
        let mut world = World::new(Params::game()).unwrap();
        floor(&mut world, 0.5, FrictionLaw::Conic);
        for (kind, pick, x) in acts {
            act(&mut world, kind, pick, x);
        }
    }
}

/// Nothing can move a frozen body and the floor below it: their contact must not answer NaN, which the floor
/// would hand on to all that stands on it.
#[test]
fn a_frozen_body_leaves_its_neighbours_alone_with_rigid_contacts() {
    for precise in [false, true] {
        let mut world = World::new(Params::robotics()).unwrap();
        let ground = world.add_body(BodyDesc::fixed()).unwrap();
        let rolling = ColliderDesc::new(Shape::half_space(DVec3::Y).unwrap()).rolling(0.1);
        world.add_collider(ground, rolling).unwrap();
        let row: Vec<_> = (0..5)
            .map(|k| {
                let desc = BodyDesc::dynamic().at([k as f64, 0.5, 0.0]);
                let desc = if precise { desc.precise() } else { desc };
                let body = world.add_body(desc).unwrap();
                let ball = ColliderDesc::new(Shape::ball(0.5).unwrap()).rolling(0.1);
                world.add_collider(body, ball).unwrap();
                body
            })
            .collect();
        world.add_force(row[2], [1e300, 0.0, 0.0]).unwrap();
        let report = world.step(DT).unwrap();
        assert_eq!(report.frozen, [row[2]]);
        assert!(report.residual < 1e-6, "{}", report.residual);
        assert!(world.contact_points().all(|p| p.force.is_finite()));
    }
}

/// A hovering puck: it is held where it presses on the floor.
#[test]
fn contacts_along_locked_axes_ask_for_nothing() {
    let held = LockedAxes::LINEAR_Y | LockedAxes::ANGULAR_X | LockedAxes::ANGULAR_Z;
    for params in [Params::game(), Params::robotics()] {
        for locked in [held, held | LockedAxes::ANGULAR] {
            for rolling in [0.0, 0.1] {
                let mut world = World::new(params).unwrap();
                floor(&mut world, 0.5, FrictionLaw::Conic);
                let desc = BodyDesc::dynamic().at([0.0, 0.499, 0.0]).lock(locked);
                let puck = world.add_body(desc.velocity([1.0, 0.0, 0.0])).unwrap();
                let disc = ColliderDesc::new(Shape::cylinder(0.5, 0.5).unwrap());
                world.add_collider(puck, disc.rolling(rolling)).unwrap();
                run(&mut world, DT, 60, |w, _| {
                    assert!(w.report().frozen.is_empty());
                    assert!(w.report().residual < 1e-6, "{}", w.report().residual);
                });
                let x = world.position(puck).unwrap().x;
                assert!(
                    (x - 1.0).abs() < 1e-9,
                    "{locked:?}, rolling {rolling}: {x} m"
                );
            }
        }
    }
}

/// What becomes of a wall of 60 boxes that fall by that speed (m/s): how high they are after a second (m), as far as they
/// are sound, and the largest residual on the way (m/s); or nothing if they are frozen.
fn wall(density: f64, speed: f64) -> Option<(Vec<f64>, f64)> {
    let mut world = World::new(Params::game()).unwrap();
    let mut add = |desc: BodyDesc, half: DVec3, density: f64| {
        let body = world.add_body(desc).unwrap();
        let shape = Shape::cuboid(half).unwrap();
        let collider = ColliderDesc::new(shape).density(density);
        world.add_collider(body, collider).unwrap();
        body
    };
    add(BodyDesc::fixed(), DVec3::new(100.0, 1.0, 100.0), 1.0);
    let boxes: Vec<_> = (0..60)
        .map(|i| {
            let at = DVec3::new(f64::from(i % 10) - 5.0, 1.6 + f64::from(i / 10), 0.0);
            let falling = BodyDesc::dynamic().at(at).velocity([0.0, -speed, 0.0]);
            add(falling, DVec3::splat(0.5), density)
        })
        .collect();
    let (mut frozen, mut worst) = (0, 0.0f64);
    for _ in 0..60 {
        let report = world.step(DT).unwrap();
        frozen += report.frozen.len();
        worst = worst.max(report.grade.abs);
    }
    assert!(world.bodies().all(|(_, b)| b.is_sound()), "{density:e}");
    let height = |b: &BodyHandle| world.position(*b).unwrap().y;
    (frozen == 0).then(|| (boxes.iter().map(height).collect(), worst))
}

/// Contacts in lanes of single precision, between bodies with more or less mass than that can tell, or as fast.
#[test]
fn masses_beyond_single_precision_stand_as_others_do() {
    let (usual, residual) = wall(1.0, 1.0).expect("nothing is frozen");
    for density in [1e-42, 1e-14, 1e-6, 1e6, 1e14, 1e25, 1e42] {
        let (heights, worst) = wall(density, 1.0).expect("nothing is frozen");
        let off = heights.iter().zip(&usual).map(|(a, b)| (a - b).abs());
        let off = off.fold(0.0, f64::max);
        assert!(off < 2e-3, "density {density:e}: {off:e} m");
        let off = (worst - residual).abs();
        assert!(off < 1e-3 * residual, "density {density:e}: {off:e} m/s");
    }
    for speed in [1e5, 1e10, 1e20] {
        wall(1.0, speed);
    }
}
