//! Eight numbers side by side.
//!
//! Plain arrays: the compiler turns the loops into vector instructions of whatever width the calling
//! function may use. Every operation is exactly rounded and none is fused, so all widths give the same
//! bits.

use core::ops::{Add, Div, Mul, Neg, Sub};
use rb_core::contact_block::LANES;

/// One number per lane.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub(super) struct Wide(pub(super) [f64; LANES]);

impl Wide {
    pub(super) const ZERO: Self = Self([0.0; LANES]);

    #[inline(always)]
    pub(super) fn splat(x: f64) -> Self {
        Self([x; LANES])
    }

    #[inline(always)]
    fn map(self, f: impl Fn(f64) -> f64) -> Self {
        let mut out = self;
        for x in &mut out.0 {
            *x = f(*x);
        }
        out
    }

    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        let mut out = self;
        for i in 0..LANES {
            out.0[i] = f(self.0[i], other.0[i]);
        }
        out
    }

    #[inline(always)]
    pub(super) fn max(self, other: Self) -> Self {
        self.zip(other, |a, b| if a > b { a } else { b })
    }

    #[inline(always)]
    pub(super) fn min(self, other: Self) -> Self {
        self.zip(other, |a, b| if a < b { a } else { b })
    }

    #[inline(always)]
    pub(super) fn abs(self) -> Self {
        self.map(f64::abs)
    }

    #[inline(always)]
    pub(super) fn sqrt(self) -> Self {
        self.map(f64::sqrt)
    }

    /// 1 where self ≥ other, else 0.
    #[inline(always)]
    pub(super) fn at_least(self, other: Self) -> Self {
        self.zip(other, |a, b| if a >= b { 1.0 } else { 0.0 })
    }

    /// `yes` where self is not 0, else `no`.
    #[inline(always)]
    pub(super) fn pick(self, yes: Self, no: Self) -> Self {
        let mut out = no;
        for i in 0..LANES {
            out.0[i] = if self.0[i] != 0.0 { yes.0[i] } else { no.0[i] };
        }
        out
    }

    #[inline(always)]
    pub(super) fn largest(self) -> f64 {
        self.0.iter().fold(f64::NEG_INFINITY, |m, x| m.max(*x))
    }
}

macro_rules! lanewise {
    ($trait:ident, $method:ident, $op:tt) => {
        impl $trait for Wide {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                self.zip(other, |a, b| a $op b)
            }
        }
    };
}

lanewise!(Add, add, +);
lanewise!(Sub, sub, -);
lanewise!(Mul, mul, *);
lanewise!(Div, div, /);

impl Neg for Wide {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self.map(|x| -x)
    }
}

/// One vector per lane.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub(super) struct Wide3 {
    pub(super) x: Wide,
    pub(super) y: Wide,
    pub(super) z: Wide,
}

impl Wide3 {
    pub(super) const ZERO: Self = Self {
        x: Wide::ZERO,
        y: Wide::ZERO,
        z: Wide::ZERO,
    };

    #[inline(always)]
    pub(super) fn set(&mut self, lane: usize, v: glam::DVec3) {
        (self.x.0[lane], self.y.0[lane], self.z.0[lane]) = (v.x, v.y, v.z);
    }

    #[inline(always)]
    pub(super) fn get(&self, lane: usize) -> glam::DVec3 {
        glam::DVec3::new(self.x.0[lane], self.y.0[lane], self.z.0[lane])
    }

    #[inline(always)]
    pub(super) fn dot(self, o: Self) -> Wide {
        self.x * o.x + self.y * o.y + self.z * o.z
    }

    #[inline(always)]
    pub(super) fn cross(self, o: Self) -> Self {
        Self {
            x: self.y * o.z - self.z * o.y,
            y: self.z * o.x - self.x * o.z,
            z: self.x * o.y - self.y * o.x,
        }
    }

    /// Component by component.
    #[inline(always)]
    pub(super) fn times(self, o: Self) -> Self {
        Self {
            x: self.x * o.x,
            y: self.y * o.y,
            z: self.z * o.z,
        }
    }

    #[inline(always)]
    pub(super) fn scaled(self, s: Wide) -> Self {
        Self {
            x: self.x * s,
            y: self.y * s,
            z: self.z * s,
        }
    }
}

impl Add for Wide3 {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self {
            x: self.x + o.x,
            y: self.y + o.y,
            z: self.z + o.z,
        }
    }
}

impl Sub for Wide3 {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Self {
            x: self.x - o.x,
            y: self.y - o.y,
            z: self.z - o.z,
        }
    }
}

/// One symmetric 3 × 3 matrix per lane.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub(super) struct WideSym {
    pub(super) xx: Wide,
    pub(super) yy: Wide,
    pub(super) zz: Wide,
    pub(super) xy: Wide,
    pub(super) xz: Wide,
    pub(super) yz: Wide,
}

impl WideSym {
    pub(super) const ZERO: Self = Self {
        xx: Wide::ZERO,
        yy: Wide::ZERO,
        zz: Wide::ZERO,
        xy: Wide::ZERO,
        xz: Wide::ZERO,
        yz: Wide::ZERO,
    };

    #[inline(always)]
    pub(super) fn set(&mut self, lane: usize, m: &glam::DMat3) {
        self.xx.0[lane] = m.x_axis.x;
        self.yy.0[lane] = m.y_axis.y;
        self.zz.0[lane] = m.z_axis.z;
        self.xy.0[lane] = m.x_axis.y;
        self.xz.0[lane] = m.x_axis.z;
        self.yz.0[lane] = m.y_axis.z;
    }

    #[inline(always)]
    pub(super) fn times(&self, v: Wide3) -> Wide3 {
        Wide3 {
            x: self.xx * v.x + self.xy * v.y + self.xz * v.z,
            y: self.xy * v.x + self.yy * v.y + self.yz * v.z,
            z: self.xz * v.x + self.yz * v.y + self.zz * v.z,
        }
    }
}
