//! Limits of equilibrium against closed forms (`data/analytic.json`): what must stand stands, what
//! must fall falls, and the forces are those of statics.

mod common;
use common::cases::Case;
use common::*;
use rb_world::prelude::*;

const H: f64 = 1.0 / 240.0;

fn earth() -> Params {
    exact(DVec3::NEG_Y * G)
}

/// A floor whose friction is multiplied with what rubs on it.
fn ground(world: &mut World, mu: f64) -> BodyHandle {
    let plane = Shape::half_space(DVec3::Y).unwrap();
    put(world, BodyDesc::fixed(), [rubbing(plane, mu)])
}

/// Largest displacement of any body after `seconds`.
fn motion(mut world: World, seconds: f64) -> f64 {
    let start: Vec<DVec3> = world.bodies().map(|(_, b)| b.com).collect();
    run(&mut world, H, (seconds / H) as usize, |_, _| {});
    let moved = world.bodies().zip(&start);
    moved
        .map(|((_, b), p)| b.com.distance(*p))
        .fold(0.0, f64::max)
}

/// What counts as standing and as fallen (m): drift of a converged solve, and far more than that.
const STANDS: f64 = 1e-4;
const FALLEN: f64 = 1e-2;

/// Radius of the feet of ladders and cards (m), small against their length.
const TIP: f64 = 1e-3;

#[test]
fn ladder() {
    let case = Case::new("ladder");
    let (length, width, seconds) = (2.0, 0.5, 5.0);
    let leaning = |degrees: f64, mu_floor: f64, mu_wall: f64| {
        let mut world = World::new(earth()).unwrap();
        ground(&mut world, mu_floor);
        let wall = rubbing(Shape::half_space(DVec3::X).unwrap(), mu_wall);
        put(&mut world, BodyDesc::fixed(), [wall]);
        let (sin, cos) = degrees.to_radians().sin_cos();
        let middle = DVec3::new(TIP + 0.5 * length * cos, TIP + 0.5 * length * sin, 0.0);
        // y of the ladder leads from its foot to its top.
        let turn = DQuat::from_rotation_z((90.0 - degrees).to_radians());
        let [l2, w2] = [length * length / 12.0, width * width / 12.0];
        let body = BodyDesc::dynamic()
            .at(middle)
            .rotated(turn)
            .mass(1.0, [l2 + w2, w2, l2]);
        let tip = |y: f64, z: f64| knob(TIP, DVec3::new(0.0, y * length, z * width), 1.0);
        let tips = [
            tip(-0.5, -0.5),
            tip(-0.5, 0.5),
            tip(0.5, -0.5),
            tip(0.5, 0.5),
        ];
        put(&mut world, body, tips);
        motion(world, seconds)
    };
    let limits = case.list("/deg");
    let (above, below) = (case.tolerance("+1 deg"), case.tolerance("-1 deg"));
    for (limit, mu_wall) in limits.into_iter().zip([0.0, 0.3]) {
        let stands = leaning(limit + above, 0.4, mu_wall);
        case.below(&format!("motion at +1 deg, wall {mu_wall}"), stands, STANDS);
        let falls = leaning(limit + below, 0.4, mu_wall);
        case.above(&format!("motion at -1 deg, wall {mu_wall}"), falls, FALLEN);
    }
}

#[test]
fn card_house() {
    let case = Case::new("card_house");
    // The frame sways like an inverted pendulum: e-folding in 0.3 s, so not for long.
    let (length, width, seconds) = (1.0, 0.6, 2.0);
    let lean = 30f64.to_radians();
    let (sin, cos) = lean.sin_cos();
    let inertia = {
        let [l2, w2] = [length * length / 12.0, width * width / 12.0];
        DVec3::new(l2 + w2, w2, l2)
    };
    let frame = |mu: f64| {
        let mut world = World::new(earth()).unwrap();
        ground(&mut world, mu);
        for side in [-1.0, 1.0] {
            let middle = DVec3::new(
                side * (TIP + 0.5 * length * sin),
                TIP + 0.5 * length * cos,
                0.0,
            );
            let turn = DQuat::from_rotation_z(side * lean);
            let body = BodyDesc::dynamic()
                .at(middle)
                .rotated(turn)
                .mass(1.0, inertia);
            let tip = |y: f64, z: f64| DVec3::new(0.0, y * length, z * width);
            let mut parts = vec![
                knob(TIP, tip(-0.5, -0.5), 1.0),
                knob(TIP, tip(-0.5, 0.5), 1.0),
            ];
            if side < 0.0 {
                parts.push(knob(TIP, tip(0.5, -0.5), 0.0));
                parts.push(knob(TIP, tip(0.5, 0.5), 0.0));
            } else {
                // Upright, so that the force at the apex is level.
                let plate = Shape::cuboid(DVec3::new(TIP, 0.1, width)).unwrap();
                let place = Pose::new(tip(0.5, 0.0), turn.conjugate());
                parts.push(rubbing(plate, 0.0).offset(place));
            }
            put(&mut world, body, parts);
        }
        motion(world, seconds)
    };
    let (limit, bracket) = (case.expected("/mu_at_30deg"), case.tolerance("2%"));
    case.below("motion at 1.02 mu*", frame(limit * (1.0 + bracket)), STANDS);
    case.above("motion at 0.98 mu*", frame(limit * (1.0 - bracket)), FALLEN);
}

