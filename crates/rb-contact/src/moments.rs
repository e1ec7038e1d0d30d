//! Volume moments by quadrature that is exact for the shapes it serves.
//!
//! A solid is a sum of weighted points: tetrahedra by a rule exact to degree 2, the rounding of an
//! edge or vertex by Gauss–Legendre nodes in r, along the edge and over the angle. Moments of inertia
//! only need degree 2 in space, so the polynomial parts are exact and the trigonometric ones reach
//! rounding error with 16 nodes.
//!
//! Units: with weights in m³, the moments are m³, m⁴, m⁵; [`Moments::mass`] multiplies by a density.

use crate::polyhedron::{Polyhedron, tetrahedron};
use glam::{DMat3, DVec3};
use rb_core::mass::MassProps;

/// Zeroth, first and second moment about the origin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moments {
    volume: f64,
    first: DVec3,
    second: DMat3,
}

impl Moments {
    pub(crate) const ZERO: Self = Self {
        volume: 0.0,
        first: DVec3::ZERO,
        second: DMat3::ZERO,
    };

    /// Adds a lump of `weight` (m³) at `p` (m).
    pub(crate) fn add(&mut self, weight: f64, p: DVec3) {
        self.volume += weight;
        self.first += weight * p;
        self.second += DMat3::from_cols(p * p.x, p * p.y, p * p.z) * weight;
    }

    /// Adds the tetrahedron (origin, a, b, c); inside-out ones subtract.
    pub(crate) fn add_tetrahedron(&mut self, [a, b, c]: [DVec3; 3]) {
        let v = tetrahedron(DVec3::ZERO, a, b, c);
        // Four interior points, exact to degree 2.
        let (near, far) = (0.585_410_196_624_968_5, 0.138_196_601_125_010_5);
        let rest = (a + b + c) * far;
        for p in [DVec3::ZERO, a, b, c] {
            self.add(0.25 * v, rest + p * (near - far));
        }
    }

    /// Mass properties for a density (kg/m³), the moments being about `origin` of the shape's frame.
    pub(crate) fn mass(&self, density: f64, origin: DVec3) -> MassProps {
        if self.volume <= 0.0 {
            return MassProps::ZERO;
        }
        let com = self.first / self.volume;
        let central =
            self.second - DMat3::from_cols(com * com.x, com * com.y, com * com.z) * self.volume;
        let trace = central.x_axis.x + central.y_axis.y + central.z_axis.z;
        let inertia = DMat3::from_diagonal(DVec3::splat(trace)) - central;
        MassProps {
            mass: density * self.volume,
            com_local: origin + com,
            inertia_local: (inertia + inertia.transpose()) * (0.5 * density),
        }
    }
}

/// Mass of a closed surface wound counter-clockwise from outside.
pub(crate) fn closed_surface(
    triangles: impl Iterator<Item = [DVec3; 3]>,
    origin: DVec3,
    density: f64,
) -> MassProps {
    let mut m = Moments::ZERO;
    for t in triangles {
        m.add_tetrahedron(t.map(|p| p - origin));
    }
    m.mass(density, origin)
}

/// Mass of a polyhedron dilated by a ball of radius `border` (m): core, a slab per face, a wedge of
/// a cylinder per edge, a sector of a ball per vertex.
pub(crate) fn rounded(poly: &Polyhedron, border: f64, density: f64) -> MassProps {
    let origin = poly.vertices.iter().sum::<DVec3>() / poly.vertices.len() as f64;
    let mut m = Moments::ZERO;
    for t in poly.triangles() {
        m.add_tetrahedron(t.map(|p| p - origin));
    }
    if border > 0.0 {
        for f in 0..poly.faces.len() {
            add_slab(&mut m, poly, f, border, origin);
        }
        for e in &poly.edges {
            let ends = e.ends.map(|v| poly.vertices[v as usize] - origin);
            let normals = e.faces.map(|f| poly.faces[f as usize].normal);
            add_wedge(&mut m, ends, normals, border);
        }
        for v in 0..poly.vertices.len() {
            add_sector(&mut m, poly, v, border, origin);
        }
    }
    m.mass(density, origin)
}

fn add_slab(m: &mut Moments, poly: &Polyhedron, face: usize, border: f64, origin: DVec3) {
    let n = poly.faces[face].normal;
    let ring = poly.ring(face);
    for k in 1..ring.len() - 1 {
        let [a, b, c] = [ring[0], ring[k], ring[k + 1]].map(|v| poly.vertices[v as usize] - origin);
        let area = 0.5 * (b - a).cross(c - a).length();
        for (t, w) in gauss(2, 0.0, border) {
            for p in [0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a)] {
                m.add(area / 3.0 * w, p + n * t);
            }
        }
    }
}

fn add_wedge(m: &mut Moments, [p, q]: [DVec3; 2], [n0, n1]: [DVec3; 2], border: f64) {
    let length = (q - p).length();
    let angle = libm::atan2(n0.cross(n1).length(), n0.dot(n1));
    let side = (n1 - n0 * n0.dot(n1)).normalize_or_zero();
    for (phi, w_phi) in gauss(16, 0.0, angle) {
        let n = n0 * libm::cos(phi) + side * libm::sin(phi);
        for (r, w_r) in gauss(2, 0.0, border) {
            for (s, w_s) in gauss(2, 0.0, 1.0) {
                m.add(w_phi * w_r * r * w_s * length, p + (q - p) * s + n * r);
            }
        }
    }
}

