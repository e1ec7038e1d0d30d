//! Materials of the contacts that have more than friction: a list of their own, in the order of the contacts.

use crate::frame::PairChunk;
use rb_core::manifold::{ContactMaterial, Manifold};
use rb_core::room::{empty, fit};

/// From here on numbers count the materials that a task has combined in this step.
const FRESH: u32 = 1 << 31;

/// Notes a material in those of a task, if it has more than friction; returns its number there.
pub(super) fn note(fresh: &mut Vec<ContactMaterial>, material: &ContactMaterial) -> u32 {
    if material.is_plain() {
        return 0;
    }
    fresh.push(*material);
    FRESH + fresh.len() as u32 - 1
}

/// Lists the materials anew: those that tasks have combined, and those of former contacts that are still there.
/// Manifolds next to each other that shared one still do.
pub(super) fn gather(
    materials: &mut Vec<ContactMaterial>,
    former: &mut Vec<ContactMaterial>,
    contacts: &mut [Manifold],
    chunks: &mut [PairChunk],
) {
    if materials.is_empty() && chunks.iter().all(|c| c.fresh.is_empty()) {
        return;
    }
    std::mem::swap(materials, former);
    materials.clear();
    for chunk in chunks {
        let mut last = [0; 2];
        for manifold in &mut contacts[chunk.first..chunk.first + chunk.count] {
            let number = manifold.surface;
            if number > 0 && number != last[0] {
                let material = match number.checked_sub(FRESH) {
                    Some(k) => chunk.fresh.get(k as usize),
                    None => former.get(number as usize - 1),
                };
                materials.extend(material);
                // Of a step that a hook cut short nothing is known.
                let found = material.map_or(0, |_| materials.len() as u32);
                last = [number, found];
            }
            if number > 0 {
                manifold.surface = last[1];
            }
        }
        empty(&mut chunk.fresh);
    }
    let len = materials.len();
    fit(materials, len);
}

#[cfg(test)]
mod tests {
    use super::*;
    use rb_core::manifold::FrictionLaw;

    /// A material that can be told from others.
    fn named(name: u32) -> ContactMaterial {
        ContactMaterial {
            restitution: f64::from(name) / 100.0,
            ..ContactMaterial::plain(FrictionLaw::Conic, 0.5)
        }
    }

    /// Former, fresh and plain ones in two tasks; some contacts are gone.
    #[test]
    fn every_contact_finds_its_material_again() {
        let mut materials = vec![named(1), named(2), named(3)];
        let mut chunks = [PairChunk::default(), PairChunk::default()];
        for (k, chunk) in chunks.iter_mut().enumerate() {
            (chunk.first, chunk.count) = (4 * k, 4);
        }
        let plain = ContactMaterial::plain(FrictionLaw::Boxed, 0.1);
        let first = note(&mut chunks[0].fresh, &named(7));
        let second = note(&mut chunks[1].fresh, &named(8));
        let third = note(&mut chunks[1].fresh, &named(9));
        assert_eq!(note(&mut chunks[1].fresh, &plain), 0);
        let numbers = [1, 1, 0, first, second, 3, third, 0];
        let mut contacts = numbers.map(|surface| Manifold {
            surface,
            ..Manifold::default()
        });
        let mut former = Vec::new();
        gather(&mut materials, &mut former, &mut contacts, &mut chunks);
        let found = contacts.map(|m| (m.surface as usize).checked_sub(1).map(|k| materials[k]));
        let of = [1, 1, 0, 7, 8, 3, 9, 0].map(|name| (name > 0).then(|| named(name)));
        assert_eq!(found, of);
        assert_eq!(materials.len(), 5);
    }
}
