// The stage: ground, light, the body, what is asked of it, and the hand that pushes it. z is up, as in MuJoCo.
import * as THREE from "three";
import { RoundedBoxGeometry } from "three/addons/geometries/RoundedBoxGeometry.js";

const FOV = 36;
const LOOK = 0.86; // metres above the ground that the camera looks at
const FOLLOW = 0.3; // half-life, s, of the distance between the character and where the camera looks
const JUMP = 4; // metres beyond which it looks there at once
const LEAP = 0.6; // metres that nothing moves in one control step: it was put somewhere else
const FOG = [9, 24];
const DAY = { zenith: "#d6dee6", horizon: "#faf9f7", ground: "#e8e6e2", cells: "#d3d0cb", sections: "#b9b6b1", light: 1 };
const NIGHT = { zenith: "#101218", horizon: "#22242a", ground: "#2b2c31", cells: "#3b3c41", sections: "#515257", light: 0.82 };
const SLOW = 30; // milliseconds a frame beyond which it is drawn with fewer pixels
const SHAPES = { SPHERE: 2, CAPSULE: 3, ELLIPSOID: 4, CYLINDER: 5, BOX: 6 };

export class Stage {
  constructor(canvas) {
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, powerPreference: "high-performance" });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.scene = new THREE.Scene();
    this.scene.fog = new THREE.Fog(0xffffff, ...FOG);
    this.camera = new THREE.PerspectiveCamera(FOV, 1, 0.1, 120);
    this.camera.up.set(0, 0, 1);
    this.view = { turn: Math.atan2(-4.3, 3.1), rise: 0.17, away: 5.4 };
    this.centre = new THREE.Vector3();
    this.last = new THREE.Vector3();
    this.drift = new THREE.Vector2();
    this.insets = { right: 0, top: 0, bottom: 0 };
    this.ratio = Math.min(devicePixelRatio, 2);
    this.pace = 16;
    this.limbs = [];
    this.body = new THREE.Group();
    this.sky = new THREE.HemisphereLight("#fffcf8", "#d6c4b4", 1.9);
    this.sun = new THREE.DirectionalLight("#fff6ea", 2.3);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(1024, 1024);
    this.sun.shadow.radius = 3;
    this.sun.shadow.bias = -0.0008;
    this.sun.shadow.normalBias = 0.012;
    Object.assign(this.sun.shadow.camera, { left: -2.2, right: 2.2, top: 2.2, bottom: -2.2, near: 0.5, far: 12 });
    this.fill = new THREE.DirectionalLight("#e2ecff", 0.5);
    this.way = wayOf();
    this.arrow = arrowOf();
    this.ground = groundOf();
    this.dome = domeOf();
    this.shade = new THREE.Mesh(new THREE.PlaneGeometry(12, 12), new THREE.ShadowMaterial({ opacity: 0.26 }));
    this.shade.position.z = 0.002;
    this.shade.receiveShadow = true;
    this.scene.add(this.body, this.sky, this.sun, this.sun.target, this.fill, this.fill.target, this.way, this.arrow);
    this.scene.add(this.ground, this.dome, this.shade);
    this.setDark(false);
  }

  setDark(dark) {
    const set = dark ? NIGHT : DAY;
    this.scene.fog.color.set(set.horizon);
    for (const name of ["zenith", "horizon"]) this.dome.material.uniforms[name].value.set(set[name]);
    for (const name of ["horizon", "ground", "cells", "sections"]) this.ground.material.uniforms[name].value.set(set[name]);
    this.sky.intensity = 1.9 * set.light;
    this.sun.intensity = 2.3 * set.light;
    this.shade.material.opacity = dark ? 0.5 : 0.26;
  }

  /** Another body: its shapes, and the colours from fresh to exhausted. */
  setBody(geoms, tints) {
    for (const limb of this.limbs) limb.removeFromParent();
    this.tints = tints.map(([r, g, b]) => new THREE.Color().setRGB(r / 255, g / 255, b / 255, THREE.SRGBColorSpace));
    this.limbs = [];
    for (const geom of geoms) {
      this.limbs[geom.body] ??= new THREE.Group();
      const limb = this.limbs[geom.body];
      limb.userData.skin ??= new THREE.MeshStandardMaterial({ roughness: 0.72, metalness: 0 });
      const mesh = new THREE.Mesh(shapeOf(geom), limb.userData.skin);
      mesh.position.set(...geom.pos);
      mesh.quaternion.copy(turnOf(geom.quat));
      mesh.castShadow = true;
      mesh.receiveShadow = true;
      mesh.userData.body = geom.body;
      limb.add(mesh);
    }
    this.limbs = Array.from(this.limbs, (limb) => limb ?? new THREE.Group());
    this.body.add(...this.limbs);
    this.from = this.to = null;
  }

  /** The next state; `spent` is the share of strength lost by what carries each rigid body. */
  show(state, spent) {
    const leapt = this.to && Math.hypot(state.xpos[0] - this.to.xpos[0], state.xpos[1] - this.to.xpos[1]) > LEAP;
    this.from = this.to && !leapt ? this.to : state;
    this.to = state;
    this.came = performance.now();
    spent.forEach((share, i) => {
      const skin = this.limbs[i]?.userData.skin;
      const at = Math.min(Math.max(share, 0), 1) * (this.tints.length - 1);
      const low = Math.floor(at);
      skin?.color.copy(this.tints[low]).lerp(this.tints[Math.min(low + 1, this.tints.length - 1)], at - low);
    });
    const [x, y] = state.command;
    const fast = state.asks === "velocity" ? Math.hypot(x, y) : 0;
    this.way.visible = fast > 0.05;
    if (this.way.visible) {
      this.way.scale.x = fast;
      this.way.rotation.z = Math.atan2(y, x);
      this.way.children.forEach((dot) => dot.userData.dot && dot.scale.set(1 / fast, 1, 1));
    }
  }

  /** Draw the moment between two states that is now; `interval` is the milliseconds between them. */
  frame(seconds, interval) {
    const { from, to } = this;
    if (to) {
      const share = Math.min((performance.now() - this.came) / interval, 1);
      this.limbs.forEach((limb, i) => {
        for (const [k, axis] of ["x", "y", "z"].entries()) {
          limb.position[axis] = from.xpos[3 * i + k] + share * (to.xpos[3 * i + k] - from.xpos[3 * i + k]);
        }
        limb.quaternion.copy(turnOf(from.xquat, 4 * i)).slerp(turnOf(to.xquat, 4 * i), share);
      });
      this.follow(this.limbs[0].position, seconds);
      this.way.position.set(this.limbs[0].position.x, this.limbs[0].position.y, 0.012);
    }
    this.aim();
    this.drawHand();
    this.renderer.render(this.scene, this.camera);
    this.pace += 0.05 * (1000 * Math.min(seconds, 0.2) - this.pace);
    if (this.pace > SLOW && this.ratio > 0.5) {
      this.ratio = Math.max(0.5, 0.8 * this.ratio);
      this.pace = 16;
      this.resize();
    }
  }

  follow(root, seconds) {
    const { centre, last, drift } = this;
    const share = 1 - 0.5 ** (seconds / FOLLOW);
    const gap = new THREE.Vector2(root.x - centre.x, root.y - centre.y);
    if (gap.length() > JUMP) {
      centre.set(root.x, root.y, 0);
      drift.set(0, 0);
    } else if (seconds > 0) {
      const speed = new THREE.Vector2(root.x - last.x, root.y - last.y).divideScalar(seconds);
      if (speed.length() < 12) drift.addScaledVector(speed.sub(drift), share);
      centre.x += gap.x * share + drift.x * seconds * (1 - share);
      centre.y += gap.y * share + drift.y * seconds * (1 - share);
    }
    last.copy(root);
  }

  aim() {
    const { turn, rise, away } = this.view;
    const far = away * Math.max(1, 0.62 / this.camera.aspect);
    const { x, y } = this.centre;
    this.camera.position.set(
      x + far * Math.cos(rise) * Math.cos(turn),
      y + far * Math.cos(rise) * Math.sin(turn),
      LOOK + far * Math.sin(rise),
    );
    this.camera.lookAt(x, y, LOOK);
    this.camera.updateMatrixWorld();
    this.sun.position.set(x + 1.6, y - 1.2, 4.6);
    this.sun.target.position.set(x, y, 0.6);
    this.fill.position.set(x - 3, y + 3, 1.5);
    this.fill.target.position.set(x, y, 0.8);
    this.ground.position.set(x, y, 0);
    this.dome.position.copy(this.camera.position);
    this.shade.position.set(x, y, 0.002);
    Object.assign(this.scene.fog, { near: FOG[0] + far - 5, far: FOG[1] + far - 5 });
    this.ground.material.uniforms.near.value = this.scene.fog.near;
    this.ground.material.uniforms.far.value = this.scene.fog.far;
  }

  resize() {
    const { innerWidth: width, innerHeight: height } = window;
    const { right, top, bottom } = this.insets;
    this.renderer.setPixelRatio(this.ratio);
    this.renderer.setSize(width, height, false);
    this.camera.aspect = (width - right) / (height - top - bottom);
    const [wide, high] = [width - right, height - top - bottom];
    // the free part of the window is the picture, and what lies around it is drawn too
    this.camera.setViewOffset(wide, high, 0, -top, width, height);
    this.camera.updateProjectionMatrix();
  }

  /** The ray through a point of the window. */
  ray(x, y) {
    const point = new THREE.Vector2((2 * x) / window.innerWidth - 1, 1 - (2 * y) / window.innerHeight);
    const caster = new THREE.Raycaster();
    caster.setFromCamera(point, this.camera);
    return caster;
  }

  /** Which rigid body is there, and where on it in its own frame. */
  pick(x, y) {
    const hit = this.ray(x, y).intersectObjects(this.limbs, true)[0];
    if (!hit) return null;
    const { body } = hit.object.userData;
    return { body, point: this.limbs[body].worldToLocal(hit.point.clone()).toArray() };
  }

  /** Where a hand is that holds a body and is at a point of the window: as far from the camera as what it holds. */
  reach(held, x, y) {
    const at = this.limbs[held.body].localToWorld(new THREE.Vector3(...held.point));
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(this.camera.getWorldDirection(new THREE.Vector3()), at);
    const target = this.ray(x, y).ray.intersectPlane(plane, new THREE.Vector3());
    this.hand = target && { ...held, target };
    return target?.toArray() ?? null;
  }

  drawHand() {
    this.arrow.visible = Boolean(this.hand);
    if (!this.hand) return;
    const at = this.limbs[this.hand.body].localToWorld(new THREE.Vector3(...this.hand.point));
    const along = this.hand.target.clone().sub(at);
    const length = along.length();
    this.arrow.visible = length > 0.03;
    this.arrow.position.copy(at);
    this.arrow.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), along.normalize());
    const head = Math.min(0.14, length);
    this.arrow.children[0].scale.y = Math.max(length - head, 1e-3);
    this.arrow.children[1].position.y = length - head / 2;
  }
}