fn add_sector(m: &mut Moments, poly: &Polyhedron, vertex: usize, border: f64, origin: DVec3) {
    let at = poly.vertices[vertex] - origin;
    let mut normals: Vec<DVec3> = poly
        .faces_at(vertex)
        .iter()
        .map(|&f| poly.faces[f as usize].normal)
        .collect();
    let axis = normals.iter().sum::<DVec3>().normalize();
    let [u, v] = rb_core::math::tangents(axis);
    normals.sort_by(|a, b| {
        libm::atan2(a.dot(v), a.dot(u)).total_cmp(&libm::atan2(b.dot(v), b.dot(u)))
    });
    for k in 0..normals.len() {
        let corner = [axis, normals[k], normals[(k + 1) % normals.len()]];
        add_spherical_triangle(m, at, corner, border);
    }
}

/// Part of a ball about `at` seen through a spherical triangle: the flat triangle is projected onto
/// the sphere, dΩ = |det| / |x|³ du dv.
fn add_spherical_triangle(m: &mut Moments, at: DVec3, [a, b, c]: [DVec3; 3], border: f64) {
    let det = a.dot(b.cross(c)).abs();
    for (x, w_x) in gauss(16, 0.0, 1.0) {
        for (y, w_y) in gauss(16, 0.0, 1.0) {
            let p = a * (1.0 - x) + (b * (1.0 - y) + c * y) * x;
            let l = p.length();
            let solid = det * x / (l * l * l) * w_x * w_y;
            for (r, w_r) in gauss(3, 0.0, border) {
                m.add(solid * w_r * r * r, at + p / l * r);
            }
        }
    }
}

/// One piece of the profile of a body of revolution about y: radius and height as functions of a
/// parameter, with the height's derivative.
pub(crate) enum Profile {
    /// Straight from (radius, height) to (radius, height), upward (m).
    Line([f64; 2], [f64; 2]),
    /// Arc of `radius` about `center` = (radius, height), from angle `from` to `to` (rad) above the
    /// outward horizontal.
    Arc {
        center: [f64; 2],
        radius: f64,
        from: f64,
        to: f64,
    },
}

/// Mass of a body of revolution about y from the pieces of its profile, bottom to top.
pub(crate) fn revolution(profile: &[Profile], density: f64) -> MassProps {
    // m = ρπ∫r² dy,  I_y = ρπ/2 ∫r⁴ dy,  I_x = ρπ∫(r⁴/4 + r²y²) dy
    let (mut volume, mut lift, mut axial, mut height2) = (0.0, 0.0, 0.0, 0.0);
    let mut slice = |r: f64, y: f64, dy: f64| {
        let disc = core::f64::consts::PI * r * r * dy;
        volume += disc;
        lift += disc * y;
        axial += 0.5 * disc * r * r;
        height2 += disc * y * y;
    };
    for piece in profile {
        match *piece {
            Profile::Line([r0, y0], [r1, y1]) => {
                for (t, w) in gauss(3, 0.0, 1.0) {
                    slice(r0 + (r1 - r0) * t, y0 + (y1 - y0) * t, w * (y1 - y0));
                }
            }
            Profile::Arc {
                center: [cr, cy],
                radius,
                from,
                to,
            } => {
                for (a, w) in gauss(16, from, to) {
                    let (s, c) = (libm::sin(a), libm::cos(a));
                    slice(cr + radius * c, cy + radius * s, w * radius * c);
                }
            }
        }
    }
    let com = lift / volume;
    let across = 0.5 * axial + height2 - volume * com * com;
    let mut out = MassProps::diagonal(
        density * volume,
        DVec3::new(across, axial, across) * density,
    );
    out.com_local = DVec3::new(0.0, com, 0.0);
    out
}

/// Gauss–Legendre nodes and weights on [lo, hi]; exact for polynomials of degree 2n − 1.
fn gauss(n: usize, lo: f64, hi: f64) -> impl Iterator<Item = (f64, f64)> {
    let (half, mid) = (0.5 * (hi - lo), 0.5 * (hi + lo));
    (0..n).map(move |i| {
        // Newton on the Legendre polynomial from Chebyshev's guess.
        let mut x = libm::cos(core::f64::consts::PI * (i as f64 + 0.75) / (n as f64 + 0.5));
        let mut slope = 1.0;
        for _ in 0..8 {
            let (mut p, mut before) = (x, 1.0);
            for k in 2..=n {
                let k = k as f64;
                (p, before) = (((2.0 * k - 1.0) * x * p - (k - 1.0) * before) / k, p);
            }
            slope = n as f64 * (x * p - before) / (x * x - 1.0);
            x -= p / slope;
        }
        (mid + half * x, half * 2.0 / ((1.0 - x * x) * slope * slope))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gauss_integrates_polynomials_and_cosines() {
        let quintic: f64 = gauss(3, 0.0, 2.0).map(|(x, w)| w * x.powi(5)).sum();
        assert!((quintic - 64.0 / 6.0).abs() < 1e-13);
        let sine: f64 = gauss(16, 0.0, 3.0).map(|(x, w)| w * libm::cos(x)).sum();
        assert!((sine - libm::sin(3.0)).abs() < 1e-14);
    }

    #[test]
    fn a_rounded_point_like_cube_is_nearly_a_ball() {
        // Steiner's formula: V = a³ + 6a²r + 3πa r² + 4/3 π r³.
        let (a, r) = (0.4f64, 0.7f64);
        let corners: Vec<DVec3> = (0..8)
            .map(|i| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)) * a)
            .collect();
        let m = rounded(&Polyhedron::from_points(&corners).unwrap(), r, 1.0);
        let pi = core::f64::consts::PI;
        let steiner =
            a.powi(3) + 6.0 * a * a * r + 3.0 * pi * a * r * r + 4.0 / 3.0 * pi * r.powi(3);
        assert!(
            (m.mass - steiner).abs() < 1e-9 * steiner,
            "{} vs {steiner}",
            m.mass
        );
        assert!((m.com_local - DVec3::splat(0.5 * a)).length() < 1e-12);
    }
}
