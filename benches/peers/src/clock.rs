//! What a step is timed with.

use cpu_time::ProcessTime;
use serde::Serialize;
use std::time::{Duration, Instant};

/// A kind of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Clock {
    /// Processor time of the whole process, workers an engine might hide among it. It does not run
    /// while other programs have the processor.
    Cpu,
    /// What passes outside, which is what several threads are to shorten.
    Wall,
}

impl Clock {
    /// The clock for engines of so many threads.
    pub(crate) fn of(threads: usize) -> Self {
        match threads {
            1 => Self::Cpu,
            _ => Self::Wall,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Cpu => "processor time",
            Self::Wall => "wall clock",
        }
    }

    /// How long `work` takes (ms).
    pub(crate) fn time(self, work: impl FnOnce() -> anyhow::Result<()>) -> anyhow::Result<f64> {
        let spent: Duration = match self {
            Self::Cpu => {
                let started = ProcessTime::try_now()?;
                work()?;
                started.try_elapsed()?
            }
            Self::Wall => {
                let started = Instant::now();
                work()?;
                started.elapsed()
            }
        };
        Ok(spent.as_secs_f64() * 1e3)
    }
}
