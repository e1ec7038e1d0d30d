//! Interchangeable constraint solvers over islands of the rb physics engine
