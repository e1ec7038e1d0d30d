//! Batches of either precision, as the parameters ask ([`Precision`]).

use super::batch::Packed;
use super::simd::{Narrow, Wide};
use rb_core::params::Precision;

/// What a section has packed.
#[derive(Clone, Debug)]
pub(super) enum Kept {
    Single(Packed<Narrow>),
    Double(Packed<Wide>),
}

impl Default for Kept {
    fn default() -> Self {
        Self::new(Precision::default())
    }
}

impl Kept {
    fn new(precision: Precision) -> Self {
        match precision {
            Precision::Single => Self::Single(Packed::default()),
            Precision::Double => Self::Double(Packed::default()),
        }
    }

    fn precision(&self) -> Precision {
        match self {
            Self::Single(_) => Precision::Single,
            Self::Double(_) => Precision::Double,
        }
    }

    /// Has batches of a precision from now on, none at first if it was another before; says whether it was.
    pub(super) fn change_to(&mut self, precision: Precision) -> bool {
        let other = self.precision() != precision;
        if other {
            *self = Self::new(precision);
        }
        other
    }
}

/// The same for both precisions.
macro_rules! either {
    ($kept:expr, |$packed:ident| $value:expr) => {
        match $kept {
            $crate::lanes::precision::Kept::Single($packed) => $value,
            $crate::lanes::precision::Kept::Double($packed) => $value,
        }
    };
}
pub(super) use either;
