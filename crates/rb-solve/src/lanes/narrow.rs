//! Velocities of bodies in single precision, while contacts of that precision are visited over and over.
//!
//! What a visit waits for most is the lines of sixteen bodies. Of single precision they are half as long, fetched and
//! put back without a conversion, and turned in half the time. So the velocities are taken over before the sweeps of a
//! pass, and what these changed is added to the lines of double precision afterwards:
//!
//! ```text
//! v′ = single(v),  v′ → v″ by the sweeps,  v ← v + (v″ − v′)
//! ```
//!
//! That is done section by section where contacts are swept several times in a row, and for all bodies between one motion
//! and the next where there are pins alone (see [`net`](super::joints)).
//!
//! What no contact touches keeps all its digits, and so does what gravity adds to a velocity from substep to substep.

use super::bodies::BodyLines;
use super::dispatch;
use super::kernel::{Numbers, Turns};
use super::pack::{Bodies, ContactLanes};
use super::precision::Kept;
use super::section::Section;
use super::simd::{AllLanes, Double, Line, Narrow, Stored};
use rb_core::problem::Pass;
use rb_core::room;

/// What taking over a body and giving it back costs, in visits of a manifold that gain by it; those one by one gain
/// twice as much.
const PRICE: usize = 2;

impl Section {
    /// Sweeps over its contacts one after the other.
    pub(super) fn sweeps(&mut self, bodies: Bodies, pass: Pass, soft: &Numbers, turns: Turns) {
        let Bodies { inv, vel, moved } = bodies;
        let thin = self.is_thin();
        let price = if thin { PRICE / 2 } else { PRICE };
        let pays = self.members.len() * turns.count as usize >= price * vel.len();
        if !pays || matches!(self.packed, Kept::Double(_)) {
            for backwards in turns {
                let vel = &mut *vel;
                self.sweep(Bodies { inv, vel, moved }, pass, soft, backwards);
            }
            return;
        }
        let mut narrow = std::mem::take(&mut self.narrow);
        fit(&mut narrow, vel.len());
        run_take_over(&mut narrow, vel);
        for backwards in turns {
            let vel = &mut narrow[..];
            self.sweep(Bodies { inv, vel, moved }, pass, soft, backwards);
        }
        give_back(&narrow, vel);
        self.narrow = narrow;
    }
}

impl ContactLanes {
    /// Has room for the velocities of all bodies in single precision, or none.
    pub fn use_narrow(&mut self, narrow: bool) {
        let count = if narrow { self.vel.len() } else { 0 };
        fit(&mut self.narrow, count);
    }
}

impl BodyLines<'_> {
    /// Takes velocities over, if there is room for them.
    pub fn take_over(&mut self) {
        run_take_over(self.narrow, self.vel);
    }

    /// Gives back what has become of them.
    pub fn give_back(&mut self) {
        give_back(self.narrow, self.vel);
    }
}

/// Calls with the bodies of these lines, as they are to be swept: with velocities of single precision if there is room for
/// them.
macro_rules! on_lines {
    ($of:expr, |$bodies:ident| $call:expr) => {
        if $of.narrow.is_empty() {
            let $bodies = $crate::lanes::pack::Bodies {
                inv: &$of.inv,
                moved: &$of.moved,
                vel: &mut $of.vel,
            };
            $call
        } else {
            let $bodies = $crate::lanes::pack::Bodies {
                inv: &$of.inv,
                moved: &$of.moved,
                vel: &mut $of.narrow,
            };
            $call
        }
    };
}
pub(super) use on_lines;

fn fit(narrow: &mut Vec<Narrow>, count: usize) {
    room::fit(narrow, count);
    narrow.resize(count, Narrow::default());
}

fn run_take_over(narrow: &mut [Narrow], vel: &[Line]) {
    dispatch!(take_lines(narrow: &mut [Narrow], vel: &[Line]))
}

#[inline(always)]
fn take_lines<S: AllLanes + Double>(narrow: &mut [Narrow], vel: &[Line]) {
    for (to, from) in narrow.iter_mut().zip(vel) {
        to.set_row(S::load(from));
    }
}

fn give_back(narrow: &[Narrow], vel: &mut [Line]) {
    dispatch!(give_lines(narrow: &[Narrow], vel: &mut [Line]))
}

#[inline(always)]
fn give_lines<S: AllLanes + Double>(narrow: &[Narrow], vel: &mut [Line]) {
    for (from, to) in narrow.iter().zip(vel) {
        let (now, mut before) = (S::load(to), Narrow::default());
        before.set_row(now);
        let change = from.row::<S>().sub(before.row());
        now.add(change).store(to);
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;
    use crate::lanes::simd::{Avx2, Avx512, LANES, Plain, Wide};
    use crate::lanes::{Width, assert_same_at_every_width};

    /// Velocities whose digits single precision does not have.
    fn lines() -> Vec<Line> {
        let number = |k: usize| 1e3 * (1.7 * k as f64 + 0.3).sin();
        let line = |i: usize| Wide(core::array::from_fn(|k| number(LANES * i + k)));
        (0..11).map(line).collect()
    }

    fn there_and_back<S: AllLanes + Double>() -> (Vec<Narrow>, Vec<Line>) {
        let (mut narrow, mut vel) = (vec![Narrow::default(); 11], lines());
        take_lines::<S>(&mut narrow, &vel);
        for line in narrow.iter_mut().skip(1).step_by(2) {
            line.0[2] += 0.125;
        }
        give_lines::<S>(&narrow, &mut vel);
        (narrow, vel)
    }

    #[test]
    fn every_width_gives_the_same_bits() {
        assert_same_at_every_width("lines", |width| match width {
            Width::Avx512 => there_and_back::<Avx512>(),
            Width::Avx2 => there_and_back::<Avx2>(),
            Width::Plain => there_and_back::<Plain>(),
        });
    }

    #[test]
    fn changes_alone_lose_digits() {
        let (narrow, vel) = there_and_back::<Plain>();
        for (i, (now, before)) in vel.iter().zip(lines()).enumerate() {
            for k in 0..LANES {
                let change = if i % 2 == 1 && k == 2 { 0.125 } else { 0.0 };
                let off = (now.0[k] - before.0[k] - change).abs();
                assert!(off <= f64::from(f32::EPSILON) * 1e3 * change, "{off:e}");
                assert!(f64::from(narrow[i].0[k]) != now.0[k], "nothing to lose");
            }
        }
    }
}
