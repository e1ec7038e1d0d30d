//! World::step: the facade of the rb physics engine
