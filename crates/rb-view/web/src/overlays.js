// Contacts and joint frames, drawn as lines over everything.

import * as THREE from "three";

const CONTACT = new THREE.Color("#ffd166");
const AXES = ["#ff6b6b", "#7ddc7d", "#6ba8ff"].map((code) => new THREE.Color(code));

/** Line segments that are rewritten every frame. */
class Lines {
  constructor() {
    const material = { vertexColors: true, depthTest: false, transparent: true };
    this.geometry = new THREE.BufferGeometry();
    this.object = new THREE.Group();
    this.object.visible = false;
    this.object.renderOrder = 1;
    const segments = new THREE.LineSegments(this.geometry, new THREE.LineBasicMaterial(material));
    segments.frustumCulled = false;
    this.object.add(segments);
    this.#reserve(256);
  }

  #reserve(vertices) {
    this.geometry.dispose();
    for (const name of ["position", "color"]) {
      const attribute = new THREE.BufferAttribute(new Float32Array(vertices * 3), 3);
      this.geometry.setAttribute(name, attribute.setUsage(THREE.DynamicDrawUsage));
    }
  }

  begin(segments) {
    if (segments * 2 > this.geometry.attributes.position.count) this.#reserve(segments * 4);
    this.vertex = 0;
  }

  add(from, to, color) {
    const { position, color: colors } = this.geometry.attributes;
    for (const point of [from, to]) {
      position.setXYZ(this.vertex, point.x, point.y, point.z);
      colors.setXYZ(this.vertex, color.r, color.g, color.b);
      this.vertex++;
    }
  }

  end() {
    this.geometry.setDrawRange(0, this.vertex);
    for (const attribute of Object.values(this.geometry.attributes)) attribute.needsUpdate = true;
  }
}

/** Contact points with their normals; the length grows with the logarithm of the impulse. */
export class Contacts extends Lines {
  constructor(unit) {
    super();
    this.unit = unit;
    const dots = new THREE.Points(
      new THREE.BufferGeometry(),
      new THREE.PointsMaterial({ color: CONTACT, size: 5, sizeAttenuation: false, depthTest: false, transparent: true }),
    );
    dots.frustumCulled = false;
    this.dots = dots.geometry;
    this.object.add(dots);
  }

  update(stream) {
    if (!this.object.visible) return;
    const { count } = stream.contacts;
    const [point, normal, tip] = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Vector3()];
    const points = new Float32Array(count * 3);
    this.begin(count);
    for (let index = 0; index < count; index++) {
      const impulse = stream.contact(index, point, normal);
      const length = this.unit * (0.15 + 0.12 * Math.max(0, Math.log2(1 + impulse * 64)));
      point.toArray(points, index * 3);
      this.add(point, tip.copy(normal).multiplyScalar(length).add(point), CONTACT);
    }
    this.end();
    this.dots.dispose();
    this.dots.setAttribute("position", new THREE.BufferAttribute(points, 3));
  }
}

/** Joint frames as red, green and blue axes. */
export class Joints extends Lines {
  constructor(unit) {
    super();
    this.unit = unit;
  }

  update(stream) {
    if (!this.object.visible) return;
    const { count } = stream.joints;
    const [origin, tip, turn] = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Quaternion()];
    this.begin(count * 3);
    for (let index = 0; index < count; index++) {
      stream.joint(index, origin, turn);
      AXES.forEach((color, axis) => {
        tip.set(0, 0, 0).setComponent(axis, this.unit).applyQuaternion(turn).add(origin);
        this.add(origin, tip, color);
      });
    }
    this.end();
  }
}
