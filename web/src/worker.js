// The simulation, in a thread of its own: 30 control steps a second whatever the page draws.
import { Character, heading } from "./character.js";
import { engines } from "./engines.js";
import { asked } from "./programme.js";
import { unpacked } from "./unpack.js";

const BASE = new URL(".", self.location).href;
const BEHIND = 0.25; // seconds of delay beyond which the clock lets go
const LYING = { velocity: 0.8, other: 1.6 }; // seconds after a fall until it stands up again
const HANDS_OFF = 4; // seconds after the last key until it follows its programme again
const NEAR = 1.0; // metres from a goal at which it gets another
const AHEAD = 4; // metres by which a goal lies ahead of keys
const ROUND = [[6, 0], [6, 5], [0, 6], [-5, 1], [0, -5]]; // goals while nobody steers, metres

let tools; // the engines
let facts; // characters.json
let character = null;
let wish = { paused: false, hidden: false, speed: 1, velocity: null };
let todo = []; // what is to be done before the next control step
let count = 0; // control steps since the page was opened
let second = 0; // of the simulation, since the character came
let own = 0; // seconds on the programme's clock
let untouched = Infinity;
let down = 0;
let goal = 0; // number of the goal on the round
let scale = 1; // the body's time scale
let free = null; // seconds of a push that are left
let single = false;

const heard = (bytes) => self.postMessage({ type: "bytes", bytes });

const files = new Map(); // brain and body of each character that was asked for, as promises

/** The network and the body of a character, fetched once. */
function filesOf(name) {
  if (!files.has(name)) {
    const brain = unpacked(new URL(`${name}.onnx.gz`, BASE), heard);
    const xml = unpacked(new URL(`${name}.xml`, BASE)).then((bytes) => new TextDecoder().decode(bytes));
    files.set(name, Promise.all([brain, xml]));
    files.get(name).catch(() => files.delete(name)); // another try fetches it again
  }
  return files.get(name);
}

async function load({ name, rates, timeScale, spent }) {
  const about = facts.characters.find((c) => c.name === name);
  const [brain, xml] = await filesOf(name);
  const next = await Character.make(tools, about, xml, brain);
  await character?.release();
  character = next;
  next.feed.fitness.set(rates);
  scale = timeScale;
  if (spent) spent.forEach((share, i) => next.exhaust([i], share));
  second = own = down = goal = 0;
  untouched = Infinity;
  self.postMessage({ type: "body", name, geoms: shapes(next) });
  tell();
}

/** The body's shapes: type, size, place and turn in its rigid body. */
function shapes({ model }) {
  const geoms = [];
  for (let g = 0; g < model.ngeom; g++) {
    const body = model.geom_bodyid[g];
    if (!body) continue;
    const three = (field, size) => [...model[field].subarray(size * g, size * (g + 1))];
    geoms.push({
      body: body - 1,
      type: model.geom_type[g],
      size: three("geom_size", 3),
      pos: three("geom_pos", 3),
      quat: three("geom_quat", 4),
    });
  }
  return geoms;
}

/** What is asked of the character now. */
function command() {
  const { about, data } = character;
  const { asks } = about;
  const byHand = untouched < HANDS_OFF && wish.velocity;
  if (asks === "goal") {
    const [x, y] = data.qpos;
    const fast = byHand ? Math.hypot(...wish.velocity) : 0;
    if (byHand) return fast ? wish.velocity.map((v, i) => [x, y][i] + (AHEAD * v) / fast) : [x, y];
    const there = ROUND[goal % ROUND.length];
    if (Math.hypot(there[0] - x, there[1] - y) < NEAR) goal++;
    return there;
  }
  if (!about.command) return [];
  if (asks === "velocity" && byHand) return wish.velocity;
  const { programme } = about;
  return asked(programme, own, programme.real ? 1 : scale);
}

