// Large planes with a grid that fades before it flickers: half-spaces, and a grid on its own.

import * as THREE from "three";

/** Edge of the drawn square, m. */
const EXTENT = 4000;

const DECLARE = /* glsl */ `
varying vec2 vPlane;
float gridLine(vec2 p) {
  vec2 width = fwidth(p);
  vec2 distance = abs(fract(p - 0.5) - 0.5) / width;
  float line = 1.0 - min(min(distance.x, distance.y), 1.0);
  return line * (1.0 - smoothstep(0.06, 0.4, max(width.x, width.y)));
}`;
const LINES_ON_FLOOR = /* glsl */ `
diffuseColor.rgb *= 1.0 + 0.4 * gridLine(vPlane) + 0.6 * gridLine(vPlane / 10.0);`;
const LINES_ALONE = /* glsl */ `
diffuseColor.a = 0.4 * gridLine(vPlane) + 0.6 * gridLine(vPlane / 10.0);`;

/** A plane across z with lines every metre and stronger ones every ten. */
function gridPlane(paint, options) {
  const material = new THREE.MeshStandardMaterial({ color: "#414751", roughness: 1, ...options });
  material.onBeforeCompile = (shader) => {
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", "#include <common>\nvarying vec2 vPlane;")
      .replace("#include <begin_vertex>", "#include <begin_vertex>\nvPlane = position.xy;");
    shader.fragmentShader = shader.fragmentShader
      .replace("#include <common>", `#include <common>\n${DECLARE}`)
      .replace("#include <color_fragment>", `#include <color_fragment>\n${paint}`);
  };
  // The patch differs in `paint` only, which three cannot see.
  material.customProgramCacheKey = () => paint;
  const mesh = new THREE.Mesh(new THREE.PlaneGeometry(EXTENT, EXTENT), material);
  mesh.frustumCulled = false;
  return mesh;
}

/** Level lines for scenes without a floor; they hide nothing that sinks below them. */
export function referenceGrid(height) {
  const options = { color: "#6b7483", transparent: true, depthWrite: false, side: THREE.DoubleSide };
  const grid = gridPlane(LINES_ALONE, options);
  grid.rotation.x = -Math.PI / 2;
  grid.position.y = height;
  return grid;
}

/** A half-space of a body. */

export class Ground {
  constructor(body, local, normal) {
    const turn = new THREE.Quaternion().setFromUnitVectors(
      new THREE.Vector3(0, 0, 1),
      new THREE.Vector3(...normal).normalize(),
    );
    this.body = body;
    this.local = local.multiply(new THREE.Matrix4().makeRotationFromQuaternion(turn));
    this.mesh = gridPlane(LINES_ON_FLOOR);
    this.mesh.matrixAutoUpdate = false;
    this.mesh.receiveShadow = true;
  }

  place(bodyMatrix, present) {
    this.mesh.visible = present;
    this.mesh.matrix.multiplyMatrices(bodyMatrix, this.local);
  }
}
