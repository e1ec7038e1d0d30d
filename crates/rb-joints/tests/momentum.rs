//! Every row of every joint keeps linear and angular momentum at every state: the loads of a unit
//! impulse on a and b cancel as forces and as moments about the world origin.

mod common;

use common::{Random, driven, remembered};
use glam::DVec3;
use rb_core::math::Twist;
use rb_joints::{Joint, JointCx, Rows};

fn imbalance(cx: &JointCx, jac: &[Twist; 2]) -> (DVec3, DVec3) {
    let force = jac[0].lin + jac[1].lin;
    let moment = jac[0].ang + cx.a.com.cross(jac[0].lin) + jac[1].ang + cx.b.com.cross(jac[1].lin);
    (force, moment)
}

#[test]
fn the_net_wrench_of_every_row_vanishes() {
    let mut random = Random::new(3);
    for _ in 0..300 {
        let cx = random.state();
        for joint in driven(&mut random) {
            let memory = remembered(&joint, &cx);
            let mut rows = Rows::new();
            joint.rows(&cx, &memory, &mut rows);
            assert!(!rows.is_empty());
            for row in rows {
                let (force, moment) = imbalance(&cx, &row.jac);
                let scale = row.jac[1].ang.length().max(1.0);
                let name = joint.name();
                assert!(force.length() < 1e-12, "{name}: force {force}");
                assert!(moment.length() < 1e-12 * scale, "{name}: moment {moment}");
            }
            for c in joint.coordinates(&cx, &memory) {
                let (force, moment) = imbalance(&cx, &c.jac);
                assert!(force.length() + moment.length() < 1e-12 * c.jac[1].ang.length().max(1.0));
            }
        }
    }
}
