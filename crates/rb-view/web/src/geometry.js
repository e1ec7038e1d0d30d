// Geometry and surface of shapes. Shapes of the same proportions share one geometry and differ in scale.

import * as THREE from "three";

const ROUGHNESS = 0.62;
const QUARTERS = /* glsl */ `
vec2 edge = clamp(vQuarter / fwidth(vQuarter), -1.0, 1.0);
diffuseColor.rgb *= 0.9 + 0.1 * edge.x * edge.y;`;

/** A shape's geometry: `key` names what is shared, `scale` fits it, `build` makes it. */
export function geometryOf(shape, index) {
  const { half_height: half, radius } = shape;
  switch (shape.type) {
    case "ball":
      return { key: "ball", scale: [radius, radius, radius], build: ball, round: true };
    case "cuboid":
      return { key: "cuboid", scale: shape.half_extents, build: cuboid };
    case "cylinder":
      return { key: "cylinder", scale: [radius, half, radius], build: cylinder, round: true };
    case "cone":
      return { key: "cone", scale: [radius, half, radius], build: cone, round: true };
    case "capsule": {
      const slenderness = half / radius;
      const build = () => capsule(slenderness);
      return { key: `capsule ${slenderness}`, scale: [radius, radius, radius], build, round: true };
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
  return new THREE.SphereGeometry(1, 28, 18);
}

function cuboid() {
  return new THREE.BoxGeometry(2, 2, 2);
}

function cylinder() {
  return new THREE.CylinderGeometry(1, 1, 2, 32, 1);
}

function cone() {
  return new THREE.ConeGeometry(1, 2, 32, 1);
}

function capsule(slenderness) {
  return new THREE.CapsuleGeometry(1, 2 * slenderness, 8, 28);
}

function mesh({ vertices, triangles }) {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(vertices.flat()), 3));
  geometry.setIndex(triangles.flat());
  return geometry;
}

/** Flat faces. */
export function facetedMaterial() {
  return new THREE.MeshStandardMaterial({ roughness: ROUGHNESS, flatShading: true });
}

/** Smooth, every other quarter turn about y darker: the spin of a round shape is visible. */
export function roundMaterial() {
  const material = new THREE.MeshStandardMaterial({ roughness: ROUGHNESS });
  material.onBeforeCompile = (shader) => {
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", "#include <common>\nvarying vec2 vQuarter;")
      .replace("#include <begin_vertex>", "#include <begin_vertex>\nvQuarter = position.xz;");
    shader.fragmentShader = shader.fragmentShader
      .replace("#include <common>", "#include <common>\nvarying vec2 vQuarter;")
      .replace("#include <color_fragment>", `#include <color_fragment>\n${QUARTERS}`);
  };
  return material;
}
