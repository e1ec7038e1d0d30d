//! A headless Chromium, driven through its DevTools socket.

use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Value, json};
use tungstenite::{Message, WebSocket};

/// Everything one browser does has to be done within this time.
const TIME_LIMIT: Duration = Duration::from_secs(150);
/// How long a browser may take to close by itself.
const CLOSING: Duration = Duration::from_secs(4);
const POLL: Duration = Duration::from_millis(30);

/// Software rendering, and nothing that would reach for the network.
const FLAGS: [&str; 14] = [
    "--headless=new",
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--disable-gpu-sandbox",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--remote-debugging-port=0",
    "about:blank",
];

/// A page open in a browser of its own; both end with the value.
pub(crate) struct Page {
    _browser: Browser,
    socket: WebSocket<TcpStream>,
    session: String,
    calls: u64,
    deadline: Instant,
    complaints: Vec<String>,
    _profile: tempfile::TempDir,
}

/// The browser to test with: `CHROMIUM`, or a usual name in `PATH`.
pub(crate) fn chromium() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os("CHROMIUM") {
        return Some(path.into());
    }
    let directories = std::env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome"];
    std::env::split_paths(&directories)
        .flat_map(|directory| names.map(|name| directory.join(name)))
        .find(|candidate| candidate.is_file())
}

/// Saves a picture of a recorded page, 1440 × 900 pixels, at a frame.
///
/// `view` holds further fields of the page's address, such as `ui=0&contacts=1`.
pub(crate) fn screenshot(chromium: &Path, page: &Path, png: &Path, frame: usize, view: &str) {
    let mut page = Page::open(chromium, page, &format!("frame={frame}&{view}"));
    page.wait_for(&format!("document.body.dataset.frame === '{frame}'"));
    let shot = page.call("Page.captureScreenshot", json!({ "format": "png" }));
    let data = shot["data"].as_str().expect("a screenshot has data");
    let bytes = BASE64.decode(data).expect("a screenshot is base 64");
    std::fs::write(png, bytes).expect("the picture can be written");
}

impl Page {
    /// Opens a file with a `#hash`.
    pub(crate) fn open(chromium: &Path, file: &Path, hash: &str) -> Self {
        let deadline = Instant::now() + TIME_LIMIT;
        let profile = tempfile::tempdir().expect("a directory for the profile");
        let browser = Browser::start(chromium, profile.path());
        let socket = connect(profile.path(), deadline);
        let mut page = Self {
            _browser: browser,
            socket,
            session: String::new(),
            calls: 0,
            deadline,
            complaints: Vec::new(),
            _profile: profile,
        };
        page.attach();
        let file = file.canonicalize().expect("the page exists");
        page.call(
            "Page.navigate",
            json!({ "url": format!("file://{}#{hash}", file.display()) }),
        );
        page
    }

