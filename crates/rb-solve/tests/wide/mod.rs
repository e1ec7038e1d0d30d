//! Problems with rows over any number of bodies: how the tests state and grade them.

use crate::islands::Builder;
use glam::DVec3;
use rb_core::law::Law;
use rb_core::math::Twist;
use rb_core::problem::{Extra, Pass, Problem, ProblemRow, Source};
use rb_core::residual::grade_pass;
use rb_core::solver::{Budget, IslandSolver, Scratch};

pub(crate) const INF: f64 = f64::INFINITY;
pub(crate) const BUDGET: Budget = Budget::new(20_000, 1e-13);

/// Solves with `solver` and returns the certificate (m/s).
pub(crate) fn grade(p: &mut Problem, solver: &dyn IslandSolver) -> f64 {
    solver.solve(p, Pass::Velocity, BUDGET, &mut Scratch::default());
    p.rebuild_velocities();
    grade_pass(p, Pass::Velocity, 0.1).abs
}

pub(crate) fn row(lo: f64, hi: f64, bias: f64) -> ProblemRow {
    let mut row = ProblemRow {
        lo,
        hi,
        ..ProblemRow::default()
    };
    row.both(bias, 0.0);
    row
}

/// Adds one row per entry of `jac` over any number of bodies, at least two.
pub(crate) fn wide(
    b: &mut Builder,
    bodies: &[u32],
    rows: &[(ProblemRow, Vec<Twist>)],
    mut extra: Extra,
) {
    extra.bodies = bodies[2..].to_vec();
    let mut inline = Vec::new();
    for (row, jac) in rows {
        let mut row = *row;
        row.jac = [jac[0], jac[1]];
        extra.jac.extend(&jac[2..]);
        inline.push(row);
    }
    let source = Source::Constraint(b.problem.extras.len() as u32);
    b.problem
        .push_wide_block([bodies[0], bodies[1]], source, &inline, extra);
}

/// Adds a patch's resistance to spin about y and to rolling about x and z.
pub(crate) fn resist(
    p: &mut Problem,
    bodies: [u32; 2],
    normals: Vec<u32>,
    torsion: f64,
    rolling: f64,
) {
    let rows = [DVec3::Y, DVec3::X, DVec3::Z].map(|e| ProblemRow {
        jac: [Twist::new(DVec3::ZERO, -e), Twist::new(DVec3::ZERO, e)],
        ..row(-INF, INF, 0.0)
    });
    let extra = Extra {
        normals,
        ..Extra::default()
    };
    let (number, source) = (
        p.blocks.len(),
        Source::Contact {
            manifold: 99,
            point: 0,
        },
    );
    p.push_wide_block(bodies, source, &rows, extra);
    p.blocks[number].law = Law::Spin { torsion, rolling };
}
