//! What an edit between steps has to bring with it: mass, wakefulness, events under the right names.

mod common;
use common::*;
use rb_world::prelude::*;

const DT: f64 = 1.0 / 60.0;

fn block(half: DVec3) -> ColliderDesc {
    ColliderDesc::new(Shape::cuboid(half).unwrap())
}

fn body_with(world: &mut World, desc: BodyDesc, collider: ColliderDesc) -> BodyHandle {
    let body = world.add_body(desc).unwrap();
    world.add_collider(body, collider).unwrap();
    body
}

/// A unit box at rest and asleep on a floor.
fn sleeping_box(world: &mut World) -> BodyHandle {
    floor(world, 0.5, FrictionLaw::Conic);
    let desc = BodyDesc::dynamic().at([0.0, 0.5, 0.0]);
    body_with(world, desc, block(DVec3::splat(0.5)))
}

fn sleep(world: &mut World, body: BodyHandle) {
    run(world, DT, 120, |_, _| {});
    assert!(world.body(body).unwrap().is_asleep());
}

#[test]
fn a_removed_collider_ends_its_contacts_under_its_own_name() {
    let mut world = World::new(Params::game()).unwrap();
    let body = sleeping_box(&mut world);
    run(&mut world, DT, 10, |_, _| {});
    let [ground, old] = [0, 1].map(|k| world.colliders().nth(k).unwrap().0);
    let bodies = [world.collider_body(ground).unwrap(), body];
    world.remove_collider(old).unwrap();
    // The next one gets its slot, and touches the same floor.
    let new = world.add_collider(body, block(DVec3::splat(0.5))).unwrap();
    assert_eq!(new.index(), old.index());
    let mut world = World::restore(&world.save().unwrap()).unwrap();
    world.step(DT).unwrap();
    let event = |collider| ContactEvent {
        colliders: [ground, collider],
        bodies,
    };
    assert_eq!(world.events().contact_end, [event(old)]);
    assert_eq!(world.events().contact_begin, [event(new)]);
    // A successor far away neither begins nor ends anything.
    world.remove_body(body).unwrap();
    let far = BodyDesc::dynamic().at([0.0, 50.0, 0.0]);
    body_with(&mut world, far, block(DVec3::splat(0.5)));
    world.step(DT).unwrap();
    assert_eq!(world.events().contact_end, [event(new)]);
    assert!(world.events().contact_begin.is_empty());
    world.step(DT).unwrap();
    assert_eq!(world.events(), &Events::default());
}

#[test]
fn a_removed_sensor_ends_its_overlaps_under_its_own_name() {
    let mut world = World::new(Params::game()).unwrap();
    sleeping_box(&mut world);
    let zone = world.add_body(BodyDesc::fixed()).unwrap();
    let sensor = || block(DVec3::ONE).sensor(true);
    let old = world.add_collider(zone, sensor()).unwrap();
    let mut begun = Vec::new();
    run(&mut world, DT, 10, |w, _| {
        begun.extend(w.events().sensor_begin.iter().map(|e| e.colliders));
    });
    assert!(!begun.is_empty() && begun.iter().all(|pair| pair.contains(&old)));
    world.remove_collider(old).unwrap();
    let new = world.add_collider(zone, sensor()).unwrap();
    assert_eq!(new.index(), old.index());
    world.step(DT).unwrap();
    let pairs =
        |events: &[ContactEvent]| -> Vec<_> { events.iter().map(|e| e.colliders).collect() };
    assert_eq!(pairs(&world.events().sensor_end), begun);
    let begun = pairs(&world.events().sensor_begin);
    assert!(!begun.is_empty() && begun.iter().all(|pair| pair.contains(&new)));
}

