// The page: reads the recording, wires the parts together, draws when something changed.

import * as THREE from "three";
import { Bodies } from "./bodies.js";
import { Charts } from "./charts.js";
import { referenceGrid } from "./ground.js";
import { Contacts, Joints } from "./overlays.js";
import { Panel } from "./panel.js";
import { Player } from "./player.js";
import { Stage } from "./stage.js";
import { Stream } from "./stream.js";

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];
/** A press that moves farther than this turns the camera, px. */
const CLICK_SLACK = 4;

const element = (id) => document.getElementById(id);

class Viewer {
  constructor({ title, chunk_frames, scene, frames }) {
    this.frames = frames;
    this.player = new Player(frames.time);
    this.stream = new Stream(frames.time.length, chunk_frames);
    this.stage = new Stage(element("view"));
    this.bodies = new Bodies(scene);
    const unit = this.bodies.typicalReach();
    this.contacts = new Contacts(unit);
    this.joints = new Joints(unit);
    this.stage.scene.add(this.bodies.group, this.contacts.object, this.joints.object);
    this.charts = new Charts(element("charts"), frames, (frame) => this.seek(frame));
    this.panel = new Panel(element("panel"), scene.bodies);
    this.shown = -1;
    document.querySelector("h1").textContent = title;
    this.#toggles();
    this.#transport();
    this.#pointer();
    this.#keyboard();
    window.addEventListener("resize", () => {
      this.stage.resize();
      this.charts.draw();
    });
    window.addEventListener("hashchange", () => this.#hash());
  }

  seek(frame) {
    this.player.playing = false;
    this.player.seek(frame);
  }

  /** Selects a body by its index; any other number selects none. */
  select(index) {
    const body = index in this.bodies.states ? index : -1;
    this.bodies.select(body);
    this.panel.show(body, this.stream, this.bodies.states[body]);
    this.stage.invalidate();
  }

  run() {
    let before = performance.now();
    const tick = (now) => {
      this.player.advance(Math.min((now - before) / 1000, 0.1));
      before = now;
      this.#show(this.player.frame);
      element("play").classList.toggle("playing", this.player.playing);
      if (this.shown >= 0 && this.stage.draw()) this.#announce();
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  /** Shows a frame as soon as its chunk is there; until then the last one stays. */
  #show(frame) {
    if (frame === this.shown || !this.frames.time.length || !this.stream.show(frame)) return;
    const first = this.shown < 0;
    this.shown = frame;
    this.bodies.update(this.stream);
    this.#overlays();
    this.charts.show(frame);
    this.panel.show(this.bodies.selected, this.stream, this.bodies.states[this.bodies.selected]);
    element("scrub").value = frame;
    element("clock").textContent = `${this.frames.time[frame].toFixed(3)} s · frame ${frame} / ${this.player.last}`;
    element("summary").textContent = `${this.stream.bodies.count} bodies · ${this.stream.frameCount} frames`;
    if (first) this.#arrive();
    this.stage.invalidate();
  }

  /** Tells scripts which frame is on the screen, and how long the first one took. */
  #announce() {
    if (!("frame" in document.body.dataset)) performance.mark("first frame");
    document.body.dataset.frame = this.shown;
  }

  #overlays() {
    this.contacts.update(this.stream);
    this.joints.update(this.stream);
  }

  /** With the first frame it is known where the bodies are. */
  #arrive() {
    const box = this.bodies.bounds();
    if (!this.bodies.hasFloor(box)) this.stage.scene.add(referenceGrid(box.min.y));
    this.stage.frame(box);
    this.#hash();
  }

  #toggles() {
    const { round, faceted } = this.bodies;
    const { sun } = this.stage;
    const overlay = ({ object }) => (on) => {
      object.visible = on;
      this.#overlays();
    };
    this.switches = {};
    const add = (name, key, on, apply) => {
      const button = document.createElement("button");
      button.textContent = name;
      button.title = `${name} (${key})`;
      const set = (state) => {
        button.setAttribute("aria-pressed", state);
        apply(state);
        this.stage.invalidate();
      };
      const flip = () => set(button.getAttribute("aria-pressed") !== "true");
      button.addEventListener("click", flip);
      this.switches[name.toLowerCase()] = { key, flip, set };
      element("toggles").append(button);
      set(on);
    };
    add("Contacts", "c", false, overlay(this.contacts));
    add("Joints", "j", false, overlay(this.joints));
    add("Shadows", "s", true, (on) => (sun.castShadow = on));
    add("Wireframe", "w", false, (on) => (round.wireframe = faceted.wireframe = on));
  }

  #transport() {
    const [scrub, speed] = [element("scrub"), element("speed")];
    scrub.max = Math.max(this.player.last, 0);
    scrub.addEventListener("input", () => this.seek(scrub.valueAsNumber));
    speed.append(...SPEEDS.map((s) => new Option(`${s}×`, s, s === 1, s === 1)));
    speed.addEventListener("change", () => (this.player.speed = Number(speed.value)));
    element("play").addEventListener("click", () => this.player.toggle());
    element("back").addEventListener("click", () => this.player.step(-1));
    element("next").addEventListener("click", () => this.player.step(1));
  }

  #pointer() {
    const canvas = element("view");
    let pressed = null;
    canvas.addEventListener("pointerdown", (event) => (pressed = event));
    canvas.addEventListener("pointerup", (event) => {
      const moved = pressed && Math.hypot(event.clientX - pressed.clientX, event.clientY - pressed.clientY);
      if (pressed && moved <= CLICK_SLACK) this.select(this.bodies.pick(this.stage.ray(event)));
      pressed = null;
    });
  }

  #keyboard() {
    const actions = {
      " ": () => this.player.toggle(),
      ArrowLeft: (event) => this.player.step(event.shiftKey ? -10 : -1),
      ArrowRight: (event) => this.player.step(event.shiftKey ? 10 : 1),
      Home: () => this.seek(0),
      End: () => this.seek(this.player.last),
      Escape: () => this.select(-1),
      f: () => this.stage.frame(this.bodies.bounds()),
    };
    for (const { key, flip } of Object.values(this.switches)) actions[key] = flip;
    window.addEventListener("keydown", (event) => {
      const action = actions[event.key];
      if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.target instanceof HTMLSelectElement) return;
      event.preventDefault();
      action(event);
    });
  }

  /** Applies what the address asks for; README.md lists the fields. */
  #hash() {
    const fields = new URLSearchParams(location.hash.slice(1));
    const numbers = (fields.get("camera") ?? "").split(",").map(Number);
    if (numbers.length === 6 && numbers.every(Number.isFinite)) {
      this.stage.look(new THREE.Vector3(...numbers.slice(0, 3)), new THREE.Vector3(...numbers.slice(3)));
    }
    if (fields.has("frame")) this.seek(Number(fields.get("frame")));
    if (fields.has("select")) this.select(Number(fields.get("select")));
    for (const [name, { set }] of Object.entries(this.switches)) {
      if (fields.has(name)) set(fields.get(name) === "1");
    }
    document.body.classList.toggle("bare", fields.get("ui") === "0");
  }
}

try {
  const viewer = new Viewer(JSON.parse(element("recording").textContent));
  window.rbView = viewer;
  viewer.run();
} catch (error) {
  const message = document.createElement("p");
  message.className = "error";
  message.textContent = `This recording cannot be shown: ${error.message}`;
  document.body.append(message);
  throw error;
}
