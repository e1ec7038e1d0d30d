//! Memory grows with the number of bodies, not faster.

use rb_scenes::scene;
use rb_world::prelude::*;

#[test]
fn memory_per_body_stays_level() {
    // n × n × 2n boxes, from 1,024 to 8,192.
    let per_body = |n: usize| {
        let desc = scene("box_drop").expect("it is registered").build(n);
        let (mut world, bodies) = desc.build(Params::game()).unwrap();
        for _ in 0..60 {
            world.step(1.0 / 60.0).unwrap();
        }
        let bytes = world.memory_bytes() as f64 / bodies.len() as f64;
        println!("{:5} bodies: {bytes:.0} bytes each", bodies.len());
        bytes
    };
    let (few, many) = (per_body(8), per_body(16));
    assert!(
        many < 2.0 * few,
        "{many:.0} bytes per body, {few:.0} with an eighth of them"
    );
}
