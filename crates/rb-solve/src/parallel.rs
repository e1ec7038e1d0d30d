//! Independent tasks on rayon, or one after the other without the `parallel` feature.
//!
//! Tasks never see one another's data, so the result is the same for any number of threads.

/// Runs `f` on every item. Items are handed out in runs of at least `grain`, a constant of the caller
/// that must not depend on the number of threads.
#[cfg(feature = "parallel")]
pub fn for_each<T: Send>(items: &mut [T], grain: usize, f: impl Fn(&mut T) + Sync + Send) {
    use rayon::prelude::*;
    if items.len() <= grain {
        items.iter_mut().for_each(f);
    } else {
        items.par_iter_mut().with_min_len(grain).for_each(f);
    }
}

/// Runs `f` on runs of `size` items, with the number of the first of each run. `size` is a constant of
/// the caller that must not depend on the number of threads.
#[cfg(feature = "parallel")]
pub fn for_each_run<T: Send>(
    items: &mut [T],
    size: usize,
    f: impl Fn(usize, &mut [T]) + Sync + Send,
) {
    use rayon::prelude::*;
    if items.len() <= size {
        f(0, items);
    } else {
        let runs = items.par_chunks_mut(size).enumerate();
        runs.for_each(|(k, run)| f(k * size, run));
    }
}

/// Runs `f` on runs of `size` items, with the number of the first of each run.
#[cfg(not(feature = "parallel"))]
pub fn for_each_run<T: Send>(
    items: &mut [T],
    size: usize,
    f: impl Fn(usize, &mut [T]) + Sync + Send,
) {
    let runs = items.chunks_mut(size).enumerate();
    runs.for_each(|(k, run)| f(k * size, run));
}

/// Runs `f` on every item.
#[cfg(not(feature = "parallel"))]
pub fn for_each<T: Send>(items: &mut [T], _grain: usize, f: impl Fn(&mut T) + Sync + Send) {
    items.iter_mut().for_each(f);
}
