//! Shapes, collision detection and friction models of the rb physics engine, on parry3d
