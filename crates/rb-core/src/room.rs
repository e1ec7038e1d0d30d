//! Memory of lists that are filled anew in every step: what they need and a little more.
//!
//! A list that grows by doubling holds up to twice what it needs, and one that was long once holds that
//! for ever. Lists whose lengths change a little keep their memory, so that steady steps need no new.

use smallvec::{Array, SmallVec};

/// Bytes that a list may hold beyond what it needs, however short it is.
const SPARE: usize = 1024;

/// Gives a list room for `len` items in all, if it has not, and takes room away that is more than twice
/// as much. What is in the list stays.
pub fn fit<T>(list: &mut Vec<T>, len: usize) {
    let ample = len + len / 8;
    let spare = SPARE / size_of::<T>().max(1);
    let grows = list.capacity() < len;
    let shrinks = list.capacity() > 2 * ample + spare.max(2);
    match (grows, shrinks) {
        (false, false) => {}
        // Given back first: what is moved is copied, whether it is in use or not.
        _ if list.is_empty() => {
            *list = Vec::new();
            list.reserve_exact(ample);
        }
        (true, _) => list.reserve_exact(ample - list.len()),
        _ => list.shrink_to(ample),
    }
}

/// Takes room away from a list that is far more than what is in it needs.
pub fn trim<T>(list: &mut Vec<T>) {
    let len = list.len();
    fit(list, len);
}

/// Empties a list, keeping room for as many items as were in it.
pub fn empty<T>(list: &mut Vec<T>) {
    let len = list.len();
    list.clear();
    fit(list, len);
}

/// Bytes that a list holds, used or not.
pub fn bytes<T>(list: &Vec<T>) -> usize {
    list.capacity() * size_of::<T>()
}

/// Bytes that a short list holds beyond those within it.
pub fn spilled<A: Array>(list: &SmallVec<A>) -> usize {
    match list.spilled() {
        true => list.capacity() * size_of::<A::Item>(),
        false => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_follows_the_need_and_bears_small_changes() {
        let mut list: Vec<[f64; 16]> = Vec::new();
        fit(&mut list, 1000);
        let ample = list.capacity();
        assert!((1000..1200).contains(&ample));
        for len in [950, 1050, 600, 1000] {
            fit(&mut list, len);
            assert_eq!(list.capacity(), ample);
        }
        list.resize(50, [1.0; 16]);
        fit(&mut list, 100);
        assert!((100..120).contains(&list.capacity()));
        assert_eq!(list, [[1.0; 16]; 50]);
    }
}
