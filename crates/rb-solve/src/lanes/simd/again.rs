//! Numbers that are read from memory again where they are asked for a second time.
//!
//! What a visit asks for before and after a long stretch of work is read-only and near. A compiler keeps what it has read
//! nevertheless, and as registers are few puts all of it aside on the stack meanwhile: a store and a load for a number that
//! an instruction takes from memory as cheaply as from a register.
#![allow(
    unsafe_code,
    reason = "a reference that the compiler knows nothing of is made of an address"
)]

/// The same, known to the compiler as another.
#[inline(always)]
pub(in crate::lanes) fn again<T>(numbers: &T) -> &T {
    // SAFETY: it is the reference that was given, for as long.
    unsafe { &*hidden(&raw const *numbers) }
}

/// The same list, known to the compiler as another of its length.
#[inline(always)]
pub(in crate::lanes) fn all_again<T>(numbers: &[T]) -> &[T] {
    // SAFETY: they are the address and the length of what was given, for as long.
    unsafe { core::slice::from_raw_parts(hidden(numbers.as_ptr()), numbers.len()) }
}

/// The same address.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[allow(
    clippy::pointers_in_nomem_asm_block,
    reason = "nothing is read by way of it"
)]
#[inline(always)]
fn hidden<T>(mut address: *const T) -> *const T {
    // SAFETY: there is no instruction in it, but for a remark.
    unsafe {
        core::arch::asm!(
            "/* {0} */",
            inout(reg) address,
            options(pure, nomem, nostack, preserves_flags)
        );
    }
    address
}

#[cfg(not(all(target_arch = "x86_64", not(miri))))]
#[inline(always)]
fn hidden<T>(address: *const T) -> *const T {
    address
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_again_is_what_was_read() {
        let numbers: [u64; 9] = core::array::from_fn(|k| 3 * k as u64);
        for from in 0..=numbers.len() {
            for to in from..=numbers.len() {
                let some = &numbers[from..to];
                let same = all_again(some);
                assert!(core::ptr::eq(some, same) && some == same);
                some.iter()
                    .for_each(|x| assert!(core::ptr::eq(x, again(x))));
            }
        }
    }
}
