//! Contacts of an island, eight manifolds side by side: the fast tier of [`Pgs`](crate::Pgs).
//!
//! The problem is that of `pgs`, point for point, and so is the order in which it is visited: a
//! manifold waits for all earlier ones it shares a movable body with. Those that wait for nothing touch
//! different bodies and are swept eight at a time, in any order, with the result of sweeping one
//! after the other (see `order`). (Colouring needs fewer batches and visits a stack every other
//! layer; the load then travels one layer per sweep, and tall stacks fall.)
//!
//! What a body is to its contacts lies in cache lines of eight numbers, fetched and turned into
//! columns by shuffles: velocity, displacement, inverse mass. A batch keeps the arms to its first points, along
//! normal and tangents, and each point the way from there, which is the same from both bodies, and five more
//! numbers. Along these axes the row of a normal is two numbers of each arm, and speeds at all points are that at
//! the first and what the relative turning adds. A visit reads the velocities of its bodies, and inverse masses
//! only as the batch keeps them (`response`). Effective masses are those of the start of the step: they set the
//! length of a Gauss–Seidel step, not its fixed point. In the position pass the points of a manifold know of each
//! other by one number per pair (`position`).
//!
//! One visit of a point, with a = n·J W Jᵀn, c the column of the tangents below it, ρ = 2/tr T:
//!
//! ```text
//! position   λₙ ← max(0, (λₙ − (wₙ + b)/a) / (1 + R/a))             b, R of the soft step, at the gap
//! velocity   λₙ ← max(0, λₙ − (wₙ + b)/a),  wₜ += c Δλₙ,  λₜ ← Π(λₜ − ρ wₜ, μ λₙ)
//! ```
//!
//! The position pass leaves friction as it is: friction that answers the push-out pumps energy into
//! tall stacks. The step ρ is one number for both tangents, so that sliding points against the slip
//! exactly. Sources: E. Catto, "Solver2D", 2024 (soft step, relaxation); M. Macklin and others,
//! "Small steps in physics simulation", 2019.

mod apart;
mod axes;
mod batch;
mod bodies;
mod colours;
mod cross;
mod fill;
mod grade;
mod grip;
mod gripped;
pub mod joints;
mod kernel;
mod load;
mod motion;
mod narrow;
mod order;
mod pack;
mod pair;
mod plan;
mod position;
mod precision;
mod prepare;
mod response;
mod seam;
mod section;
mod settle;
mod simd;
mod thin;
mod vector;
mod view;
mod watch;

pub use bodies::BodyLines;
pub use grade::{Graded, Sample};
pub use joints::{
    BearingStart, Carried, JointLanes, LaneBearing, LanePin, LaneRow, PartedLanes, Stops, Way,
    set_turn, stiffness,
};
pub use motion::{Course, Motions, Moving, fly};
pub use pack::ContactLanes;
pub use plan::{Kind, Member};
pub use prepare::Soft;
pub use section::{PackInput, Terms};
pub use simd::{LANES, Line, Wide};
pub use watch::{Round, Watch};

/// Runs a kernel with the widest instructions of this processor. Lanes are of double precision, of single (`single`), or
/// of the given one (`of`); lines of bodies too, or of another that is given.
macro_rules! dispatch {
    (of $stored:ident, $lines:ident $($call:tt)*) => {
        $crate::lanes::dispatch!(with $stored [$stored, $lines] [$lines] $($call)*)
    };
    (of $stored:ident $($call:tt)*) => {
        $crate::lanes::dispatch!(with $stored [$stored] [] $($call)*)
    };
    (single $kernel:ident($($args:tt)*)) => {
        $crate::lanes::dispatch!(with $crate::lanes::simd::Narrow [] [] $kernel($($args)*))
    };
    (single $lines:ident $($call:tt)*) => {
        $crate::lanes::dispatch!(with $crate::lanes::simd::Narrow [$lines] [$lines] $($call)*)
    };
    (with $of:path [$($stored:ident),*] [$($lines:ident)?] $kernel:ident($($arg:ident: $type:ty),*) $(-> $out:ty)?) => {{
        #[cfg(target_arch = "x86_64")]
        {
            #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx2,fma")]
            fn widest<$($stored: $crate::lanes::simd::Stored),*>($($arg: $type),*) $(-> $out)? {
                $crate::lanes::align_frame();
                $kernel::<<$of as $crate::lanes::simd::Stored>::Avx512 $(, $lines)?>($($arg),*)
            }
            #[target_feature(enable = "avx2,fma")]
            fn wide<$($stored: $crate::lanes::simd::Stored),*>($($arg: $type),*) $(-> $out)? {
                $crate::lanes::align_frame();
                $kernel::<<$of as $crate::lanes::simd::Stored>::Avx2 $(, $lines)?>($($arg),*)
            }
            #[allow(unsafe_code, reason = "the processor has been asked")]
            match $crate::lanes::width() {
                // SAFETY: `width` says so only of a processor that has these instructions.
                $crate::lanes::Width::Avx512 => return unsafe { widest($($arg),*) },
                // SAFETY: the same.
                $crate::lanes::Width::Avx2 => return unsafe { wide($($arg),*) },
                $crate::lanes::Width::Plain => {}
            }
        }
        $kernel::<<$of as $crate::lanes::simd::Stored>::Plain $(, $lines)?>($($arg),*)
    }};
    ($($call:tt)*) => {
        $crate::lanes::dispatch!(with $crate::lanes::Wide [] [] $($call)*)
    };
}
use dispatch;

/// Has the frame of the kernel that calls this begin at a cache line: else it hangs on those of its callers whether the
/// vectors it keeps there lie across two lines, or two pages, and it takes up to a fifth longer.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn align_frame() {
    // Whatever has to lie so in the frame.
    core::hint::black_box(&Wide::default());
}

/// Instruction sets a kernel is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Width {
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    Plain,
}

/// Asserts that a kernel gives the same bits with every instruction set of this processor, and finite numbers; `run`
/// says what it gives, and is compared in writing, which tells all bits.
#[cfg(all(test, target_arch = "x86_64"))]
fn assert_same_at_every_width<T: std::fmt::Debug>(
    case: impl std::fmt::Debug,
    run: impl Fn(Width) -> T,
) {
    let written = |width| format!("{:?}", run(width));
    let plain = written(Width::Plain);
    let finite = !plain.contains("NaN") && !plain.contains("inf");
    assert!(finite, "{case:?}: {plain}");
    let others: &[Width] = match width() {
        Width::Avx512 => &[Width::Avx512, Width::Avx2],
        Width::Avx2 => &[Width::Avx2],
        Width::Plain => &[],
    };
    for &width in others {
        assert!(plain == written(width), "{case:?}, {width:?}");
    }
}

/// The widest set this processor has.
fn width() -> Width {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::is_x86_feature_detected as has;
        let fused = has!("avx2") && has!("fma");
        if fused && has!("avx512f") && has!("avx512dq") && has!("avx512vl") {
            return Width::Avx512;
        }
        if fused {
            return Width::Avx2;
        }
    }
    Width::Plain
}
