//! Rows over many bodies beside everything else: the same bits for any number of threads and after a
//! restored snapshot, momentum kept, sleep and waking together, redundant rows.

mod common;
use common::*;
use rb_world::prelude::*;

/// Thirty groups of four coupled bodies that fall on a floor.
fn crowd() -> (World, Vec<[BodyHandle; 4]>) {
    let mut world = World::new(Params::game()).unwrap();
    floor(&mut world, 0.5, FrictionLaw::Conic);
    let mut groups = Vec::new();
    for g in 0..30 {
        let corner = DVec3::new(2.0 * f64::from(g % 6), 1.0, 2.0 * f64::from(g / 6));
        let group = [DVec3::ZERO, DVec3::X * 0.7, DVec3::Z * 0.7, DVec3::Y * 0.6].map(|at| {
            let body = BodyDesc::dynamic().at(corner + at);
            put(
                &mut world,
                body,
                [ColliderDesc::new(Shape::cuboid(DVec3::splat(0.2)).unwrap())],
            )
        });
        let span = |a: usize, b: usize| {
            Quantity::distance(group[a], DVec3::ZERO, group[b], DVec3::X * 0.05)
        };
        let sum = Quantity::sum([(1.0, span(0, 1)), (1.0, span(1, 2)), (0.5, span(2, 3))]);
        let length = world.measure(&sum).unwrap().0;
        world.add_coupling(Coupling::new(sum).hold(length)).unwrap();
        groups.push(group);
    }
    (world, groups)
}

#[test]
fn any_number_of_threads_and_a_restored_world_give_the_same_bits() {
    let hashes: Vec<u64> = [1, 2, 5]
        .into_iter()
        .map(|threads| {
            let (mut world, _) = crowd();
            world.set_threads(threads).unwrap();
            world.set_parallel_threshold(0);
            run(&mut world, 1.0 / 60.0, 40, |_, _| {});
            let mut back = World::restore(&world.save().unwrap()).unwrap();
            run(&mut world, 1.0 / 60.0, 40, |_, _| {});
            run(&mut back, 1.0 / 60.0, 40, |_, _| {});
            assert_eq!(world.state_hash(), back.state_hash());
            world.state_hash()
        })
        .collect();
    assert!(hashes.iter().all(|h| *h == hashes[0]), "{hashes:?}");
}

#[test]
fn coupled_bodies_sleep_and_wake_together() {
    let (mut world, groups) = crowd();
    run(&mut world, 1.0 / 60.0, 1200, |_, _| {});
    let asleep = |w: &World, b: BodyHandle| w.body(b).unwrap().is_asleep();
    let sleeping = groups
        .iter()
        .filter(|g| g.iter().all(|&b| asleep(&world, b)));
    let group = *sleeping
        .copied()
        .collect::<Vec<_>>()
        .first()
        .expect("a group that sleeps");
    world.wake(group[3]).unwrap();
    assert!(group.iter().all(|&b| !asleep(&world, b)));
}

#[test]
fn momentum_is_kept_by_rows_over_four_bodies() {
    let mut world = World::new(weightless()).unwrap();
    let bodies: Vec<BodyHandle> = (0..4)
        .map(|k| {
            let x = f64::from(k);
            let desc = BodyDesc::dynamic()
                .at([x, 0.3 * x * x, -0.2 * x])
                .mass(1.0 + x, DVec3::splat(0.3))
                .velocity([0.1 * x, -0.2, 0.3 * x])
                .spin([0.2, x, -0.4]);
            world.add_body(desc).unwrap()
        })
        .collect();
    let span = |a: usize, b: usize| {
        Quantity::distance(bodies[a], DVec3::Y * 0.2, bodies[b], DVec3::X * 0.1)
    };
    let sum = Quantity::sum([(1.0, span(0, 1)), (-2.0, span(1, 2)), (0.5, span(2, 3))]);
    let value = world.measure(&sum).unwrap().0;
    world
        .add_coupling(Coupling::new(sum.clone()).hold(value))
        .unwrap();
    // The same row again: redundant, with a unique velocity and finite impulses.
    world.add_coupling(Coupling::new(sum).hold(value)).unwrap();
    let start = world.momentum();
    run(&mut world, 1e-3, 2000, |w, _| {
        assert!(w.report().residual < 1e-9, "{:e}", w.report().residual);
    });
    let end = world.momentum();
    let linear = (end.lin - start.lin).length() / start.lin.length();
    let angular = (end.ang - start.ang).length() / start.ang.length();
    println!("momentum: linear {linear:.1e}, angular {angular:.1e}");
    assert!(linear < 1e-12 && angular < 1e-10);
}
