//! Settings: a profile, and what the file changes of it.

use super::SceneFile;
use rb_solve::InputError;
use rb_world::core::params::Params;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Most sweeps of a pass over all substeps of a step: more would only look like a hang.
const MOST_SWEEPS: u64 = 100_000;

/// Settings to start from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Profile {
    /// [`Params::game`].
    #[default]
    Game,
    /// [`Params::robotics`].
    Robotics,
}

impl Profile {
    /// Its settings.
    pub fn params(self) -> Params {
        match self {
            Self::Game => Params::game(),
            Self::Robotics => Params::robotics(),
        }
    }
}

impl SceneFile {
    /// The settings of the profile with the changes of `params`.
    ///
    /// # Errors
    /// Unknown or ill-typed fields, values out of range; at their paths below `params`.
    pub fn settings(&self) -> Result<Params, InputError> {
        let at = |path: &str| match path {
            "" | "." => "params".to_owned(),
            path => format!("params.{path}"),
        };
        let mut all = serde_json::to_value(self.profile.params())
            .map_err(|e| InputError::new("profile", e.to_string()))?;
        if let Value::Object(base) = &mut all {
            merge(base, &self.params);
        }
        let params: Params = rb_solve::formats::read_from(&all)
            .map_err(|e| InputError::new(at(&e.path), e.reason))?;
        params.validate().map_err(|e| {
            let fields: Vec<&str> = self.params.keys().map(String::as_str).collect();
            super::fault::fault("params", &fields, &e)
        })?;
        let s = params.sweeps;
        let most = u64::from(s.position.max(s.velocity).max(s.coupled).max(s.rounds));
        let second = s.again(params.escalation.again);
        let second = u64::from(second.position.max(second.velocity_in(true)));
        if most.max(second) * u64::from(params.substeps) > MOST_SWEEPS {
            let reason = format!("more than {MOST_SWEEPS} over all substeps");
            return Err(InputError::new("params.sweeps", reason));
        }
        Ok(params)
    }
}

/// Lays `over` on `base`, object by object; what `base` does not know is added for the reader to refuse.
fn merge(base: &mut Map<String, Value>, over: &Map<String, Value>) {
    for (key, value) in over {
        match (base.get_mut(key), value) {
            (Some(Value::Object(inner)), Value::Object(changes)) => merge(inner, changes),
            _ => {
                base.insert(key.clone(), value.clone());
            }
        }
    }
}
