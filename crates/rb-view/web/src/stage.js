// Renderer, camera and light.

import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";

const BACKGROUND = new THREE.Color("#20242b");
/** From where the scene is looked at until the user turns it. */
const VIEW = new THREE.Vector3(0.75, 0.48, 1).normalize();
const LIGHT = new THREE.Vector3(0.45, 1, 0.35).normalize();

export class Stage {
  constructor(canvas) {
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true });
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFSoftShadowMap;
    this.renderer.toneMapping = THREE.NeutralToneMapping;
    this.scene = new THREE.Scene();
    this.scene.background = BACKGROUND;
    this.scene.fog = new THREE.Fog(BACKGROUND, 1, 2);
    this.camera = new THREE.PerspectiveCamera(38, 1, 0.05, 1000);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener("change", () => this.invalidate());
    this.sun = new THREE.DirectionalLight("#fff3e2", 1.9);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.radius = 3;
    this.scene.add(this.sun, this.sun.target, new THREE.HemisphereLight("#e9eff8", "#77716b", 2.1));
    this.resize();
  }

  /** Asks for the picture to be drawn again. */
  invalidate() {
    this.stale = true;
  }

  resize() {
    const { innerWidth: width, innerHeight: height } = window;
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.invalidate();
  }

  /** Looks at a box from the usual side; light, fog and depth range follow its size. */
  frame(box) {
    const centre = box.getCenter(new THREE.Vector3());
    const radius = Math.max(box.getSize(new THREE.Vector3()).length() / 2, 0.1);
    const fit = radius / Math.sin(THREE.MathUtils.degToRad(this.camera.fov / 2));
    const distance = fit * Math.max(1, 1 / this.camera.aspect);
    this.camera.near = distance / 500;
    this.camera.far = distance * 60;
    this.camera.updateProjectionMatrix();
    this.scene.fog.near = distance * 2.2;
    this.scene.fog.far = distance * 14;
    this.look(centre.clone().addScaledVector(VIEW, distance * 0.84), centre);
    this.#light(centre, radius * 1.8);
  }

  look(from, at) {
    this.camera.position.copy(from);
    this.controls.target.copy(at);
    this.controls.update();
    this.invalidate();
  }

  #light(centre, radius) {
    this.sun.position.copy(centre).addScaledVector(LIGHT, radius * 2);
    this.sun.target.position.copy(centre);
    const { camera, map } = this.sun.shadow;
    Object.assign(camera, { left: -radius, right: radius, top: radius, bottom: -radius, near: 0, far: radius * 4 });
    camera.updateProjectionMatrix();
    this.sun.shadow.normalBias = radius / 900;
    map?.dispose();
    this.sun.shadow.map = null;
  }

  /** A ray through a point of the page. */
  ray(event) {
    const pointer = new THREE.Vector2(
      (event.clientX / window.innerWidth) * 2 - 1,
      1 - (event.clientY / window.innerHeight) * 2,
    );
    const raycaster = new THREE.Raycaster();
    raycaster.setFromCamera(pointer, this.camera);
    return raycaster;
  }

  /** Draws if anything changed since the last picture. */
  draw() {
    if (!this.stale) return false;
    this.stale = false;
    this.renderer.render(this.scene, this.camera);
    return true;
  }
}