function shapeOf({ type, size: [a, b, c] }) {
  if (type === SHAPES.CAPSULE) return new THREE.CapsuleGeometry(a, 2 * b, 10, 24).rotateX(Math.PI / 2);
  if (type === SHAPES.CYLINDER) return new THREE.CylinderGeometry(a, a, 2 * b, 28).rotateX(Math.PI / 2);
  if (type === SHAPES.BOX) return new RoundedBoxGeometry(2 * a, 2 * b, 2 * c, 4, Math.min(a, b, c) * 0.8);
  const ball = new THREE.SphereGeometry(a, 32, 24);
  return type === SHAPES.ELLIPSOID ? ball.scale(1, b / a, c / a) : ball;
}

/** MuJoCo writes w first. */
function turnOf(q, at = 0) {
  return new THREE.Quaternion(q[at + 1], q[at + 2], q[at + 3], q[at]);
}

function groundOf() {
  const colours = Object.fromEntries(["horizon", "ground", "cells", "sections"].map((n) => [n, { value: new THREE.Color() }]));
  const material = new THREE.ShaderMaterial({
    uniforms: { ...colours, near: { value: 1 }, far: { value: 2 } },
    vertexShader: `varying vec3 place; varying float depth;
      void main() {
        vec4 at = modelMatrix * vec4(position, 1.0); place = at.xyz;
        vec4 seen = viewMatrix * at; depth = -seen.z; gl_Position = projectionMatrix * seen;
      }`,
    fragmentShader: `uniform vec3 horizon, ground, cells, sections; uniform float near, far; varying vec3 place; varying float depth;
      float lines(float cell, float wide) {
        vec2 blur = max(fwidth(place.xy), vec2(1e-4));
        vec2 away = abs(fract(place.xy / cell - 0.5) - 0.5) * cell;
        vec2 drawn = 1.0 - smoothstep(vec2(wide), vec2(wide) + blur * 1.2, away);
        drawn *= min(vec2(1.0), 0.25 * cell / blur);
        return max(drawn.x, drawn.y);
      }
      void main() {
        vec3 tone = mix(ground, cells, 0.8 * lines(0.5, 0.004));
        tone = mix(tone, sections, 0.8 * lines(2.0, 0.007));
        gl_FragColor = vec4(mix(tone, horizon, smoothstep(near, far, depth)), 1.0);
        #include <colorspace_fragment>
      }`,
  });
  return new THREE.Mesh(new THREE.CircleGeometry(60, 48), material);
}

