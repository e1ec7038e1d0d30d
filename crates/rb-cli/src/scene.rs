//! From the command line to a world: the file, and what the options change of it.

use clap::{Args, ValueEnum};
use rb_scenes::file::{Built, Customs, InputError, MOST_BYTES, Profile, SceneFile, check_step};
use rb_world::prelude::{Params, SolvePlan};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Most threads: more would only wait.
const MOST_THREADS: usize = 1024;

/// Which scene, and how to step it.
#[derive(Args)]
pub(crate) struct SceneArgs {
    /// Scene in JSON; `-` reads standard input.
    pub(crate) file: PathBuf,
    /// Step (s) instead of the file's.
    #[arg(long)]
    pub(crate) dt: Option<f64>,
    /// Profile instead of the file's; what the file changes of it holds.
    #[arg(long, value_enum)]
    profile: Option<ProfileName>,
    /// Who solves islands, instead of what the file says.
    #[arg(long, value_enum, default_value = "auto")]
    solver: PlanName,
    /// Threads, the calling one included; 0 takes one per core. The result is the same.
    #[arg(long, default_value_t = 0)]
    threads: usize,
}

/// Profiles by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ProfileName {
    /// Fast and robust.
    Game,
    /// Accurate.
    Robotics,
}

/// Who solves islands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum PlanName {
    /// As the file and its profile say.
    Auto,
    /// The fast solver, whatever the certificate says.
    Fast,
    /// The fast solver first; islands above the tolerance go to the exact one.
    Fallback,
    /// The exact solver for every island.
    Exact,
    /// Lemke's method for every island of flat laws it is not too large for, else the exact solver.
    Lemke,
    /// The same with bounded principal pivoting.
    Pivot,
}

impl PlanName {
    fn plan(self) -> Option<SolvePlan> {
        match self {
            Self::Auto => None,
            Self::Fast => Some(SolvePlan::Fast),
            Self::Fallback => Some(SolvePlan::Fallback),
            Self::Exact => Some(SolvePlan::Exact),
            Self::Lemke => Some(SolvePlan::Lemke),
            Self::Pivot => Some(SolvePlan::Pivot),
        }
    }
}

/// A scene ready to step.
pub(crate) struct Scene {
    pub(crate) file: SceneFile,
    pub(crate) built: Built,
    /// Title: the scene's name, or that of its file.
    pub(crate) title: String,
    /// Step (s).
    pub(crate) dt: f64,
}

impl SceneArgs {
    /// Reads the file and builds its world.
    pub(crate) fn load(&self) -> Result<Scene, InputError> {
        let mut file = SceneFile::parse(&read(&self.file)?)?;
        match self.profile {
            Some(ProfileName::Game) => file.profile = Profile::Game,
            Some(ProfileName::Robotics) => file.profile = Profile::Robotics,
            None => {}
        }
        let mut params: Params = file.settings()?;
        params.escalation.plan = self.solver.plan().unwrap_or(params.escalation.plan);
        let dt = self.dt.unwrap_or(file.dt);
        check_step("--dt", dt)?;
        let mut built = file.build_with(params, &Customs::default())?;
        if self.threads > MOST_THREADS {
            let reason = format!("more than {MOST_THREADS}");
            return Err(InputError::new("--threads", reason));
        }
        let threads = built.world.set_threads(self.threads);
        threads.map_err(|e| InputError::new("--threads", e.to_string()))?;
        Ok(Scene {
            title: self.title(&file),
            dt,
            file,
            built,
        })
    }

    fn title(&self, file: &SceneFile) -> String {
        if !file.name.is_empty() {
            return file.name.clone();
        }
        let stem = self.file.file_stem().unwrap_or_default();
        stem.to_string_lossy().into_owned()
    }
}

/// The text of a file, or of standard input for `-`.
pub(crate) fn read(path: &Path) -> Result<String, InputError> {
    let mut text = String::new();
    let read = if path == Path::new("-") {
        std::io::stdin()
            .take(MOST_BYTES + 1)
            .read_to_string(&mut text)
    } else {
        std::fs::File::open(path)
            .and_then(|file| file.take(MOST_BYTES + 1).read_to_string(&mut text))
    };
    let at = |reason: String| InputError::new(path.display().to_string(), reason);
    let length = read.map_err(|e| at(e.to_string()))?;
    if length as u64 > MOST_BYTES {
        return Err(at(format!("longer than {MOST_BYTES} bytes")));
    }
    Ok(text)
}

/// A file that could not be written.
pub(crate) fn unwritten(path: &Path, error: impl std::fmt::Display) -> InputError {
    InputError::new(path.display().to_string(), error.to_string())
}