#[test]
fn tip_or_slide() {
    let case = Case::new("tip_or_slide");
    let (width, height, tall, seconds) = (0.4, 0.5, 0.8, 1.0);
    // Pushed at `height` with `share` of its weight: how far its foot slid, how far it turned.
    let push = |mu: f64, share: f64| {
        let mut world = World::new(earth()).unwrap();
        ground(&mut world, mu);
        let half = 0.5 * DVec3::new(width, tall, width);
        let [w2, h2] = [width * width, tall * tall];
        let body = BodyDesc::dynamic()
            .at([0.0, half.y, 0.0])
            .mass(1.0, DVec3::new(w2 + h2, w2 + w2, w2 + h2) / 12.0);
        let column = rubbing(Shape::cuboid(half).unwrap(), 1.0);
        let body = put(&mut world, body, [column]);
        let foot = |w: &World| {
            w.pose(body)
                .unwrap()
                .point(DVec3::new(half.x, -half.y, 0.0))
        };
        let start = foot(&world);
        for _ in 0..(seconds / H) as usize {
            let at = DVec3::new(-half.x, height - half.y, 0.0);
            let at = world.pose(body).unwrap().point(at);
            let force = DVec3::X * share * G;
            world.add_force_at(body, force, at).unwrap();
            world.step(H).unwrap();
        }
        let turned = world.rotation(body).unwrap().to_scaled_axis().length();
        (foot(&world).distance(start), turned)
    };
    let limit = case.expected("/mu_star");
    let bracket = case.tolerance("2%");
    for mu in [0.3, limit * (1.0 - bracket)] {
        // Just more than friction can hold, less than it takes to tip.
        let (slid, turned) = push(mu, 0.5 * (mu + limit));
        case.above(&format!("slid (m), mu {mu:.3}"), slid, FALLEN);
        case.below(&format!("turned (rad), mu {mu:.3}"), turned, STANDS);
    }
    for mu in [limit * (1.0 + bracket), 0.5] {
        // Just more than it takes to tip, less than friction can hold.
        let (slid, turned) = push(mu, limit * (1.0 + 0.5 * bracket));
        case.below(&format!("slid (m), mu {mu:.3}"), slid, STANDS);
        case.above(&format!("turned (rad), mu {mu:.3}"), turned, FALLEN);
    }
}

#[test]
fn three_cylinders() {
    let case = Case::new("three_cylinders");
    let r = 0.5;
    let pile = |between: f64, on_floor: f64| {
        let mut world = World::new(earth()).unwrap();
        let mine = between.sqrt();
        ground(&mut world, on_floor / mine);
        for at in [[-r, r], [r, r], [0.0, r * (1.0 + 3f64.sqrt())]] {
            let axial = 0.5 * r * r;
            let across = r * r / 4.0 + 1.0 / 12.0;
            let body = BodyDesc::dynamic()
                .at([at[0], at[1], 0.0])
                .rotated(DQuat::from_rotation_x(0.5 * std::f64::consts::PI))
                .mass(1.0, [across, axial, across]);
            let log = Shape::cylinder(0.5, r).unwrap();
            put(&mut world, body, [rubbing(log, mine)]);
        }
        motion(world, 3.0)
    };
    let (between, on_floor) = (case.expected("/mu_between"), case.expected("/mu_floor"));
    let bracket = case.tolerance("3%");
    let [more, less] = [1.0 + bracket, 1.0 - bracket];
    case.below(
        "motion, both at 1.03",
        pile(more * between, more * on_floor),
        STANDS,
    );
    case.above("motion, 0.97 between", pile(less * between, 1.0), FALLEN);
    case.above(
        "motion, 0.97 on the floor",
        pile(1.0, less * on_floor),
        FALLEN,
    );
}