#[test]
fn a_body_that_becomes_dynamic_has_the_mass_of_its_colliders() {
    for desc in [BodyDesc::fixed(), BodyDesc::kinematic()] {
        let mut world = World::new(Params::game()).unwrap();
        floor(&mut world, 0.5, FrictionLaw::Conic);
        let offset = DVec3::new(0.0, 0.0, 0.3);
        let collider = block(DVec3::splat(0.5)).density(500.0).translation(offset);
        let body = body_with(&mut world, desc.at([0.0, 3.0, 0.0]), collider);
        world.set_kind(body, BodyKind::Dynamic).unwrap();
        let mass = world.body(body).unwrap().mass;
        close("mass", mass.mass, 500.0, 1e-9);
        assert_eq!(mass.com_local, offset);
        assert_eq!(world.position(body).unwrap(), DVec3::Y * 3.0);
        run(&mut world, DT, 120, |_, _| {});
        close("it fell", world.position(body).unwrap().y, 0.5, 5e-3);
    }
}

#[test]
fn a_sensor_that_turns_solid_has_mass() {
    let mut world = World::new(Params::game()).unwrap();
    floor(&mut world, 0.5, FrictionLaw::Conic);
    let ghost = block(DVec3::splat(0.5)).density(500.0).sensor(true);
    let body = body_with(&mut world, BodyDesc::dynamic().at([0.0, 3.0, 0.0]), ghost);
    let collider = world.colliders_of(body).unwrap()[0];
    world.set_sensor(collider, false).unwrap();
    close("mass", world.body(body).unwrap().mass.mass, 500.0, 1e-9);
    run(&mut world, DT, 120, |_, _| {});
    close("it fell", world.position(body).unwrap().y, 0.5, 5e-3);
}

#[test]
fn moving_a_hook_wakes_what_hangs_on_it() {
    let hooks = [
        BodyDesc::fixed(),
        BodyDesc::kinematic(),
        BodyDesc::dynamic()
            .mass(1.0, DVec3::ONE)
            .lock(LockedAxes::all()),
    ];
    for hook in hooks {
        for coupled in [false, true] {
            let mut world = World::new(Params::game()).unwrap();
            let hook = world.add_body(hook.clone().at([0.0, 5.0, 0.0])).unwrap();
            let bob = sphere(&mut world, 0.2, 0.0, DVec3::Y * 4.0, DVec3::ZERO);
            let [a, b] = [hook, bob].map(|body| world.pose(body).unwrap());
            if coupled {
                let length = Quantity::distance(hook, DVec3::ZERO, bob, DVec3::ZERO);
                world.add_coupling(Coupling::new(length).hold(1.0)).unwrap();
            } else {
                world
                    .add_joint(hook, bob, Ball::at_world(&a, &b, a.p))
                    .unwrap();
            }
            sleep(&mut world, bob);
            world.set_position(hook, [0.0, 6.0, 0.0]).unwrap();
            run(&mut world, DT, 120, |_, _| {});
            close("bob", world.position(bob).unwrap().y, 5.0, 5e-3);
        }
    }
}

#[test]
fn a_moving_kinematic_body_wakes_what_a_coupling_holds_to_it() {
    let mut world = World::new(Params::game()).unwrap();
    let hook = BodyDesc::kinematic().at([0.0, 5.0, 0.0]);
    let hook = world.add_body(hook).unwrap();
    let bob = sphere(&mut world, 0.2, 0.0, DVec3::Y * 4.0, DVec3::ZERO);
    let length = Quantity::distance(hook, DVec3::ZERO, bob, DVec3::ZERO);
    world.add_coupling(Coupling::new(length).hold(1.0)).unwrap();
    sleep(&mut world, bob);
    world.set_velocity(hook, DVec3::Y, DVec3::ZERO).unwrap();
    run(&mut world, DT, 60, |_, _| {});
    close("bob", world.position(bob).unwrap().y, 5.0, 5e-3);
}