async function step() {
  const { about } = character;
  const dt = 1 / about.controlRate;
  if (free !== null && (free -= dt) <= 0) {
    free = null;
    character.force = null;
  }
  if (wish.velocity && Math.hypot(...wish.velocity) > 0) untouched = 0;
  else untouched += dt;
  const wanted = command();
  await character.step(wanted);
  count++;
  second += dt;
  const length = about.programme.length ?? Infinity;
  own = (own + dt * (about.programme.real ? 1 : scale)) % length;
  let notice = null;
  if (character.lost) {
    character.refresh();
    character.place(about.starts[0]);
    notice = "The simulation was lost and starts again.";
  }
  down = character.fallen ? down + dt : 0;
  if (down > (LYING[about.asks] ?? LYING.other)) {
    const at = about.asks === "none" ? Math.floor(Math.random() * about.starts.length) : 0;
    character.rise(about.starts[at]);
    down = 0;
  }
  tell(wanted, notice);
}

function tell(wanted = [], notice = null) {
  const { data, fatigue, load: used, about, feed } = character;
  const joints = about.joints.length;
  self.postMessage({
    type: "state",
    name: about.name,
    count,
    second,
    clock: performance.now(),
    xpos: Float32Array.from(data.xpos.subarray(3)),
    xquat: Float32Array.from(data.xquat.subarray(4)),
    speed: Math.hypot(data.qvel[0], data.qvel[1]),
    facing: heading(data.qpos.subarray(3, 7)),
    spent: Float32Array.from({ length: joints }, (_, i) => fatigue[3 * i + 2]),
    load: Float32Array.from(used),
    command: [...wanted],
    byHand: untouched < HANDS_OFF,
    rates: Float32Array.from(feed.fitness),
    down: down > 0,
    notice,
  });
}

/** A trial beside what is on show, for comparison with Python: qpos after each of `steps` steps from each start. */
async function rehearse({ name, steps, starts, command: always, rates, id }) {
  const about = facts.characters.find((c) => c.name === name);
  const [brain, xml] = await filesOf(name);
  const trial = await Character.make(tools, about, xml, brain);
  const frames = [];
  trial.feed.fitness.set(rates);
  for (const start of starts) {
    trial.place(start);
    trial.feed.torque.set(start.torque);
    trial.fatigue.set(start.fatigue);
    for (let k = 0; k < steps; k++) {
      await trial.step(always);
      frames.push([...trial.data.qpos]);
    }
  }
  await trial.release();
  self.postMessage({ type: "rehearsed", id, frames });
}

const DO = {
  load,
  rehearse,
  fitness({ rates, timeScale }) {
    character.feed.fitness.set(rates);
    scale = timeScale;
  },
  exhaust: ({ joints, spent }) => character.exhaust(joints, spent),
  reset() {
    const { starts } = character.about;
    character.refresh();
    character.place(starts[Math.floor(Math.random() * starts.length)]);
    second = own = down = goal = 0;
  },
  hold({ force }) {
    character.force = force;
    free = force?.seconds ?? null;
  },
  single() {
    single = true;
  },
};

let since = performance.now();
let due = 0; // control steps that should have been taken

async function tick() {
  const now = performance.now();
  const passed = Math.min((now - since) / 1000, BEHIND);
  since = now;
  const held = wish.paused || wish.hidden || !character;
  due = held ? 0 : due + passed * wish.speed * (character?.about.controlRate ?? 30);
  try {
    for (;;) {
      while (todo.length) {
        const task = todo.shift();
        await DO[task.type](task);
        if (held && character && task.type !== "rehearse") tell();
      }
      if (character && (due >= 1 || single)) {
        due = Math.max(due - 1, 0);
        single = false;
        await step();
      }
      if (due < 1 || wish.paused) break;
    }
  } catch (error) {
    self.postMessage({ type: "failed", text: String(error.message ?? error) });
  }
  const rest = held ? 30 : (1000 * (1 - due)) / (30 * wish.speed);
  setTimeout(tick, Math.max(1, Math.min(rest - (performance.now() - now), 30)));
}

self.onmessage = ({ data }) => {
  if (data.type === "wish") Object.assign(wish, data.wish);
  else {
    if (data.type === "load") filesOf(data.name); // while the engines are still coming
    todo.push(data);
  }
};

try {
  const [made, text] = await Promise.all([
    engines(BASE, heard),
    unpacked(new URL("characters.json", BASE)).then((bytes) => new TextDecoder().decode(bytes)),
  ]);
  tools = made;
  facts = JSON.parse(text);
  since = performance.now();
  tick();
} catch (error) {
  self.postMessage({ type: "failed", text: String(error.message ?? error) });
}
