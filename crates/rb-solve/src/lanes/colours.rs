//! Visits by colours: one manifold after the other gets the first colour that neither of its bodies has had, and all of a
//! colour share no body.
//!
//! That is for what lies between sections. Bodies along a cut touch crosswise, and visited one after the other they would
//! be a single chain, which leaves lanes idle; a few colours fill them. What a chain is for, that a load travels down a
//! column within one sweep (see [`order`](super::order)), is done within sections: cuts between piles are upright.

use super::plan::Member;
use rb_core::room;

/// Colours there are. What has had all of them has more of the last, and is visited in its order there.
const COLOURS: u32 = u32::BITS;

/// Colours of manifolds; kept from step to step for its memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Colours {
    /// Those that each body has had.
    had: Vec<u32>,
    /// That of each manifold.
    of: Vec<u8>,
}

impl Colours {
    /// Lists the numbers of `members` colour by colour; bodies beyond the `movable` ones may be touched by all at once.
    pub(super) fn list(&mut self, members: &[Member], movable: usize, visits: &mut Vec<u32>) {
        self.had.clear();
        room::fit(&mut self.had, movable);
        self.had.resize(movable, 0);
        self.of.clear();
        room::fit(&mut self.of, members.len());
        for member in members {
            let colour = self.colour(member.bodies);
            self.of.push(colour);
        }
        visits.extend(0..members.len() as u32);
        visits.sort_unstable_by_key(|&m| (self.of[m as usize], m));
    }

    /// The first that neither of two bodies has had, which they have had from now on.
    fn colour(&mut self, bodies: [u32; 2]) -> u8 {
        let bodies = bodies.map(|body| body as usize);
        let [a, b] = bodies.map(|body| self.had.get(body).copied().unwrap_or(0));
        let colour = (a | b).trailing_ones().min(COLOURS - 1);
        for body in bodies {
            if let Some(had) = self.had.get_mut(body) {
                *had |= 1 << colour;
            }
        }
        colour as u8
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        room::bytes(&self.had) + room::bytes(&self.of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::plan::Kind;

    fn listed(pairs: impl Iterator<Item = [u32; 2]>, movable: usize) -> Vec<u32> {
        let member = |bodies| Member {
            number: 0,
            bodies,
            kind: Kind::default(),
        };
        let members: Vec<_> = pairs.map(member).collect();
        let mut visits = Vec::new();
        Colours::default().list(&members, movable, &mut visits);
        visits
    }

    #[test]
    fn a_chain_has_two_colours() {
        let visits = listed((0..6).map(|k| [k, k + 1]), 7);
        assert_eq!(visits, [0, 2, 4, 1, 3, 5]);
    }

    #[test]
    fn what_nothing_moves_holds_nobody_up() {
        let visits = listed((0..4).map(|k| [k, 4]), 4);
        assert_eq!(visits, [0, 1, 2, 3]);
    }

    /// More at one body than there are colours: the last ones come in their order.
    #[test]
    fn the_last_colour_is_shared() {
        let count = COLOURS + 8;
        let visits = listed((1..=count).map(|k| [0, k]), count as usize + 1);
        assert!(visits.into_iter().eq(0..count));
    }
}
