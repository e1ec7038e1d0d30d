// Strip charts: one number over the whole run, a cursor at the shown frame, click to seek.

import { significant } from "./text.js";

const CHARTS = [
  { column: "residual", label: "Residual", unit: "m/s", color: "#e9825c", log: true },
  { column: "kinetic_energy", label: "Kinetic energy", unit: "J", color: "#5f9fdf" },
  { column: "contacts", label: "Contacts", unit: "", color: "#5fbf96" },
  { column: "step_ms", label: "Step time", unit: "ms", color: "#b08be0" },
];

/** Decades a logarithmic chart shows below its largest value. */
const DECADES = 9;

class Strip {
  constructor({ label, unit, color, log }, values, seek) {
    Object.assign(this, { unit, color, values });
    this.heights = log ? logarithmic(values) : linear(values);
    this.element = document.createElement("div");
    this.element.className = "strip";
    this.element.innerHTML = `<p>${label}<b></b></p><div class="plot"><canvas></canvas><i></i></div>`;
    this.reading = this.element.querySelector("b");
    this.canvas = this.element.querySelector("canvas");
    this.cursor = this.element.querySelector("i");
    const plot = this.element.querySelector(".plot");
    const jump = (event) => {
      const { left, width } = plot.getBoundingClientRect();
      const share = Math.min(Math.max((event.clientX - left) / width, 0), 1);
      seek(Math.round(share * (values.length - 1)));
    };
    plot.addEventListener("pointerdown", (event) => {
      plot.setPointerCapture(event.pointerId);
      jump(event);
    });
    plot.addEventListener("pointermove", (event) => {
      if (event.buttons & 1) jump(event);
    });
  }

  /** Draws the curve and the area below it; values that are missing leave a gap. */
  draw() {
    const { canvas, heights } = this;
    const scale = window.devicePixelRatio;
    canvas.width = Math.max(1, Math.round(canvas.clientWidth * scale));
    canvas.height = Math.max(1, Math.round(canvas.clientHeight * scale));
    const { width, height } = canvas;
    const context = canvas.getContext("2d");
    const level = (share) => height - 1.5 * scale - share * (height - 4 * scale);
    const across = (frame) => (frame / Math.max(1, heights.length - 1)) * (width - 1);

    const fill = new Path2D();
    const line = new Path2D();
    let started = false;
    heights.forEach((share, frame) => {
      if (share === null) {
        started = false;
        return;
      }
      if (started) line.lineTo(across(frame), level(share));
      else line.moveTo(across(frame), level(share));
      fill.rect(across(frame) - 0.5, level(share), Math.max(1, width / heights.length) + 0.5, height);
      started = true;
    });
    context.fillStyle = "rgb(255 255 255 / 8%)";
    context.fillRect(0, height - scale, width, scale);
    context.globalAlpha = 0.14;
    context.fillStyle = this.color;
    context.fill(fill);
    context.globalAlpha = 1;
    context.strokeStyle = this.color;
    context.lineWidth = 1.4 * scale;
    context.lineJoin = "round";
    context.stroke(line);
  }

  show(frame) {
    const value = this.values[frame];
    this.reading.textContent = value === null ? "—" : `${significant(value)} ${this.unit}`;
    const share = frame / Math.max(1, this.values.length - 1);
    this.cursor.style.left = `${share * 100}%`;
  }
}

function linear(values) {
  const most = values.reduce((most, value) => Math.max(most, value ?? 0), 0) || 1;
  return values.map((value) => (value === null ? null : Math.max(0, value) / most));
}

/** Shares of the span between the least and the largest positive value; zero lies at the bottom. */
function logarithmic(values) {
  const decades = values.filter((value) => value > 0).map(Math.log10);
  const top = decades.reduce((a, b) => Math.max(a, b), -Infinity);
  const bottom = Math.max(top - DECADES, decades.reduce((a, b) => Math.min(a, b), Infinity));
  const share = (value) => Math.max(0, (Math.log10(value) - bottom) / (top - bottom || 1));
  return values.map((value) => (value === null ? null : value > 0 ? share(value) : 0));
}

export class Charts {
  constructor(parent, columns, seek) {
    this.strips = CHARTS.map((chart) => new Strip(chart, columns[chart.column], seek));
    parent.append(...this.strips.map(({ element }) => element));
    this.draw();
  }

  draw() {
    for (const strip of this.strips) strip.draw();
  }

  show(frame) {
    for (const strip of this.strips) strip.show(frame);
  }
}
