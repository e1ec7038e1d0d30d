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

/// Tells that something is over when it goes, also when that unwinds.
#[cfg(feature = "parallel")]
struct Over<'a>(&'a AtomicBool);

#[cfg(feature = "parallel")]
impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// Runs `f` in the pool this thread is of, whose other threads stay awake for its tasks: a step is some
/// hundred short stretches of parallel work, and a thread that fell asleep in each gap would come too late
/// for most of them.
#[cfg(feature = "parallel")]
pub fn attended<R: Send>(f: impl FnOnce() -> R + Send) -> R {
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
    let mut idle = None;
    while !over.load(Ordering::Acquire) {
        if rayon::yield_now() == Some(rayon::Yield::Executed) {
            idle = None;
        } else if idle.get_or_insert_with(Instant::now).elapsed() < PATIENCE {
            // There may be more threads than processors.
            std::thread::yield_now();
        } else {
            return;
        }
    }
}

/// Runs both, side by side if there is a thread for the second. Who waits for the other stays awake like those that
/// [attend](attended): one stretch of work takes less time than to fall asleep over it and be woken.
#[cfg(feature = "parallel")]
fn join(first: impl FnOnce() + Send, second: impl FnOnce() + Send) {
    let over = AtomicBool::new(false);
    rayon::join(
        || {
            first();
            attend(&over);
        },
        || {
            let _over = Over(&over);
            second();
        },
    );
}

/// Runs both.
#[cfg(not(feature = "parallel"))]
fn join(first: impl FnOnce() + Send, second: impl FnOnce() + Send) {
    first();
    second();
}

/// Runs both; threads without work take up the second while the caller has the first.
pub fn both(first: impl FnOnce() + Send, second: impl FnOnce() + Send) {
    if is_alone() {
        first();
        second();
    } else {
        join(first, second);
    }
}

/// Work that falls into parts that share nothing.
pub trait Parts: Sized + Send {
    /// Number of parts.
    fn parts(&self) -> usize;

    /// The first `parts` parts, and the others.
    fn split_at(self, parts: usize) -> (Self, Self);
}

/// Runs `f` on every part.
pub fn for_each_part<P: Parts>(whole: P, f: &(impl Fn(P) + Sync)) {
    let parts = whole.parts();
    if parts <= 1 {
        return f(whole);
    }
    let (a, b) = whole.split_at(parts / 2);
    if is_alone() {
        for_each_part(a, f);
        for_each_part(b, f);
    } else {
        join(|| for_each_part(a, f), || for_each_part(b, f));
    }
}

/// Runs of `size` items, the last maybe of fewer.
struct Runs<'a, T> {
    /// Number of the first item.
    first: usize,
    items: &'a mut [T],
    size: usize,
}

impl<'a, T> Runs<'a, T> {
    fn new(items: &'a mut [T], size: usize) -> Self {
        let first = 0;
        Self { first, items, size }
    }
}

impl<T: Send> Parts for Runs<'_, T> {
    fn parts(&self) -> usize {
        self.items.len().div_ceil(self.size)
    }

    fn split_at(self, parts: usize) -> (Self, Self) {
        let Self { first, items, size } = self;
        let (items, items2) = items.split_at_mut(parts * size);
        let of = |first, items| Self { first, items, size };
        (of(first, items), of(first + parts * size, items2))
    }
}

/// Two of as many parts each, side by side.
impl<A: Parts, B: Parts> Parts for (A, B) {
    fn parts(&self) -> usize {
        self.0.parts().min(self.1.parts())
    }

    fn split_at(self, parts: usize) -> (Self, Self) {
        let (a, a2) = self.0.split_at(parts);
        let (b, b2) = self.1.split_at(parts);
        ((a, b), (a2, b2))
    }
}

// What follows takes a size of runs that is a constant of the caller: it must not depend on the number of threads.

/// Runs `f` on every item, in runs of `size`.
pub fn for_each<T: Send>(items: &mut [T], size: usize, f: impl Fn(&mut T) + Sync + Send) {
    for_each_run(items, size, |_, run| run.iter_mut().for_each(&f));
}

/// Runs `f` on runs of `size` items, with the number of the first of each run.
pub fn for_each_run<T: Send>(
    items: &mut [T],
    size: usize,
    f: impl Fn(usize, &mut [T]) + Sync + Send,
) {
    for_each_part(Runs::new(items, size), &|run: Runs<T>| {
        f(run.first, run.items);
    });
}

/// Runs `f` on every one of `others` with its run of `size` items.
pub fn for_each_with_run<T: Send, U: Send>(
    others: &mut [U],
    items: &mut [T],
    size: usize,
    f: impl Fn(&mut U, &mut [T]) + Sync + Send,
) {
    let both = (Runs::new(others, 1), Runs::new(items, size));
    for_each_part(both, &|(others, run): (Runs<U>, Runs<T>)| {
        let runs = others.items.iter_mut().zip(run.items.chunks_mut(size));
        runs.for_each(|(other, run)| f(other, run));
    });
}

/// Runs `f` on every one of `others` with its item, in runs of `size`.
pub fn for_each_pair<T: Send, U: Send>(
    others: &mut [U],
    items: &mut [T],
    size: usize,
    f: impl Fn(&mut U, &mut T) + Sync + Send,
) {
    let both = (Runs::new(others, size), Runs::new(items, size));
    for_each_part(both, &|(others, run): (Runs<U>, Runs<T>)| {
        let pairs = others.items.iter_mut().zip(run.items);
        pairs.for_each(|(other, item)| f(other, item));
    });
}

/// The same with two others.
pub fn for_each_three<T: Send, U: Send, V: Send>(
    others: &mut [U],
    more: &mut [V],
    items: &mut [T],
    size: usize,
    f: impl Fn(&mut U, &mut V, &mut T) + Sync + Send,
) {
    let others = Runs::new(others, size);
    let all = ((others, Runs::new(more, size)), Runs::new(items, size));
    for_each_part(all, &|((others, more), run): (
        (Runs<U>, Runs<V>),
        Runs<T>,
    )| {
        let others = others.items.iter_mut().zip(more.items);
        for ((other, more), item) in others.zip(run.items) {
            f(other, more, item);
        }
    });
}

/// Appends `f(0)` to `f(count - 1)` to a list, made in runs of `size`.
pub fn extend<T: Send + Default>(
    list: &mut Vec<T>,
    count: usize,
    size: usize,
    f: impl Fn(usize) -> T + Sync + Send,
) {
    let before = list.len();
    list.resize_with(before + count, T::default);
    for_each_run(&mut list[before..], size, |first, run| {
        for (k, item) in run.iter_mut().enumerate() {
            *item = f(first + k);
        }
    });
}
