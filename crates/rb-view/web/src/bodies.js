// The bodies: one instanced mesh per geometry, poses and colours written frame by frame.

import * as THREE from "three";
import { facetedMaterial, geometryOf, reach, roundMaterial } from "./geometry.js";
import { Ground } from "./ground.js";

const STATIC = new THREE.Color("#838a96");
const KINEMATIC = new THREE.Color("#f2b84b");
const ASLEEP = new THREE.Color("#4b525e");
const SELECTED = new THREE.Color("#ffffff");
const DYNAMIC = ["#5f9fdf", "#e9825c", "#5fbf96", "#b08be0", "#e4799c", "#4fb9c4", "#b5c25a", "#8794e8"]
  .map((code) => new THREE.Color(code));

/** How far the colour of a sleeping body goes to grey. */
const SLEEP_DIMMING = 0.62;
const NOWHERE = new THREE.Matrix4().makeScale(0, 0, 0);

function bodyColor({ kind }, index) {
  if (kind === "static") return STATIC;
  return kind === "kinematic" ? KINEMATIC : DYNAMIC[index % DYNAMIC.length];
}

function localMatrix(part, scale) {
  return new THREE.Matrix4().compose(
    new THREE.Vector3(...part.position),
    new THREE.Quaternion(...part.rotation),
    new THREE.Vector3(...scale),
  );
}

export class Bodies {
  constructor({ bodies, shapes }) {
    this.group = new THREE.Group();
    this.round = roundMaterial();
    this.faceted = facetedMaterial();
    this.outline = new THREE.MeshBasicMaterial({ color: "#ffffff", side: THREE.BackSide });
    this.outlines = new THREE.Group();
    this.states = bodies.map(() => ({
      matrix: new THREE.Matrix4(),
      position: new THREE.Vector3(),
      quaternion: new THREE.Quaternion(),
      asleep: false,
    }));
    this.kinds = bodies.map((body) => body.kind);
    this.reach = bodies.map(() => 0);
    this.grounds = [];
    this.selected = -1;
    this.batches = this.#collect(bodies, shapes);
    for (const { mesh } of [...this.batches, ...this.grounds]) this.group.add(mesh);
    this.group.add(this.outlines);
  }

  /** Sorts the parts of all bodies into one batch per geometry. */
  #collect(bodies, shapes) {
    const batches = new Map();
    const reaches = shapes.map(reach);
    bodies.forEach((body, index) => {
      for (const part of body.parts) {
        const shape = shapes[part.shape];
        if (shape.type === "halfspace") {
          this.grounds.push(new Ground(index, localMatrix(part, [1, 1, 1]), shape.normal));
          continue;
        }
        this.reach[index] = Math.max(this.reach[index], Math.hypot(...part.position) + reaches[part.shape]);
        const { key, scale, build, round } = geometryOf(shape, part.shape);
        if (!batches.has(key)) batches.set(key, { build, round, items: [] });
        const color = part.color
          ? new THREE.Color().setRGB(...part.color.map((c) => c / 255), THREE.SRGBColorSpace)
          : bodyColor(body, index);
        batches.get(key).items.push({ body: index, local: localMatrix(part, scale), color });
      }
    });
    return Array.from(batches.values(), ({ build, round, items }) => this.#batch(build(), round ? this.round : this.faceted, items));
  }

  #batch(geometry, material, items) {
    const mesh = new THREE.InstancedMesh(geometry, material, items.length);
    mesh.instanceColor = new THREE.InstancedBufferAttribute(new Float32Array(items.length * 3), 3);
    mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
    mesh.frustumCulled = false;
    mesh.castShadow = true;
    mesh.receiveShadow = true;
    geometry.computeBoundingSphere();
    return { mesh, items };
  }

  /** Shows the frame that `stream` has decoded; bodies that come later are nowhere yet. */
  update(stream) {
    this.count = stream.bodies.count;
    for (let body = 0; body < this.count; body++) {
      const state = this.states[body];
      state.asleep = stream.pose(body, state.position, state.quaternion).asleep;
      state.matrix.makeRotationFromQuaternion(state.quaternion).setPosition(state.position);
    }
    const matrix = new THREE.Matrix4();
    for (const { mesh, items } of this.batches) {
      items.forEach(({ body, local }, slot) => {
        const present = body < this.count;
        mesh.setMatrixAt(slot, present ? matrix.multiplyMatrices(this.states[body].matrix, local) : NOWHERE);
      });
      mesh.instanceMatrix.needsUpdate = true;
      mesh.boundingSphere = null;
    }
    for (const ground of this.grounds) ground.place(this.states[ground.body].matrix, ground.body < this.count);
    this.#paint();
    this.#trace();
  }

  select(body) {
    this.selected = body;
    this.#paint();
    this.#trace();
  }

  /** The body under a ray, or -1. */
  pick(raycaster) {
    const [hit] = raycaster.intersectObjects(this.batches.map(({ mesh }) => mesh));
    if (!hit) return -1;
    return this.batches.find(({ mesh }) => mesh === hit.object).items[hit.instanceId].body;
  }

  /** Box around the bodies that move, or around all if none does. */
  bounds() {
    const box = new THREE.Box3();
    const include = (wanted) => {
      for (let body = 0; body < this.count; body++) {
        if (!this.reach[body] || !wanted(this.kinds[body])) continue;
        const size = new THREE.Vector3().setScalar(2 * this.reach[body]);
        box.union(new THREE.Box3().setFromCenterAndSize(this.states[body].position, size));
      }
    };
    include((kind) => kind !== "static");
    if (box.isEmpty()) include(() => true);
    if (box.isEmpty()) box.set(new THREE.Vector3(-1, 0, -1), new THREE.Vector3(1, 2, 1));
    return box;
  }

  /** Whether something fixed is large enough to be the floor of what is in `box`. */
  hasFloor(box) {
    const large = box.getSize(new THREE.Vector3()).length() / 4;
    return this.grounds.length > 0 || this.reach.some((length, body) => this.kinds[body] === "static" && length > large);
  }

  /** Reach of a typical moving body, m: the measure of overlays. */
  typicalReach() {
    const moving = this.reach.filter((length, body) => length > 0 && this.kinds[body] !== "static");
    return moving.sort((a, b) => a - b)[moving.length >> 1] ?? 0.5;
  }

  #paint() {
    const color = new THREE.Color();
    for (const { mesh, items } of this.batches) {
      items.forEach((item, slot) => {
        color.copy(item.color);
        if (this.states[item.body].asleep) color.lerp(ASLEEP, SLEEP_DIMMING);
        if (item.body === this.selected) color.lerp(SELECTED, 0.35);
        mesh.setColorAt(slot, color);
      });
      mesh.instanceColor.needsUpdate = true;
    }
  }

  /** Draws the outline of the selected body: its parts, a little larger and inside out. */
  #trace() {
    this.outlines.clear();
    const grow = new THREE.Matrix4();
    for (const { mesh, items } of this.batches) {
      items.forEach(({ body }, slot) => {
        if (body !== this.selected) return;
        const { center } = mesh.geometry.boundingSphere;
        const outline = new THREE.Mesh(mesh.geometry, this.outline);
        outline.matrixAutoUpdate = false;
        mesh.getMatrixAt(slot, outline.matrix);
        outline.matrix.multiply(grow.makeTranslation(center));
        outline.matrix.scale(new THREE.Vector3(1.06, 1.06, 1.06));
        outline.matrix.multiply(grow.makeTranslation(center.clone().negate()));
        this.outlines.add(outline);
      });
    }
  }
}
