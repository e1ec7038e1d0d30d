//! Size, errors and self-containment of a recording, through its public interface.

#[path = "common/synthetic.rs"]
mod synthetic;

use rb_view::{
    BodyInfo, BodyKind, ContactSample, FrameData, FrameStats, JointSample, Part, PoseSample,
    Problem, Recording, SampleKind, ShapeInfo, ViewError,
};

fn balls(count: usize) -> Recording {
    let mut recording = Recording::new("balls");
    for n in 0..count {
        add_ball(&mut recording, n);
    }
    recording
}

fn add_ball(recording: &mut Recording, n: usize) {
    let added = recording.add_body(BodyInfo {
        name: format!("ball {n}"),
        kind: BodyKind::Dynamic,
        mass: 1.0,
        parts: vec![Part::new(ShapeInfo::Ball { radius: 0.5 })],
    });
    assert_eq!(added.expect("a sound ball"), n);
}

fn frame(time: f64, poses: &[PoseSample]) -> FrameData<'_> {
    FrameData {
        time,
        poses,
        contacts: &[],
        joints: &[],
        stats: FrameStats::default(),
    }
}

/// Flying and spinning in its own way, at up to 15 m/s and 10 rad/s.
fn flight(n: usize, time: f64) -> PoseSample {
    let phase = [0.754_877, 0.569_840, 0.430_159].map(|a| (n as f64 * a).fract());
    let rate = phase.map(|p| 1.0 + 2.0 * p);
    let angle = 5.0 * (phase[0] + time);
    let velocity = [0, 1, 2].map(|axis| 5.0 * rate[axis] * (rate[axis] * time).cos());
    PoseSample {
        position: [0, 1, 2].map(|axis| 20.0 * phase[axis] + 5.0 * (rate[axis] * time).sin()),
        rotation: [
            phase[0] * angle.sin(),
            phase[1] * angle.sin(),
            phase[2],
            angle.cos(),
        ],
        velocity: Some(velocity.map(|v| v as f32)),
        asleep: false,
    }
}

#[test]
fn an_awake_body_costs_less_than_twenty_bytes_a_frame() {
    let (bodies, frames) = (500, 300);
    let mut recording = balls(bodies);
    for step in 0..frames {
        let time = step as f64 / 60.0;
        let poses: Vec<_> = (0..bodies).map(|n| flight(n, time)).collect();
        recording
            .push_frame(&frame(time, &poses))
            .expect("a sound frame");
    }
    let each = recording.bytes() as f64 / (bodies * frames) as f64;
    let page = recording.to_html().expect("a page").len();
    println!("{each:.2} bytes per awake body and frame, velocity included; page {page} bytes");
    assert!(each < 20.0, "{each} bytes");
}

#[test]
fn a_sleeping_body_costs_almost_nothing() {
    let (bodies, frames) = (500, 300);
    let mut recording = balls(bodies);
    let poses: Vec<_> = (0..bodies)
        .map(|n| PoseSample {
            asleep: true,
            ..flight(n, 1.0)
        })
        .collect();
    for step in 0..frames {
        recording
            .push_frame(&frame(step as f64 / 60.0, &poses))
            .expect("a sound frame");
    }
    let each = recording.bytes() as f64 / (bodies * frames) as f64;
    println!("{each:.2} bytes per sleeping body and frame");
    assert!(each < 0.6, "{each} bytes");
}

#[test]
fn bodies_may_come_between_frames() {
    let mut recording = balls(1);
    recording
        .push_frame(&frame(0.0, &[PoseSample::default()]))
        .expect("one body");
    add_ball(&mut recording, 1);
    recording
        .push_frame(&frame(0.1, &[PoseSample::default(); 2]))
        .expect("two bodies");
    assert_eq!(recording.frame_count(), 2);
}

/// Pushes a frame that is refused and makes sure that it left no trace.
fn refusal(recording: &mut Recording, data: FrameData) -> ViewError {
    let before = recording.to_html().expect("a page");
    let error = recording
        .push_frame(&data)
        .expect_err("a frame that is refused");
    assert_eq!(recording.to_html().expect("a page"), before);
    error
}

