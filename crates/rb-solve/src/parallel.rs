//! Independent tasks on rayon, or one after the other without the `parallel` feature.
//!
//! Tasks never see one another's data, so the result is the same for any number of threads.

#[cfg(feature = "parallel")]
use std::{
    cell::Cell,
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

#[cfg(feature = "parallel")]
thread_local! {
    /// Whether this thread keeps all tasks to itself.
    static ALONE: Cell<bool> = const { Cell::new(false) };
}

/// Runs `f` with all tasks on the calling thread: a pool of one thread, without the way there and back.
#[cfg(feature = "parallel")]
pub fn alone<R>(f: impl FnOnce() -> R) -> R {
    /// Puts back what was, also when `f` unwinds.
    struct Before(bool);
    impl Drop for Before {
        fn drop(&mut self) {
            ALONE.set(self.0);
        }
    }
    let _before = Before(ALONE.replace(true));
    f()
}

/// The same where there is only one thread.
#[cfg(not(feature = "parallel"))]
pub fn alone<R>(f: impl FnOnce() -> R) -> R {
    f()
}

/// Runs `f`, whose tasks may be `few`: handing them out would take longer than they do.
pub fn alone_if<R>(few: bool, f: impl FnOnce() -> R) -> R {
    if few { alone(f) } else { f() }
}

/// Whether all tasks are run on the calling thread.
#[cfg(feature = "parallel")]
fn is_alone() -> bool {
    ALONE.get()
}

/// Whether all tasks are run on the calling thread.
#[cfg(not(feature = "parallel"))]
fn is_alone() -> bool {
    true
}

/// Items per task where no result hangs on how many there are: `wanted`, or all of them if there is one thread.
pub fn stretch(wanted: usize) -> usize {
    if is_alone() { usize::MAX } else { wanted }
}

/// Time without work after which a thread may sleep although the step goes on.
#[cfg(feature = "parallel")]
const PATIENCE: Duration = Duration::from_micros(2000);

/// Runs `f` in the pool this thread is of, whose other threads stay awake for its tasks: a step is some
/// hundred short stretches of parallel work, and a thread that fell asleep in each gap would come too late
/// for most of them.
#[cfg(feature = "parallel")]
pub fn attended<R: Send>(f: impl FnOnce() -> R + Send) -> R {
    /// Lets the others go, also when `f` unwinds.
    struct Over<'a>(&'a AtomicBool);
    impl Drop for Over<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Release);
        }
    }
    let over = AtomicBool::new(false);
    let caller = rayon::current_thread_index();
    rayon::in_place_scope(|scope| {
        // A thread gets to this before it can take a task of `f`: none of those waits below it, unfinished.
        scope.spawn_broadcast(|_, thread| {
            if Some(thread.index()) != caller {
                attend(&over);
            }
        });
        let _over = Over(&over);
        f()
    })
}

/// Works at what there is to do until it is over, or nothing came for too long.
#[cfg(feature = "parallel")]
fn attend(over: &AtomicBool) {
    let mut idle = Instant::now();
    while !over.load(Ordering::Acquire) && idle.elapsed() < PATIENCE {
        if rayon::yield_now() == Some(rayon::Yield::Executed) {
            idle = Instant::now();
        } else {
            // There may be more threads than processors.
            std::thread::yield_now();
        }
    }
}

/// Runs both; threads without work take up the second while the caller has the first.
#[cfg(feature = "parallel")]
pub fn both(first: impl FnOnce() + Send, second: impl FnOnce() + Send) {
    if ALONE.get() {
        first();
        second();
    } else {
        rayon::join(first, second);
    }
}

/// Runs both.
#[cfg(not(feature = "parallel"))]
pub fn both(first: impl FnOnce() + Send, second: impl FnOnce() + Send) {
    first();
    second();
}

/// Work that falls into parts that share nothing.
pub trait Parts: Sized + Send {
    /// Number of parts.
    fn parts(&self) -> usize;

    /// The first `parts` parts, and the others.
    fn split_at(self, parts: usize) -> (Self, Self);
}

/// Runs `f` on every part.
#[cfg(feature = "parallel")]
pub fn for_each_part<P: Parts>(whole: P, f: &(impl Fn(P) + Sync)) {
    let parts = whole.parts();
    if parts <= 1 {
        return f(whole);
    }
    let (a, b) = whole.split_at(parts / 2);
    if ALONE.get() {
        for_each_part(a, f);
        for_each_part(b, f);
    } else {
        rayon::join(|| for_each_part(a, f), || for_each_part(b, f));
    }
}

/// Runs `f` on every part.
#[cfg(not(feature = "parallel"))]
pub fn for_each_part<P: Parts>(whole: P, f: &(impl Fn(P) + Sync)) {
    let parts = whole.parts();
    if parts <= 1 {
        return f(whole);
    }
    let (a, b) = whole.split_at(parts / 2);
    for_each_part(a, f);
    for_each_part(b, f);
}

/// Runs `f` on every item. Items are handed out in runs of at least `grain`, a constant of the caller
/// that must not depend on the number of threads.
#[cfg(feature = "parallel")]
pub fn for_each<T: Send>(items: &mut [T], grain: usize, f: impl Fn(&mut T) + Sync + Send) {
    use rayon::prelude::*;
    if items.len() <= grain || ALONE.get() {
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
    if items.len() <= size || ALONE.get() {
        let runs = items.chunks_mut(size).enumerate();
        runs.for_each(|(k, run)| f(k * size, run));
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

/// Appends `f(0)` to `f(count - 1)` to a list, made in runs of at least `grain`, a constant of the caller.
#[cfg(feature = "parallel")]
pub fn extend<T: Send>(
    list: &mut Vec<T>,
    count: usize,
    grain: usize,
    f: impl Fn(usize) -> T + Sync + Send,
) {
    use rayon::prelude::*;
    if count <= grain || ALONE.get() {
        list.extend((0..count).map(f));
    } else {
        list.par_extend((0..count).into_par_iter().with_min_len(grain).map(f));
    }
}

/// Appends `f(0)` to `f(count - 1)` to a list.
#[cfg(not(feature = "parallel"))]
pub fn extend<T: Send>(
    list: &mut Vec<T>,
    count: usize,
    _grain: usize,
    f: impl Fn(usize) -> T + Sync + Send,
) {
    list.extend((0..count).map(f));
}

/// Runs `f` on every one of `others` with its run of `size` items. `size` is a constant of the caller
/// that must not depend on the number of threads.
#[cfg(feature = "parallel")]
pub fn for_each_with_run<T: Send, U: Send>(
    others: &mut [U],
    items: &mut [T],
    size: usize,
    f: impl Fn(&mut U, &mut [T]) + Sync + Send,
) {
    use rayon::prelude::*;
    if items.len() <= size || ALONE.get() {
        let runs = others.iter_mut().zip(items.chunks_mut(size));
        runs.for_each(|(other, run)| f(other, run));
    } else {
        let runs = others.par_iter_mut().zip(items.par_chunks_mut(size));
        runs.for_each(|(other, run)| f(other, run));
    }
}

/// Runs `f` on every one of `others` with its run of `size` items.
#[cfg(not(feature = "parallel"))]
pub fn for_each_with_run<T: Send, U: Send>(
    others: &mut [U],
    items: &mut [T],
    size: usize,
    f: impl Fn(&mut U, &mut [T]) + Sync + Send,
) {
    let runs = others.iter_mut().zip(items.chunks_mut(size));
    runs.for_each(|(other, run)| f(other, run));
}
