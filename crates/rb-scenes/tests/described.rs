//! The described scenes: what they say is fixed, and a world accepts all of it.

use rb_scenes::{SCENES, SceneDesc, scene};
use rb_world::prelude::*;
use serde_json::Value;
use std::collections::BTreeMap;

/// Numbers in the JSON of every scene at its usual size, and their digest, as the same scenes have
/// been run by other engines: a change would break every comparison with them.
const DIGESTS: [(&str, usize, f64); 13] = [
    ("large_pyramid", 31_907, 78_608.075_2),
    ("many_pyramids", 88_095, 230_731.136_1),
    ("box_drop", 50_030, 1_018_944.396_7),
    ("mixed_drop", 71_030, 1_011_429.477_0),
    ("joint_grid", 86_101, 3_265_377.552_5),
    ("chain", 869, 5_042.870_0),
    ("chain_swing", 869, 5_125.158_8),
    ("ragdolls", 29_790, 593_522.598_5),
    ("tall_stack", 782, 16_138.920_9),
    ("card_house", 683, 13_706.124_0),
    ("arch", 998, 8_477.416_6),
    ("terrain", 126_130, 153_317_299.593_9),
    ("washer", 43_681, 888_883.360_4),
];

fn json(desc: &SceneDesc) -> String {
    serde_json::to_string(desc).expect("a description serialises")
}

/// All numbers in the order of the sorted keys.
fn numbers(value: &Value, out: &mut Vec<f64>) {
    match value {
        Value::Object(fields) => {
            let sorted: BTreeMap<_, _> = fields.iter().collect();
            sorted.values().for_each(|v| numbers(v, out));
        }
        Value::Array(items) => items.iter().for_each(|v| numbers(v, out)),
        other => out.extend(other.as_f64()),
    }
}

#[test]
fn descriptions_are_those_other_engines_run() {
    for (entry, (name, count, digest)) in SCENES.iter().zip(DIGESTS) {
        let text = json(&entry.build(entry.size));
        let mut all = Vec::new();
        numbers(&serde_json::from_str(&text).expect("valid JSON"), &mut all);
        let weighted = all
            .iter()
            .enumerate()
            .map(|(i, x)| x * ((i * 7919) % 1009) as f64 / 1009.0);
        assert_eq!((entry.name, all.len()), (name, count));
        let off = weighted.sum::<f64>() - digest;
        // Half a unit of the last place given, and a few roundings of f32.
        assert!(off.abs() < 2e-4, "{name}: {off}");
    }
}

#[test]
fn descriptions_survive_a_file() {
    for entry in SCENES {
        let desc = entry.build(entry.size.min(5));
        let back: SceneDesc = serde_json::from_str(&json(&desc)).expect("it reads back");
        assert_eq!(desc, back, "{}", entry.name);
    }
}

#[test]
fn every_scene_builds_and_steps() {
    for entry in SCENES {
        let desc = entry.build(entry.size.min(5));
        let (mut world, bodies) = desc.build(Params::game()).expect(entry.name);
        assert_eq!(bodies.len(), desc.bodies.len());
        for _ in 0..3 {
            let report = world.step(1.0 / 60.0).expect(entry.name);
            assert!(report.frozen.is_empty(), "{}", entry.name);
        }
    }
}

#[test]
fn a_body_stands_where_its_description_says() {
    for name in ["ragdolls", "arch", "mixed_drop"] {
        let desc = scene(name).expect(name).build(3);
        let (world, bodies) = desc.build(Params::game()).expect(name);
        for (def, &handle) in desc.bodies.iter().zip(&bodies).skip(1) {
            let body = world.body(handle).expect("alive");
            let apart = body.com.distance(def.pos.as_dvec3());
            // Centroids of hulls in a description are those of f32 arithmetic.
            assert!(apart < 1e-4, "{name}: {apart} m");
        }
    }
}

#[test]
fn a_joint_that_names_no_body_is_refused() {
    let mut desc = scene("chain").expect("it is registered").build(1);
    desc.joints[0].b = 99;
    let refused = desc
        .build(Params::game())
        .expect_err("body 99 does not exist");
    assert!(refused.to_string().contains("joint.body = 99"), "{refused}");
}
