// Geometry of shapes. Shapes of the same proportions share one geometry and differ in scale.

import * as THREE from "three";

/** How much darker every other sector of a round shape is: makes its spin visible. */
const SECTOR_SHADE = 0.8;

/** A shape's geometry: `key` names what is shared, `scale` fits it, `build` makes it. */
export function geometryOf(shape, index) {
  const { half_height: half, radius } = shape;
  switch (shape.type) {
    case "ball":
      return { key: "ball", scale: [radius, radius, radius], build: ball };
    case "cuboid":
      return { key: "cuboid", scale: shape.half_extents, build: cuboid };
    case "cylinder":
      return { key: "cylinder", scale: [radius, half, radius], build: cylinder };
    case "cone":
      return { key: "cone", scale: [radius, half, radius], build: cone };
    case "capsule": {
      const slenderness = half / radius;
      const build = () => capsule(slenderness);
      return { key: `capsule ${slenderness}`, scale: [radius, radius, radius], build };
    }
    case "mesh":
      return { key: `mesh ${index}`, scale: [1, 1, 1], build: () => mesh(shape) };
    default:
      throw new Error(`unknown shape ${shape.type}`);
  }
}

/** Distance from the part's origin to the farthest point of a bounded shape, m. */
export function reach(shape) {
  switch (shape.type) {
    case "ball":
      return shape.radius;
    case "cuboid":
      return Math.hypot(...shape.half_extents);
    case "capsule":
      return shape.half_height + shape.radius;
    case "mesh":
      return shape.vertices.reduce((most, v) => Math.max(most, Math.hypot(...v)), 0);
    default:
      return Math.hypot(shape.half_height, shape.radius);
  }
}

function ball() {
  return shaded(new THREE.SphereGeometry(1, 32, 20), (p) => p.x * p.y * p.z);
}

function cuboid() {
  return shaded(new THREE.BoxGeometry(2, 2, 2), () => 1);
}

function cylinder() {
  return shaded(new THREE.CylinderGeometry(1, 1, 2, 40, 1), (p) => p.x * p.z);
}

function cone() {
  return shaded(new THREE.ConeGeometry(1, 2, 40, 1), (p) => p.x * p.z);
}

function capsule(slenderness) {
  const geometry = new THREE.CapsuleGeometry(1, 2 * slenderness, 10, 32);
  return shaded(geometry, (p) => p.x * p.z);
}

function mesh({ vertices, triangles }) {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(vertices.flat()), 3));
  geometry.setIndex(triangles.flat());
  const flat = shaded(geometry, () => 1);
  flat.computeVertexNormals();
  return flat;
}

/** Unshares the vertices and darkens the triangles at whose centre `sector` is negative. */
function shaded(indexed, sector) {
  const geometry = indexed.toNonIndexed();
  const { position } = geometry.attributes;
  const colors = new Float32Array(position.count * 3);
  const corner = new THREE.Vector3();
  const centre = new THREE.Vector3();
  for (let first = 0; first < position.count; first += 3) {
    centre.set(0, 0, 0);
    for (let k = 0; k < 3; k++) centre.add(corner.fromBufferAttribute(position, first + k));
    colors.fill(sector(centre) < 0 ? SECTOR_SHADE : 1, first * 3, first * 3 + 9);
  }
  geometry.setAttribute("color", new THREE.BufferAttribute(colors, 3));
  return geometry;
}