#[test]
fn frames_that_do_not_fit_are_refused() {
    let mut recording = balls(2);
    let rest = [PoseSample::default(); 2];
    recording
        .push_frame(&frame(1.0, &rest))
        .expect("a sound frame");

    let error = refusal(&mut recording, frame(2.0, &rest[..1]));
    assert!(matches!(
        error,
        ViewError::PoseCount {
            frame: 1,
            expected: 2,
            found: 1
        }
    ));
    let error = refusal(&mut recording, frame(0.5, &rest));
    assert!(matches!(
        error,
        ViewError::Time {
            frame: 1,
            time: 0.5
        }
    ));
    let error = refusal(&mut recording, frame(f64::NAN, &rest));
    assert!(matches!(error, ViewError::Time { .. }));
}

#[test]
fn samples_that_cannot_be_stored_are_named() {
    let mut recording = balls(2);
    let rest = PoseSample::default();
    let sample = |error| match error {
        ViewError::Sample {
            frame: 0,
            kind,
            index,
            problem,
        } => (kind, index, problem),
        other => panic!("{other}"),
    };

    let lost = PoseSample {
        position: [0.0, f64::NAN, 0.0],
        ..rest
    };
    let error = refusal(&mut recording, frame(0.0, &[rest, lost]));
    assert_eq!(error.to_string(), "frame 0: body 1 is not finite");
    assert_eq!(sample(error), (SampleKind::Body, 1, Problem::NotFinite));

    let gone = PoseSample {
        position: [1e9, 0.0, 0.0],
        ..rest
    };
    let error = refusal(&mut recording, frame(0.0, &[gone, rest]));
    assert_eq!(sample(error), (SampleKind::Body, 0, Problem::OutOfRange));

    let both = [rest; 2];
    let contacts = [ContactSample {
        point: [0.0; 3],
        normal: [0.0; 3],
        impulse: 1.0,
    }];
    let data = FrameData {
        contacts: &contacts,
        ..frame(0.0, &both)
    };
    assert_eq!(
        sample(refusal(&mut recording, data)),
        (SampleKind::Contact, 0, Problem::NoDirection)
    );

    let joints = [JointSample {
        position: [0.0; 3],
        rotation: [0.0; 4],
    }];
    let data = FrameData {
        joints: &joints,
        ..frame(0.0, &both)
    };
    assert_eq!(
        sample(refusal(&mut recording, data)),
        (SampleKind::Joint, 0, Problem::NoDirection)
    );
}

#[test]
fn the_page_needs_nothing_else() {
    let page = synthetic::run("Offline", 20, 10).to_html().expect("a page");
    assert!(
        page.contains("default-src 'none'"),
        "the page forbids itself the network"
    );
    for attribute in ["src=", "href="] {
        for (at, _) in page.match_indices(attribute) {
            let value = page[at + attribute.len()..].trim_start_matches(['"', '\'']);
            let remote = ["http:", "https:", "//"]
                .iter()
                .any(|start| value.starts_with(start));
            assert!(!remote, "{}", value.chars().take(60).collect::<String>());
        }
    }
    for load in ["import(", "@import", "url(", "importScripts("] {
        assert!(!page.contains(load), "the page has a {load}");
    }
    assert!(
        page.contains("SPDX-License-Identifier: MIT"),
        "three.js keeps its licence"
    );
}

#[test]
fn no_name_ends_an_element() {
    let page = synthetic::run("</title></script><i>&", 5, 2)
        .to_html()
        .expect("a page");
    assert!(page.contains("<title>&lt;/title&gt;&lt;/script&gt;&lt;i&gt;&amp;</title>"));
    assert!(page.contains(r"paddle \u003c/script>\u003cb>"));
    // Recording, one chunk and the player.
    assert_eq!(page.matches("</script").count(), 3);
    assert_eq!(page.matches("<script").count(), 3);
}
