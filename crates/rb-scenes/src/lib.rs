//! Scenes shared by the tests, examples and benchmarks of the rb physics engine
