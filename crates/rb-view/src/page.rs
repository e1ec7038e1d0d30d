//! The page: template, style, player and data in one file.

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;

use crate::error::ViewError;
use crate::recording::Header;

const TEMPLATE: &str = include_str!("../web/page.html");
const STYLE: &str = include_str!("../web/style.css");
const PLAYER: &str = include_str!("../web/dist/viewer.js");

/// miniz' usual balance of speed and size.
const DEFLATE_LEVEL: u8 = 6;

/// Fills the template; the chunks are deflated and written in base 64, one element each.
pub(crate) fn render(header: &Header, chunks: &[Vec<u8>]) -> Result<String, ViewError> {
    let scene = script_safe(&serde_json::to_string(header)?);
    let fields = [
        ("{{title}}", escaped(&header.title)),
        ("{{style}}", STYLE.to_owned()),
        ("{{scene}}", scene),
        ("{{chunks}}", chunk_elements(chunks)),
        ("{{player}}", PLAYER.to_owned()),
    ];
    // Cut, not replaced: what stands in a field is never searched for the next one.
    let mut page = String::with_capacity(fields.iter().map(|(_, text)| text.len()).sum());
    let mut rest = TEMPLATE;
    for (mark, text) in &fields {
        let (before, after) = rest.split_once(mark).unwrap_or((rest, ""));
        page.push_str(before);
        page.push_str(text);
        rest = after;
    }
    page.push_str(rest);
    Ok(page)
}

fn chunk_elements(chunks: &[Vec<u8>]) -> String {
    let mut out = String::new();
    for (index, chunk) in chunks.iter().enumerate() {
        let deflated = miniz_oxide::deflate::compress_to_vec(chunk, DEFLATE_LEVEL);
        out.push_str(&format!(
            "<script type=\"text/plain\" id=\"chunk-{index}\">"
        ));
        BASE64.encode_string(&deflated, &mut out);
        out.push_str("</script>\n");
    }
    out
}

/// JSON that no text in it can end the surrounding element.
fn script_safe(json: &str) -> String {
    json.replace('<', "\\u003c")
}

/// Text for an element's content.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