#[test]
fn overhang_stack() {
    let case = Case::new("overhang_stack");
    let half = DVec3::new(0.5, 0.1, 0.25);
    // Every block juts out over the next by `share` of what it may; the lowest over a table. Loads
    // alternate from block to block, which relaxation finds slowly: ten blocks take ten times the
    // usual sweeps to converge.
    let stack = |n: usize, share: f64| {
        let mut params = earth();
        if n >= 10 {
            (params.sweeps.position, params.sweeps.velocity) = (5000, 5000);
        }
        let mut world = World::new(params).unwrap();
        let table = Shape::cuboid(DVec3::new(2.0, 1.0, 2.0)).unwrap();
        let table = ColliderDesc::new(table).friction(0.6);
        put(&mut world, BodyDesc::fixed().at([-2.0, -1.0, 0.0]), [table]);
        let (mut edge, mut out) = (0.0, 0.0);
        for k in 0..n {
            edge += share / (2.0 * (n - k) as f64);
            let at = DVec3::new(edge - half.x, half.y * (2 * k + 1) as f64, 0.0);
            let block = ColliderDesc::new(Shape::cuboid(half).unwrap()).friction(0.6);
            put(&mut world, BodyDesc::dynamic().at(at), [block]);
            out = edge;
        }
        (motion(world, case.tolerance("10 s")), out)
    };
    let (stands, falls) = (case.tolerance("0.98x"), case.tolerance("1.02x"));
    for (n, limit) in case.list("/n").into_iter().zip(case.list("/overhang")) {
        let (moved, out) = stack(n as usize, stands);
        case.within(
            &format!("overhang built, {n} blocks"),
            out,
            stands * limit,
            1e-12,
        );
        case.below(&format!("motion at 0.98, {n} blocks"), moved, STANDS);
        let (moved, _) = stack(n as usize, falls);
        case.above(&format!("motion at 1.02, {n} blocks"), moved, FALLEN);
    }
}

#[test]
fn hanging_chain_ratio() {
    let case = Case::new("hanging_chain_ratio");
    let (n, link) = (10, 0.2);
    for (name, params) in [("robotics", Params::robotics()), ("game", Params::game())] {
        let mut world = World::new(params).unwrap();
        let mut above = world.add_body(BodyDesc::fixed()).unwrap();
        let mut joints = Vec::new();
        for k in 0..=n {
            let mass = if k == n { 1000.0 } else { 1.0 };
            let body = BodyDesc::dynamic()
                .at([0.0, -link * (k as f64 + 0.5), 0.0])
                .mass(mass, DVec3::splat(mass * link * link / 12.0));
            let below = world.add_body(body).unwrap();
            let pivot = DVec3::NEG_Y * link * k as f64;
            let [a, b] = [above, below].map(|h| world.pose(h).unwrap());
            let ball = Ball::at_world(&a, &b, pivot);
            joints.push(world.add_joint(above, below, ball).unwrap());
            above = below;
        }
        run(&mut world, 1.0 / 60.0, 300, |_, _| {});
        let tension = |j: &JointHandle| world.reaction(*j).unwrap().force.length();
        let tensions: Vec<f64> = joints.iter().map(tension).collect();
        case.check(
            &format!("top tension, {name}"),
            tensions[0],
            case.expected("/top"),
            "0.1%",
        );
        for (k, tension) in tensions.iter().rev().enumerate() {
            let wanted = (1000.0 + k as f64) * G;
            case.check(
                &format!("tension over {k} links, {name}"),
                *tension,
                wanted,
                "0.1%",
            );
        }
    }
}

#[test]
fn heavy_on_light() {
    let case = Case::new("heavy_on_light");
    // Relaxation cannot do this in a bounded number of sweeps; the exact solver can. What must hold
    // here is that a step which went wrong says so.
    let light = 1e-3;
    for (name, params) in [("robotics", Params::robotics()), ("game", Params::game())] {
        for heavy in [1.0, 10.0, 100.0, 1000.0] {
            let mut world = World::new(params).unwrap();
            let floor = floor(&mut world, 0.5, FrictionLaw::Conic);
            for (mass, y) in [(light, 0.5), (heavy, 1.5)] {
                let body = BodyDesc::dynamic()
                    .at([0.0, y, 0.0])
                    .no_sleep()
                    .mass(mass, DVec3::splat(mass / 6.0));
                let cube = Shape::cuboid(DVec3::splat(0.5)).unwrap();
                put(&mut world, body, [ColliderDesc::new(cube)]);
            }
            let (mut deepest, mut residual, mut unmet) = (0.0f64, 0.0f64, 0);
            let start = world.bodies().map(|(_, b)| b.com).collect::<Vec<_>>();
            run(&mut world, 1.0 / 60.0, 60, |w, _| {
                deepest = deepest.max(w.report().penetration);
                residual = residual.max(w.report().residual);
                unmet += u32::from(!w.report().met);
            });
            let moved = world.bodies().zip(&start);
            let moved = moved
                .map(|((_, b), p)| b.com.distance(*p))
                .fold(0.0, f64::max);
            let on = |below: bool| -> f64 {
                let floor = world.colliders_of(floor).unwrap()[0];
                let points = world.contact_points();
                let mine = points.filter(|c| c.colliders.contains(&floor) == below);
                mine.map(|c| c.force.y.abs()).sum()
            };
            let what = |s: &str| format!("{s}, m2/m1 {:.0e}, {name}", heavy / light);
            let error = |force: f64, mass: f64| (force / (mass * G) - 1.0).abs();
            case.note(&what("N_bottom error"), error(on(true), light + heavy));
            case.note(&what("N_top error"), error(on(false), heavy));
            case.note(&what("penetration (m)"), deepest);
            case.note(&what("motion (m)"), moved);
            case.note(&what("residual (m/s)"), residual);
            case.note(&what("steps that did not pass, of 60"), f64::from(unmet));
            let tolerance = params.tolerances.position;
            assert!(
                moved <= tolerance || unmet > 0,
                "{name}: {moved} m without a word"
            );
        }
    }
}

