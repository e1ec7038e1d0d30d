// The numbers of the selected body.

import { significant, vector } from "./text.js";

export class Panel {
  constructor(element, bodies) {
    this.element = element;
    this.bodies = bodies;
  }

  /** Shows a body as of the decoded frame, or nothing for -1. */
  show(body, stream, state) {
    this.element.hidden = body < 0 || body >= stream.bodies.count;
    if (this.element.hidden) return;
    const { name, kind, mass } = this.bodies[body];
    const velocity = stream.velocity(body);
    const rows = [
      ["Kind", kind],
      ["Mass", mass === null ? "∞" : `${significant(mass)} kg`],
      ["Position, m", vector(state.position)],
      ["Velocity, m/s", velocity ? vector(velocity) : "—"],
      ["Speed", velocity ? `${Math.hypot(...velocity).toFixed(3)} m/s` : "—"],
      ["Asleep", state.asleep ? "yes" : "no"],
    ];
    const title = document.createElement("h2");
    title.textContent = name;
    const list = document.createElement("dl");
    for (const [term, text] of rows) {
      const [dt, dd] = [document.createElement("dt"), document.createElement("dd")];
      dt.textContent = term;
      dd.textContent = text;
      list.append(dt, dd);
    }
    this.element.replaceChildren(title, list);
  }
}