    /// Takes over a fresh tab and listens to everything it complains about.
    fn attach(&mut self) {
        let target = self.call("Target.createTarget", json!({ "url": "about:blank" }));
        let parameters = json!({ "targetId": target["targetId"], "flatten": true });
        let attached = self.call("Target.attachToTarget", parameters);
        self.session = attached["sessionId"]
            .as_str()
            .expect("a session")
            .to_owned();
        for domain in ["Page.enable", "Runtime.enable", "Log.enable"] {
            self.call(domain, json!({}));
        }
        let screen =
            json!({ "width": 1440, "height": 900, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", screen);
    }

    /// Calls a DevTools method and returns its result.
    pub(crate) fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.calls += 1;
        let mut request = json!({ "id": self.calls, "method": method, "params": parameters });
        if !self.session.is_empty() {
            request["sessionId"] = json!(self.session);
        }
        self.socket
            .send(Message::text(request.to_string()))
            .expect("the browser listens");
        loop {
            let mut message = self.receive();
            if message["id"] == self.calls {
                assert!(message["error"].is_null(), "{method}: {}", message["error"]);
                return message["result"].take();
            }
            self.complaints.extend(complaint(&message));
        }
    }

    fn receive(&mut self) -> Value {
        let left = self.deadline.saturating_duration_since(Instant::now());
        assert!(
            !left.is_zero(),
            "the browser took longer than {TIME_LIMIT:?}"
        );
        self.socket
            .get_ref()
            .set_read_timeout(Some(left))
            .expect("a timeout can be set");
        let message = self.socket.read().expect("the browser answers in time");
        serde_json::from_str(message.to_text().expect("text")).unwrap_or_default()
    }

    /// The value of a JavaScript expression.
    pub(crate) fn evaluate(&mut self, expression: &str) -> Value {
        let parameters = json!({ "expression": expression, "returnByValue": true });
        let mut answer = self.call("Runtime.evaluate", parameters);
        assert!(
            answer["exceptionDetails"].is_null(),
            "{expression}: {answer}"
        );
        answer["result"]["value"].take()
    }

    /// Waits until a JavaScript condition holds; what is not there yet does not hold.
    pub(crate) fn wait_for(&mut self, condition: &str) {
        let guarded = format!("(() => {{ try {{ return {condition} }} catch {{}} }})()");
        while self.evaluate(&guarded) != json!(true) {
            assert!(self.complaints.is_empty(), "{:#?}", self.complaints);
            std::thread::sleep(POLL);
        }
    }

    /// Presses and releases a key that types no text.
    pub(crate) fn press(&mut self, key: &str) {
        for event in ["rawKeyDown", "keyUp"] {
            self.call(
                "Input.dispatchKeyEvent",
                json!({ "type": event, "key": key }),
            );
        }
    }

    /// Clicks at a point of the page, px.
    pub(crate) fn click(&mut self, x: f64, y: f64) {
        for event in ["mousePressed", "mouseReleased"] {
            let place = json!({ "type": event, "x": x, "y": y, "button": "left", "clickCount": 1 });
            self.call("Input.dispatchMouseEvent", place);
        }
    }

    /// Console errors and uncaught exceptions so far.
    pub(crate) fn complaints(&mut self) -> &[String] {
        // What the page said before it answers this is behind us then.
        self.evaluate("true");
        &self.complaints
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        let close = json!({ "id": self.calls + 1, "method": "Browser.close" });
        // If the socket is gone, the browser is ended the hard way.
        let _ = self.socket.send(Message::text(close.to_string()));
    }
}

/// A running browser; ends with the value, however the test ends.
struct Browser(Child);

impl Browser {
    fn start(chromium: &Path, profile: &Path) -> Self {
        let mut command = Command::new(chromium);
        command
            .args(FLAGS)
            .arg(format!("--user-data-dir={}", profile.display()));
        command.stdout(Stdio::null()).stderr(Stdio::null());
        Self(command.spawn().expect("the browser starts"))
    }
}

impl Drop for Browser {
    /// Leaves a browser that was asked to close a little time to put its profile in order.
    fn drop(&mut self) {
        let limit = Instant::now() + CLOSING;
        while matches!(self.0.try_wait(), Ok(None)) && Instant::now() < limit {
            std::thread::sleep(POLL);
        }
        // A browser that has already ended by itself is as good.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Waits for the browser to name its port and opens the socket.
fn connect(profile: &Path, deadline: Instant) -> WebSocket<TcpStream> {
    let address = profile.join("DevToolsActivePort");
    loop {
        let text = std::fs::read_to_string(&address).unwrap_or_default();
        if let Some((port, path)) = text.split_once('\n').filter(|(_, path)| !path.is_empty()) {
            let stream = TcpStream::connect(("127.0.0.1", port.parse().expect("a port number")));
            let url = format!("ws://127.0.0.1:{port}{}", path.trim());
            let stream = stream.expect("the DevTools port is open");
            stream
                .set_read_timeout(Some(TIME_LIMIT))
                .expect("a timeout can be set");
            return tungstenite::client(url, stream)
                .expect("the DevTools socket opens")
                .0;
        }
        assert!(
            Instant::now() < deadline,
            "the browser did not open its DevTools port"
        );
        std::thread::sleep(POLL);
    }
}

/// What an event complains about, if it does.
fn complaint(message: &Value) -> Option<String> {
    let event = &message["params"];
    let complains = match message["method"].as_str()? {
        "Runtime.exceptionThrown" => true,
        "Runtime.consoleAPICalled" => event["type"] == "error",
        "Log.entryAdded" => event["entry"]["level"] == "error",
        _ => false,
    };
    complains.then(|| event.to_string())
}
