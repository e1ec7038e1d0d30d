//! The recorded page in a real browser.
//!
//! Without a Chromium (`CHROMIUM`, or `chromium`, `chromium-browser`, `google-chrome` in `PATH`)
//! these tests say so and pass.
//!
//! A picture of any recorded page, for instance for a README:
//!
//! ```text
//! RB_VIEW_PAGE=run.html RB_VIEW_PNG=run.png RB_VIEW_FRAME=120 RB_VIEW_HASH='contacts=1' \
//!     cargo test -p rb-view --test browser -- --ignored picture
//! ```

mod common;

use std::path::PathBuf;

use common::devtools::{Page, chromium, screenshot};
use common::synthetic;
use rb_view::{POSITION_ERROR, Recording};
use serde_json::json;

/// The browser, or a word that there is none.
fn browser() -> Option<PathBuf> {
    let found = chromium();
    if found.is_none() {
        println!("SKIPPED: no Chromium on this machine (set CHROMIUM to its path)");
    }
    found
}

fn written(recording: &Recording) -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().expect("a directory for the page");
    let path = directory.path().join("run.html");
    recording
        .write_html(&path)
        .expect("the page can be written");
    (directory, path)
}

#[test]
fn a_page_plays_steps_and_picks_without_complaint() {
    let Some(chromium) = browser() else { return };
    let (_directory, path) = written(&synthetic::run("Title </script><b>", 60, 200));
    let mut page = Page::open(&chromium, &path, "");
    page.wait_for("document.body.dataset.frame === '0'");
    assert_eq!(
        page.evaluate("document.querySelector('h1').textContent"),
        "Title </script><b>"
    );

    page.press(" ");
    page.wait_for("Number(document.body.dataset.frame) > 5");
    page.press(" ");
    page.press("Home");
    page.press("ArrowRight");
    page.wait_for("document.body.dataset.frame === '1'");

    page.evaluate("location.hash = 'frame=130&contacts=1&joints=1&select=3'");
    page.wait_for("document.body.dataset.frame === '130'");
    assert_eq!(
        page.evaluate("document.querySelector('#panel h2').textContent"),
        "body 1"
    );
    page.press("Escape");
    page.wait_for("document.querySelector('#panel').hidden");

    // A body far from all others, looked at from above: it is in the middle of the picture.
    let [x, _, z] = synthetic::poses(60, 130.0 / 60.0)[synthetic::FIRST_FALLING + 59].position;
    page.evaluate(&format!(
        "location.hash = 'frame=130&camera={x},6,{},{x},0,{z}'",
        z + 0.1
    ));
    page.wait_for("rbView.stage.camera.position.y === 6 && !rbView.stage.stale");
    page.click(720.0, 450.0);
    page.wait_for("document.querySelector('#panel h2')?.textContent === 'body 59'");
    assert_eq!(page.complaints(), [""; 0]);
}

#[test]
fn the_player_shows_the_recorded_poses() {
    let Some(chromium) = browser() else { return };
    let (_directory, path) = written(&synthetic::run("Poses", 40, 150));
    let mut page = Page::open(&chromium, &path, "");
    for frame in [0, 63, 64, 149, 70] {
        page.evaluate(&format!("location.hash = 'frame={frame}'"));
        page.wait_for(&format!("document.body.dataset.frame === '{frame}'"));
        let shown = page.evaluate("rbView.bodies.states.map((s) => s.position.toArray())");
        let turned = page.evaluate("rbView.bodies.states.map((s) => s.quaternion.toArray())");
        let recorded = synthetic::poses(40, frame as f64 / 60.0);
        for (body, pose) in recorded.iter().enumerate() {
            for axis in 0..3 {
                let position = shown[body][axis].as_f64().expect("a number");
                let error = (position - pose.position[axis]).abs();
                assert!(
                    error <= POSITION_ERROR,
                    "frame {frame}, body {body}: {error} m"
                );
            }
            let dot: f64 = (0..4)
                .map(|axis| turned[body][axis].as_f64().expect("a number") * pose.rotation[axis])
                .sum();
            assert!(
                dot.abs() > 1.0 - 1e-7,
                "frame {frame}, body {body} is turned"
            );
        }
    }
}

#[test]
fn two_thousand_bodies_open_and_play() {
    let Some(chromium) = browser() else { return };
    let recording = synthetic::run("Two thousand bodies", 2000, 600);
    let (_directory, path) = written(&recording);
    let size = std::fs::metadata(&path).expect("the page is there").len();
    let mut page = Page::open(&chromium, &path, "");
    page.wait_for("document.body.dataset.frame === '0'");
    let first = page.evaluate("performance.getEntriesByName('first frame')[0].startTime");
    page.evaluate("location.hash = 'frame=599'");
    let asked = std::time::Instant::now();
    page.wait_for("document.body.dataset.frame === '599'");
    println!(
        "2000 bodies × 600 frames: page {:.1} MB (stream {:.1} MB), first frame after {:.0} ms, \
         seek to the last frame {:.0} ms",
        size as f64 / 1e6,
        recording.bytes() as f64 / 1e6,
        first.as_f64().expect("a time"),
        asked.elapsed().as_secs_f64() * 1e3,
    );
    page.press("Home");
    page.press(" ");
    page.wait_for("Number(document.body.dataset.frame) > 3");
    assert_eq!(page.complaints(), [""; 0]);
}

#[test]
fn an_empty_recording_opens() {
    let Some(chromium) = browser() else { return };
    let (_directory, path) = written(&Recording::new("Nothing"));
    let mut page = Page::open(&chromium, &path, "");
    page.wait_for("typeof rbView === 'object'");
    page.press(" ");
    assert_eq!(page.evaluate("rbView.player.playing"), json!(false));
    assert_eq!(page.complaints(), [""; 0]);
}

#[test]
#[ignore = "makes a picture of RB_VIEW_PAGE (or of a synthetic run) as RB_VIEW_PNG"]
fn picture() {
    let Some(chromium) = browser() else { return };
    let variable = |name| std::env::var(name).ok();
    let (_directory, synthetic_page) = written(&synthetic::run("Falling bodies", 180, 300));
    let page = variable("RB_VIEW_PAGE").map_or(synthetic_page, PathBuf::from);
    let png = variable("RB_VIEW_PNG").unwrap_or_else(|| "rb-view.png".into());
    let frame = variable("RB_VIEW_FRAME").map_or(0, |text| text.parse().expect("a frame number"));
    let view = variable("RB_VIEW_HASH").unwrap_or_default();
    screenshot(&chromium, &page, png.as_ref(), frame, &view);
}