function domeOf() {
  const material = new THREE.ShaderMaterial({
    uniforms: { zenith: { value: new THREE.Color() }, horizon: { value: new THREE.Color() } },
    side: THREE.BackSide,
    depthWrite: false,
    vertexShader: "varying vec3 way; void main() { way = position; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }",
    fragmentShader: `uniform vec3 zenith, horizon; varying vec3 way;
      void main() { gl_FragColor = vec4(mix(horizon, zenith, smoothstep(0.0, 0.3, normalize(way).z)), 1.0);
      #include <colorspace_fragment>
      }`,
  });
  const dome = new THREE.Mesh(new THREE.SphereGeometry(80, 24, 16), material);
  dome.renderOrder = -1;
  return dome;
}

/** Where it is asked to be within a second: a line along +x, one metre long, with dots. */
function wayOf() {
  const paint = new THREE.MeshBasicMaterial({ color: "#0072b2", fog: false });
  const way = new THREE.Group();
  way.add(new THREE.Mesh(new THREE.PlaneGeometry(1, 0.035).translate(0.5, 0, 0), paint));
  for (const at of [1 / 3, 2 / 3, 1]) {
    const dot = new THREE.Mesh(new THREE.CircleGeometry(0.06, 24), paint);
    dot.position.set(at, 0, 0.001);
    dot.userData.dot = true;
    way.add(dot);
  }
  way.visible = false;
  return way;
}

function arrowOf() {
  const paint = new THREE.MeshStandardMaterial({ color: "#e87810", roughness: 0.6 });
  const arrow = new THREE.Group();
  arrow.add(new THREE.Mesh(new THREE.CylinderGeometry(0.018, 0.018, 1, 16).translate(0, 0.5, 0), paint));
  arrow.add(new THREE.Mesh(new THREE.ConeGeometry(0.05, 0.14, 20), paint));
  arrow.visible = false;
  return arrow;
}
