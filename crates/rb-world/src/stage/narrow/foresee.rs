//! What has to be done about each pair of a task, told before any of it is done.
//!
//! In a heap a third of the pairs are apart, a third are searched, and which is anyone's guess. A wrong one costs a
//! processor what it takes to find out, and all that was begun meanwhile. So it is found out with hardly a branch, for
//! all pairs, and whoever acts on it knows beforehand.

use super::outlook::{Outlook, at_rest};
use super::parted;
use crate::frame::Placed;
use crate::hooks::Hooks;
use crate::state::{Pair, State};
use rb_contact::reach::Approach;
use rb_contact::recycle::Recall;
use rb_core::params::ContactParams;

/// What has to be done about a pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Nothing.
    #[default]
    Leave,
    /// It has no contacts.
    Part,
    /// It has a sensor.
    Sense,
    /// Its contacts are in place.
    Renew,
    /// Those between lines are.
    Follow,
    /// To search for its contacts.
    Search,
}

/// The same, with the number of the pair in the task.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Act {
    pub(super) pair: u32,
    pub(super) kind: Kind,
    pub(super) outlook: Outlook,
}

/// Lists what has to be done, pair by pair, in a step in which what is let go falls by `fall` (m), and which of them have
/// manifolds. How many manifolds are known of all.
pub(super) fn foresee(
    state: &State,
    (placed, hooks, fall): (&[Placed], Option<&dyn Hooks>, f64),
    pairs: &mut [Pair],
    (acts, known): (&mut Vec<Act>, &mut Vec<u32>),
) -> usize {
    // One to spare: what is to be done about a pair is written down before it is known whether there is any.
    acts.resize(pairs.len() + 1, Act::default());
    known.resize(pairs.len() + 1, 0);
    let (mut manifolds, mut holders, mut count) = (0, 0, 0);
    for (k, pair) in pairs.iter_mut().enumerate() {
        let sides = [&placed[pair.key[0] as usize], &placed[pair.key[1] as usize]];
        let parted = parted(sides);
        // Nearly half of them, and all that is asked of these. Some are not even listed nearer to the origin, where
        // boxes are stored more finely: what is not listed knows nothing.
        if parted && pair.count == 0 {
            if pair.memory.is_some() {
                pair.memory = None;
            }
            continue;
        }
        manifolds += pair.count as usize;
        known[holders] = k as u32;
        holders += usize::from(pair.count > 0);
        let act = &mut acts[count];
        act.pair = k as u32;
        act.kind = if parted || !may_touch(hooks, sides) {
            Kind::Part
        } else if sides[0].sensor || sides[1].sensor {
            Kind::Sense
        } else {
            act.look(&state.params.contact, fall, pair, sides)
        };
        count += usize::from(act.kind != Kind::Leave);
    }
    acts.truncate(count);
    known.truncate(holders);
    manifolds
}

fn may_touch(hooks: Option<&dyn Hooks>, [a, b]: [&Placed; 2]) -> bool {
    hooks.is_none_or(|h| h.may_touch([a.collider, b.collider], [a.body, b.body]))
}

impl Act {
    /// What has to be done about a pair whose boxes meet.
    #[inline(always)]
    fn look(
        &mut self,
        contact: &ContactParams,
        fall: f64,
        pair: &Pair,
        sides: [&Placed; 2],
    ) -> Kind {
        let [a, b] = sides;
        let rests = a.held && b.held && pair.memory.is_some() && at_rest(contact, sides);
        if rests || !(a.stirs || b.stirs) {
            return Kind::Leave;
        }
        let approach = Approach::new((a.sphere(), &a.motion), (b.sphere(), &b.motion));
        let outlook = Outlook::new(contact, fall, sides, approach.nearing());
        self.outlook = outlook;
        let recall = match &pair.memory {
            Some(memory) => {
                let moved = memory.moved(a.sphere(), b.sphere());
                memory.recall(moved, outlook.prediction, outlook.limit)
            }
            None => Recall::Search,
        };
        match recall {
            Recall::Search => Kind::Search,
            _ if pair.count == 0 => Kind::Leave,
            Recall::InPlace => Kind::Renew,
            Recall::Followed => Kind::Follow,
            Recall::Clear => Kind::Search,
        }
    }
}
