// A brain in its body, running: the loop of docs/architecture.md, one control step at a time.

const PARTS = ["qpos", "qvel", "xpos", "torque"];

export class Character {
  /** `about` is the character's entry in characters.json. */
  static async make({ mujoco, ort }, about, xml, brain) {
    const session = await ort.InferenceSession.create(brain, { executionProviders: ["wasm"] });
    return new Character(mujoco, ort, about, xml, session);
  }

  constructor(mujoco, ort, about, xml, session) {
    Object.assign(this, { mujoco, about, session });
    this.model = mujoco.MjModel.from_xml_string(xml);
    this.data = new mujoco.MjData(this.model);
    // docs: to_xml of MuJoCo keeps six digits; ours keeps all, and this holds for any file
    this.model.opt.timestep = 1 / (about.controlRate * about.substeps);
    const joints = about.joints.length;
    const { nq, nv, nbody } = this.model;
    const shapes = {
      qpos: [nq],
      qvel: [nv],
      xpos: [nbody - 1, 3],
      torque: [joints],
      command: [about.command],
      fatigue: [joints, 3],
      fitness: [joints, 5],
    };
    this.feed = {};
    this.tensors = {};
    for (const [name, shape] of Object.entries(shapes)) {
      this.feed[name] = new Float32Array(shape.reduce((a, b) => a * b, 1));
      if (session.inputNames.includes(name)) {
        this.tensors[name] = new ort.Tensor("float32", this.feed[name], [1, ...shape]);
      }
    }
    this.load = new Float32Array(joints);
    this.force = null; // of a hand: { body, point, target, newtons }
    this.refresh();
    this.place(about.starts[0]);
  }

  /** Free what lives in the engines' memory. */
  async release() {
    this.data.delete();
    this.model.delete();
    await this.session.release();
  }

  get fatigue() {
    return this.feed.fatigue;
  }

  /** Fresh, all joints. */
  refresh() {
    for (let i = 0; i < this.load.length; i++) this.fatigue.set([0, 1, 0], 3 * i);
  }

  /** Set the fatigued share MF of some joints now. */
  exhaust(joints, spent) {
    for (const i of joints) this.fatigue.set([0, 1 - spent, spent], 3 * i);
  }

  /** Put the body into a state, at rest in all else. */
  place({ qpos, qvel }) {
    const { mujoco, model, data } = this;
    mujoco.mj_resetData(model, data);
    data.qpos.set(qpos);
    data.qvel.set(qvel);
    data.ctrl.set(qpos.slice(7));
    this.feed.torque.fill(0);
    mujoco.mj_kinematics(model, data);
  }

  /** Stand up where it lies, facing as it does, as tired as it is. */
  rise(start) {
    const { qpos } = this.data;
    const turn = heading(qpos.subarray(3, 7)) - heading(start.qpos.slice(3, 7));
    const [c, s] = [Math.cos(turn), Math.sin(turn)];
    const [vx, vy] = start.qvel;
    const root = times([Math.cos(turn / 2), 0, 0, Math.sin(turn / 2)], start.qpos.slice(3, 7));
    const there = [qpos[0], qpos[1], start.qpos[2], ...root, ...start.qpos.slice(7)];
    this.place({ qpos: there, qvel: [c * vx - s * vy, s * vx + c * vy, ...start.qvel.slice(2)] });
  }

  /** One control step: think, tire, act. Memory views are fetched anew: the engine may have moved its memory. */
  async step(command) {
    const { mujoco, model, data, feed, about } = this;
    const seen = { qpos: data.qpos, qvel: data.qvel, xpos: data.xpos.subarray(3), torque: feed.torque };
    for (const part of PARTS) feed[part].set(seen[part]);
    feed.command.set(command);
    const out = await this.session.run(this.tensors);
    const [targets, stiffness, damping, limits] = ["targets", "stiffness", "damping", "limits"].map((n) => out[n].data);
    feed.fatigue.set(out.fatigue_next.data);
    this.load.set(out.load.data);
    const count = targets.length;
    const { actuator_gainprm: gain, actuator_biasprm: bias, actuator_forcerange: range } = model;
    const [wide, broad] = [gain.length / count, bias.length / count];
    data.ctrl.set(targets);
    for (let i = 0; i < count; i++) {
      gain[wide * i] = stiffness[i];
      bias[broad * i + 1] = -stiffness[i];
      bias[broad * i + 2] = -damping[i];
      range[2 * i] = -limits[i];
      range[2 * i + 1] = limits[i];
    }
    const given = new Float64Array(count);
    for (let k = 0; k < about.substeps; k++) {
      this.push();
      mujoco.mj_step(model, data);
      const force = data.actuator_force;
      for (let i = 0; i < count; i++) given[i] += Math.abs(force[i]) / about.substeps;
    }
    mujoco.mj_kinematics(model, data); // after a step, positions of bodies lag one physics step behind
    feed.torque.set(given);
  }

  /** Pull the body that a hand holds towards where the hand is. */
  push() {
    const { data, force } = this;
    const given = data.xfrc_applied;
    given.fill(0);
    if (!force) return;
    const pulled = pull(this.data, force);
    given.set(pulled.newtons, 6 * (force.body + 1));
    given.set(pulled.torque, 6 * (force.body + 1) + 3);
  }

  /** Whether it is down by the rule it was trained with, or its state is lost. */
  get fallen() {
    const { fall } = this.about;
    const { xpos } = this.data;
    return this.lost || fall.bodies.some((body) => xpos[3 * (body + 1) + 2] < fall.height);
  }

  get lost() {
    return !this.data.qpos.every(Number.isFinite) || !this.fatigue.every(Number.isFinite);
  }
}

/** The force of a hand on a body, and its torque about the body's centre of mass; `way` pushes, else a spring pulls. */
function pull(data, { body, point, target, way, stiffness, most }) {
  const at = 3 * (body + 1);
  const turn = data.xmat.subarray(3 * at, 3 * at + 9);
  const held = [0, 1, 2].map(
    (i) => data.xpos[at + i] + turn[3 * i] * point[0] + turn[3 * i + 1] * point[1] + turn[3 * i + 2] * point[2],
  );
  let newtons = way ?? held.map((x, i) => stiffness * (target[i] - x));
  const size = Math.hypot(...newtons);
  if (size > most) newtons = newtons.map((x) => (x * most) / size);
  const arm = held.map((x, i) => x - data.xipos[at + i]);
  const torque = [0, 1, 2].map(
    (i) => arm[(i + 1) % 3] * newtons[(i + 2) % 3] - arm[(i + 2) % 3] * newtons[(i + 1) % 3],
  );
  return { newtons, torque };
}

/** The direction that a root faces, radians from +x. */
export function heading([w, x, y, z]) {
  return Math.atan2(2 * (x * y + w * z), 1 - 2 * (y * y + z * z));
}

function times([a, b, c, d], [e, f, g, h]) {
  return [
    a * e - b * f - c * g - d * h,
    a * f + b * e + c * h - d * g,
    a * g - b * h + c * e + d * f,
    a * h + b * g - c * f + d * e,
  ];
}
