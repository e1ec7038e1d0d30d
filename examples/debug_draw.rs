//! Debug drawing: a sink that receives lines and makes a picture, seen from the front.

use anyhow::Context;
use rb_examples::Run;
use rb_world::core::draw::Color;
use rb_world::prelude::*;
use std::fmt::Write;

/// Pixels per metre.
const SCALE: f64 = 60.0;

/// Collects lines as SVG.
#[derive(Default)]
struct Svg {
    lines: String,
    count: usize,
}

impl DrawSink for Svg {
    fn line(&mut self, a: DVec3, b: DVec3, [red, green, blue, _]: Color) {
        self.count += 1;
        let [x1, y1, x2, y2] = [a.x, -a.y, b.x, -b.y].map(|v| v * SCALE);
        // Writing into a string cannot fail.
        let _ = writeln!(
            self.lines,
            r#"<path d="M{x1:.1} {y1:.1}L{x2:.1} {y2:.1}" stroke="rgb({red},{green},{blue})"/>"#
        );
    }
}

impl Svg {
    fn page(&self) -> String {
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-200 -480 700 540\" \
             style=\"background:#222\">\n{}</svg>\n",
            self.lines
        )
    }
}

fn main() -> anyhow::Result<()> {
    let demo = rb_scenes::demo("four_bar").context("it is registered")?;
    let run = Run::from_args("Debug drawing of a linkage", 100);
    let mut world = World::new(Params::robotics())?;
    demo.build(&mut world, 4)?;
    run.play(&mut world)?;

    let mut svg = Svg::default();
    world.draw(DrawFlags::all(), &mut svg);
    let path = std::env::temp_dir().join("debug_draw.svg");
    std::fs::write(&path, svg.page())?;
    println!("{} lines drawn into {}", svg.count, path.display());
    Ok(())
}
