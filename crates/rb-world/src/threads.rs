//! Where parallel stages run: the caller's rayon pool, or one of the world's own.

#[cfg(feature = "parallel")]
use rb_solve::parallel;
use std::sync::Arc;

/// Work from which on threads pay: about a third of a millisecond. To a pool and back takes up to a tenth.
const WORTHWHILE: usize = 1000;

/// Thread pool of a world; not part of its state.
#[derive(Clone, Debug)]
pub(crate) struct Threads {
    #[cfg(feature = "parallel")]
    pool: Option<Arc<rayon::ThreadPool>>,
    /// One thread is the caller's own.
    #[cfg(feature = "parallel")]
    alone: bool,
    #[cfg(not(feature = "parallel"))]
    _single: Option<Arc<()>>,
    /// Steps with less work stay with the caller.
    pub(crate) threshold: usize,
}

impl Default for Threads {
    fn default() -> Self {
        Self {
            #[cfg(feature = "parallel")]
            pool: None,
            #[cfg(feature = "parallel")]
            alone: false,
            #[cfg(not(feature = "parallel"))]
            _single: None,
            threshold: WORTHWHILE,
        }
    }
}

impl Threads {
    /// A pool of `n` threads; 0 returns to the surrounding pool. The result of a step does not
    /// depend on it.
    #[cfg(feature = "parallel")]
    pub(crate) fn set(&mut self, n: usize) -> rb_core::Result<()> {
        self.alone = n == 1;
        self.pool = match n {
            0 | 1 => None,
            n => {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build();
                Some(Arc::new(pool.map_err(|e| {
                    rb_core::Error::Contradiction {
                        argument: "threads",
                        reason: e.to_string(),
                    }
                })?))
            }
        };
        Ok(())
    }

    /// Without the `parallel` feature everything runs on the calling thread.
    #[cfg(not(feature = "parallel"))]
    pub(crate) fn set(&mut self, _n: usize) -> rb_core::Result<()> {
        Ok(())
    }

    /// Runs `f` with the pool installed, or on the calling thread if its work is not worth the way.
    #[cfg(feature = "parallel")]
    pub(crate) fn run<R: Send>(&self, work: usize, f: impl FnOnce() -> R + Send) -> R {
        match &self.pool {
            _ if self.alone || work < self.threshold => parallel::alone(f),
            Some(pool) => pool.install(|| parallel::attended(f)),
            // The threads of a pool that is at work already may be needed elsewhere.
            None if rayon::current_thread_index().is_some() => f(),
            None => rayon::scope(|_| parallel::attended(f)),
        }
    }

    /// Runs `f`.
    #[cfg(not(feature = "parallel"))]
    pub(crate) fn run<R: Send>(&self, _work: usize, f: impl FnOnce() -> R + Send) -> R {
        f()
    }
}
