// A half-space: a large plane with a grid that fades before it flickers.

import * as THREE from "three";

/** Edge of the drawn square, m. */
const EXTENT = 4000;

const DECLARE = /* glsl */ `
varying vec2 vPlane;
float gridLine(vec2 p) {
  vec2 width = fwidth(p);
  vec2 distance = abs(fract(p - 0.5) - 0.5) / width;
  float line = 1.0 - min(min(distance.x, distance.y), 1.0);
  return line * (1.0 - smoothstep(0.15, 0.6, max(width.x, width.y)));
}`;
const PAINT = /* glsl */ `
diffuseColor.rgb *= 1.0 + 0.55 * gridLine(vPlane) + 0.9 * gridLine(vPlane / 10.0);`;

/** A plane material with lines every metre and stronger ones every ten. */
export function gridMaterial(options) {
  const material = new THREE.MeshStandardMaterial({ color: "#363c47", roughness: 1, ...options });
  material.onBeforeCompile = (shader) => {
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", "#include <common>\nvarying vec2 vPlane;")
      .replace("#include <begin_vertex>", "#include <begin_vertex>\nvPlane = position.xy;");
    shader.fragmentShader = shader.fragmentShader
      .replace("#include <common>", `#include <common>\n${DECLARE}`)
      .replace("#include <color_fragment>", `#include <color_fragment>\n${PAINT}`);
  };
  return material;
}

export class Ground {
  constructor(body, local, normal) {
    const turn = new THREE.Quaternion().setFromUnitVectors(
      new THREE.Vector3(0, 0, 1),
      new THREE.Vector3(...normal).normalize(),
    );
    this.body = body;
    this.local = local.multiply(new THREE.Matrix4().makeRotationFromQuaternion(turn));
    this.mesh = new THREE.Mesh(new THREE.PlaneGeometry(EXTENT, EXTENT), gridMaterial());
    this.mesh.matrixAutoUpdate = false;
    this.mesh.frustumCulled = false;
    this.mesh.receiveShadow = true;
  }

  place(bodyMatrix, present) {
    this.mesh.visible = present;
    this.mesh.matrix.multiplyMatrices(bodyMatrix, this.local);
  }
}