#[test]
fn a_collider_that_turns_solid_wakes_what_sleeps_in_it() {
    type Edit = fn(&mut World, ColliderHandle) -> rb_world::core::Result<()>;
    let ghost = block(DVec3::splat(0.5)).groups(CollisionGroups::new(1, 0));
    let edits: [(ColliderDesc, Edit); 2] = [
        (block(DVec3::splat(0.5)).sensor(true), |w, c| {
            w.set_sensor(c, false)
        }),
        (ghost, |w, c| w.set_groups(c, CollisionGroups::default())),
    ];
    for (door, close_it) in edits {
        let mut world = World::new(Params::game()).unwrap();
        let sleeper = sleeping_box(&mut world);
        let frame = world
            .add_body(BodyDesc::fixed().at([0.9, 0.5, 0.0]))
            .unwrap();
        let door = world.add_collider(frame, door).unwrap();
        sleep(&mut world, sleeper);
        close_it(&mut world, door).unwrap();
        run(&mut world, DT, 60, |_, _| {});
        close(
            "out of the door",
            world.position(sleeper).unwrap().x,
            -0.1,
            5e-3,
        );
    }
}

/// Velocity along a locked axis: no impulse could ever take it away.
#[test]
fn a_locked_axis_has_no_velocity() {
    let free = DVec3::new(0.0, 2.0, 3.0);
    let (lin, ang) = (DVec3::new(1.0, 2.0, 3.0), DVec3::new(4.0, 5.0, 6.0));
    let axes = LockedAxes::LINEAR_X | LockedAxes::ANGULAR_Y;
    let desc = BodyDesc::dynamic().mass(1.0, DVec3::ONE);
    let mut world = World::new(weightless()).unwrap();
    let described = desc.clone().velocity(lin).spin(ang).lock(axes);
    let described = world.add_body(described).unwrap();
    let told = world.add_body(desc.clone().lock(axes)).unwrap();
    world.set_velocity(told, lin, ang).unwrap();
    let caught = world.add_body(desc.velocity(lin).spin(ang)).unwrap();
    world.set_locked(caught, axes).unwrap();
    for body in [described, told, caught] {
        let expected = Twist::new(free, DVec3::new(4.0, 0.0, 6.0));
        assert_eq!(world.velocity(body).unwrap(), expected);
    }
    world.step(DT).unwrap();
    for body in [described, told, caught] {
        assert_eq!(world.position(body).unwrap().x, 0.0);
    }
}

#[test]
fn a_dynamic_body_that_cannot_move_carries_nothing_along() {
    for locked in [LockedAxes::all(), LockedAxes::empty()] {
        let mut world = World::new(Params::game()).unwrap();
        // Without mass, unless it is locked.
        let density = if locked.is_empty() { 0.0 } else { 1000.0 };
        let slab = block(DVec3::new(5.0, 0.5, 5.0)).density(density);
        let table = body_with(&mut world, BodyDesc::dynamic().lock(locked), slab);
        let cube = BodyDesc::dynamic().at([0.0, 1.0, 0.0]);
        let cube = body_with(&mut world, cube, block(DVec3::splat(0.5)));
        world
            .set_velocity(table, DVec3::X * 3.0, DVec3::ZERO)
            .unwrap();
        run(&mut world, DT, 120, |_, _| {});
        close("cube", world.position(cube).unwrap().x, 0.0, 1e-5);
        assert!(world.body(cube).unwrap().is_asleep());
    }
}

#[test]
fn an_absurd_impulse_on_what_cannot_move_does_nothing() {
    let mut world = World::new(Params::game()).unwrap();
    let ground = floor(&mut world, 0.5, FrictionLaw::Conic);
    let massless = world.add_body(BodyDesc::dynamic()).unwrap();
    for body in [ground, massless] {
        let far = DVec3::X * 1e200;
        world.apply_impulse_at(body, DVec3::Y * 1e200, far).unwrap();
        assert_eq!(world.velocity(body).unwrap(), Twist::ZERO);
    }
}