/// Drag brakes what moves, not what stands: the forces that hold a damped body are those of statics, with the sizes
/// of a heavy drag. What falls ends at g/d.
#[test]
fn a_damped_body_weighs_what_it_weighs() {
    let damped = BodyDesc::dynamic().damping(3.0, 5.0);
    for params in [Params::game(), Params::robotics()] {
        let mut world = World::new(params).unwrap();
        let base = ground(&mut world, 1.0);
        let size = DVec3::new(0.3, 0.2, 0.4);
        let on_floor = damped.clone().at(DVec3::Y * 0.2).mass(2.0, [0.1; 3]);
        let crate_ = rubbing(Shape::cuboid(size).unwrap(), 1.0);
        put(&mut world, on_floor, [crate_]);
        // Held at one end, it pulls and turns.
        let held = damped.clone().at(DVec3::new(9.0, 3.0, 0.0));
        let held = world.add_body(held.mass(3.0, [0.2; 3])).unwrap();
        let poses = [base, held].map(|b| world.pose(b).unwrap());
        let end = DVec3::new(7.0, 3.0, 0.0);
        let weld = Fixed::at_world(&poses[0], &poses[1], end);
        let weld = world.add_joint(base, held, weld).unwrap();
        let falling = damped.clone().at(DVec3::new(0.0, 500.0, 9.0));
        let falling = world.add_body(falling.mass(1.0, [0.1; 3])).unwrap();
        run(&mut world, H, (5.0 / H) as usize, |_, _| {});

        let g = world.params().gravity.length();
        let floor: DVec3 = world.contact_points().map(|p| p.force).sum();
        let near = |found: DVec3, wanted: DVec3| {
            let error = found.distance(wanted) / wanted.length();
            assert!(error < 1e-4, "{found} instead of {wanted}");
        };
        near(floor, DVec3::Y * 2.0 * g);
        let load = world.reaction(weld).unwrap();
        near(load.force, DVec3::Y * 3.0 * g);
        near(load.torque, DVec3::Z * 3.0 * g * 2.0);
        near(world.body(falling).unwrap().vel.lin, DVec3::NEG_Y * g / 3.0);
    }
}

/// A crate that is turned and pushed on its floor and stays: forces and torques of its contact points undo both.
#[test]
fn contact_points_tell_the_whole_load() {
    for params in [Params::game(), Params::robotics()] {
        let mut world = World::new(params).unwrap();
        ground(&mut world, 1.0);
        let size = DVec3::new(0.3, 0.2, 0.4);
        let body = BodyDesc::dynamic().at(DVec3::Y * 0.2).mass(2.0, [0.1; 3]);
        let crate_ = put(
            &mut world,
            body,
            [rubbing(Shape::cuboid(size).unwrap(), 1.0)],
        );
        let (push, turn) = (DVec3::X * 2.0, DVec3::Y * 1.5);
        run(&mut world, H, 240, |world, _| {
            world.add_force(crate_, push).unwrap();
            world.add_torque(crate_, turn).unwrap();
        });
        let at = world.body(crate_).unwrap().com;
        let (mut force, mut torque) = (push + world.params().gravity * 2.0, turn);
        for point in world.contact_points() {
            force += point.force;
            torque += (point.position - at).cross(point.force) + point.torque;
        }
        assert!(
            force.length() < 1e-3 && torque.length() < 1e-3,
            "{force} {torque}"
        );
    }
}
