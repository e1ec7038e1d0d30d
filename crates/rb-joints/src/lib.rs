//! Joints, limits, motors and joint friction as boxed Jacobian rows of the rb physics engine
