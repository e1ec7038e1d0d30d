//! Faults of scene files are told with their place.

use rb_scenes::file::SceneFile;

fn fault(text: &str) -> (String, String) {
    let built = SceneFile::parse(text).and_then(|s| s.build().map(|_| ()));
    let fault = built.expect_err(text);
    (fault.path, fault.reason)
}

#[test]
fn faults_are_told_with_their_place() {
    let two = r#""bodies": [{"name": "a", "kind": "static"}, {"name": "b", "mass": 1, "inertia": [1, 1, 1]}]"#;
    let joint =
        |rest: &str| format!("{{{two}, \"joints\": [{{\"a\": \"a\", \"b\": \"b\", {rest}}}]}}");
    let shape = |s: &str| {
        format!(r#"{{"bodies": [{{}}, {{"kind": "static", "shapes": [{s}]}}]}}"#)
            .replace("{},", r#"{"kind": "static"},"#)
    };
    let body = |b: &str| format!(r#"{{"bodies": [{{{b}}}]}}"#);
    let hinge = r#""kind": "hinge", "anchor": [0, 0, 0], "axis": [0, 0, 1]"#;
    let cases = [
        ("[".to_owned(), "."),
        ("{} {}".to_owned(), "."),
        (r#"{"frobnicate": 1}"#.to_owned(), "frobnicate"),
        (r#"{"steps": -1}"#.to_owned(), "steps"),
        (r#"{"steps": 4000000000}"#.to_owned(), "steps"),
        (r#"{"dt": 0}"#.to_owned(), "dt"),
        (r#"{"profile": "arcade"}"#.to_owned(), "profile"),
        (
            r#"{"params": {"substeps": 0}}"#.to_owned(),
            "params.substeps",
        ),
        (
            r#"{"params": {"sweeps": {"position": 4000000000}}}"#.to_owned(),
            "params.sweeps",
        ),
        (
            r#"{"params": {"scheme": {"alpha": 2}}}"#.to_owned(),
            "params.scheme.alpha",
        ),
        (
            r#"{"params": {"contact": {"bounce": 2}}}"#.to_owned(),
            "params.contact.bounce",
        ),
        (
            r#"{"params": {"escalation": {"plan": "luck"}}}"#.to_owned(),
            "params.escalation.plan",
        ),
        (
            r#"{"materials": {"ice": {"friction": -1}}}"#.to_owned(),
            "materials.ice.friction",
        ),
        (body(r#""mass": 1"#), "bodies[0].inertia"),
        (body(""), "bodies[0].mass"),
        (body(r#""mass": 0, "inertia": [1, 1, 1]"#), "bodies[0].mass"),
        (
            body(r#""mass": 1, "inertia": [1, -1, 1]"#),
            "bodies[0].inertia",
        ),
        (body(r#""inertia": [1, 1, 1]"#), "bodies[0].mass"),
        (
            body(r#""kind": "static", "velocity": [1, 0, 0]"#),
            "bodies[0].velocity",
        ),
        (
            body(r#""kind": "static", "rotation": [0, 0, 0, 0]"#),
            "bodies[0].rotation",
        ),
        (
            body(r#""kind": "static", "rotation": {"axis": [0, 0, 0], "angle": 1}"#),
            "bodies[0].rotation.axis",
        ),
        (
            body(r#""kind": "static", "rotation": {"axis": [0, 0, 1], "angel": 1}"#),
            "bodies[0].rotation.angel",
        ),
        (
            body(r#""kind": "static", "rotation": {"axis": [0, 0, 1]}"#),
            "bodies[0].rotation",
        ),
        (
            body(r#""position": [0, 1e999, 0]"#),
            "bodies[0].position[1]",
        ),
        (
            body(r#""position": [0, "NaN", 0]"#),
            "bodies[0].position[1]",
        ),
        (body(r#""locked": ["lin_w"]"#), "bodies[0].locked[0]"),
        (
            format!(
                r#"{{"bodies": [{0}, {0}]}}"#,
                r#"{"name": "a", "kind": "static"}"#
            ),
            "bodies[1].name",
        ),
        (
            shape(r#"{"ball": {"radius": -1}}"#),
            "bodies[1].shapes[0].ball.radius",
        ),
        (
            shape(r#"{"ball": {"radios": 1}}"#),
            "bodies[1].shapes[0].ball.radios",
        ),
        (
            shape(r#"{"ball": {"radius": 1}, "cuboid": {"half_extents": [1, 1, 1]}}"#),
            "bodies[1].shapes[0]",
        ),
        (shape("{}"), "bodies[1].shapes[0]"),
        (
            shape(r#"{"convex_hull": {"points": [[0, 0, 0]]}}"#),
            "bodies[1].shapes[0].convex_hull.points",
        ),
        (
            shape(r#"{"tri_mesh": {"vertices": [], "triangles": [[0, 1, 2]]}}"#),
            "bodies[1].shapes[0].tri_mesh.triangles",
        ),
        (
            shape(
                r#"{"height_field": {"rows": 1000000000000, "columns": 1000000000000, "size": [1, 1], "heights": [0]}}"#,
            ),
            "bodies[1].shapes[0].height_field.heights",
        ),
        (
            shape(r#"{"compound": [{"ball": {"radius": 1}}, {"ball": {"radius": 0}}]}"#),
            "bodies[1].shapes[0].compound[1].ball.radius",
        ),
        (
            shape(r#"{"compound": [{"half_space": {"normal": [0, 1, 0]}}]}"#),
            "bodies[1].shapes[0].compound[0]",
        ),
        (shape(r#"{"compound": []}"#), "bodies[1].shapes[0].compound"),
        (
            shape(r#"{"ball": {"radius": 1}, "material": "wood"}"#),
            "bodies[1].shapes[0].material",
        ),
        (
            shape(r#"{"ball": {"radius": 1}, "material": {"friction": -1}}"#),
            "bodies[1].shapes[0].material.friction",
        ),
        (
            shape(r#"{"ball": {"radius": 1}, "material": {"extras": {"across": 0}}}"#),
            "bodies[1].shapes[0].material.extras.across",
        ),
        (
            shape(r#"{"ball": {"radius": 1}, "groups": {"filter": [32]}}"#),
            "bodies[1].shapes[0].groups.filter[0]",
        ),
        (
            shape(r#"{"ball": {"radius": 1}, "density": -1}"#),
            "bodies[1].shapes[0].density",
        ),
        (joint(r#""kind": "knot""#), "joints[0].kind"),
        (
            joint(r#""kind": {"custom": "mine"}"#),
            "joints[0].kind.custom",
        ),
        (
            joint(r#""kind": "hinge", "axis": [0, 0, 1]"#),
            "joints[0].anchor",
        ),
        (
            joint(r#""kind": "hinge", "anchor": [0, 0, 0], "axis": [0, 0, 0]"#),
            "joints[0].axis",
        ),
        (
            joint(
                r#""kind": "universal", "anchor": [0, 0, 0], "axis": [0, 0, 1], "axis_b": [0, 0, 1]"#,
            ),
            "joints[0].axis_b",
        ),
        (
            joint(&format!(
                r#"{hinge}, "drive": {{"limits": {{"lower": 2, "upper": 1}}}}"#
            )),
            "joints[0].drive.limits.lower",
        ),
        (
            joint(&format!(
                r#"{hinge}, "drive": {{"motor": {{"velocity": 1, "max": -1}}}}"#
            )),
            "joints[0].drive.motor.max",
        ),
        (
            joint(&format!(r#"{hinge}, "drive": {{"motor": {{}}}}"#)),
            "joints[0].drive.motor",
        ),
        (
            joint(&format!(r#"{hinge}, "drives": {{"lin_z": {{}}}}"#)),
            "joints[0].drives.lin_z",
        ),
        (joint(&format!(r#"{hinge}, "cone": 1"#)), "joints[0].cone"),
        (
            joint(&format!(r#"{hinge}, "break_force": 0"#)),
            "joints[0].break_force",
        ),
        (
            joint(&format!(r#"{hinge}, "options": {{"alpha": 0.5}}"#)),
            "joints[0].options.alpha",
        ),
        (joint(&format!(r#"{hinge}, "frame_a": {{}}"#)), "joints[0]"),
        (
            joint(hinge).replace(r#""b": "b""#, r#""b": "c""#),
            "joints[0].b",
        ),
        (
            joint(hinge).replace(r#""b": "b""#, r#""b": "a""#),
            "joints[0]",
        ),
        (format!(r#"{{{two}, "couplings": [{{}}]}}"#), "couplings[0]"),
        (
            format!(
                r#"{{{two}, "couplings": [{{"rack": {{"slide": "x", "pinion": "y", "radius": 1}}}}]}}"#
            ),
            "couplings[0].rack.slide",
        ),
        (
            format!(r#"{{{two}, "couplings": [{{"pulley": [{{"a": "a", "b": "z"}}]}}]}}"#),
            "couplings[0].pulley[0].b",
        ),
        (
            format!(r#"{{{two}, "constraints": [{{"custom": "mine", "bodies": ["b"]}}]}}"#),
            "constraints[0].custom",
        ),
    ];
    println!("{} faults", cases.len());
    for (text, path) in cases {
        let (found, reason) = fault(&text);
        assert_eq!(found, path, "{reason}\n{text}");
    }
}
