//! Bodies, mass, integrators, constraint rows and the certificate of the rb physics engine
