// The page: a worker simulates, three.js draws, and everything around them is here.
import { ratesOf } from "./fitness.js";
import { Graph } from "./graph.js";
import { Hands } from "./hands.js";
import { Panel } from "./panel.js";
import { linkOf, readLink } from "./share.js";
import { Stage } from "./stage.js";

const $ = (id) => document.getElementById(id);
const READ = 100; // milliseconds between two readings of the numbers
const SPRING = { stiffness: 900, most: 700 }; // of the hand, N/m and N
const SHOVE = { newtons: 350, seconds: 0.25 }; // of the key P
const SIZE = 6e6; // bytes that come before anything moves, about

const wish = { paused: false, hidden: false, speed: 1, velocity: [0, 0] };
let about, fitness, state;
let first; // the state in which the character came
const arrivals = []; // [milliseconds on the worker's clock, second of the simulation] of the last states
const rehearsals = new Map();

const worker = new Worker("worker.js", { type: "module" }); // it loads the engines at once
const facts = await (await fetch("characters.json")).json();
const ask = (type, more = {}) => worker.postMessage({ type, ...more });
const wishFor = (change) => {
  Object.assign(wish, change);
  worker.postMessage({ type: "wish", wish: change });
};

function toast(text) {
  $("toast").textContent = text;
  $("toast").classList.add("on");
  clearTimeout(toast.timer);
  toast.timer = setTimeout(() => $("toast").classList.remove("on"), 5000);
}

function fail(text) {
  $("loading").classList.remove("gone");
  $("stage-note").textContent = text;
}

let stage;
try {
  stage = new Stage($("stage"));
} catch {
  fail("This browser shows no WebGL, which the page draws with. Switch on hardware acceleration, or use another browser.");
  throw new Error("no WebGL");
}
const graph = new Graph($("graph"));

const on = {
  choose: (name) => name !== about.name && choose(name),
  fitness(next) {
    fitness = next;
    panel.setFitness(fitness);
    ask("fitness", { rates: ratesOf(facts.presets, fitness, about.groups), timeScale: fitness.scale });
  },
  exhaust: (region, spent) => ask("exhaust", { joints: about.regions[region], spent }),
  pause() {
    wishFor({ paused: !wish.paused });
    panel.setTime(wish.paused, wish.speed);
  },
  single() {
    if (!wish.paused) on.pause();
    ask("single");
  },
  reset() {
    ask("reset");
    graph.clear();
  },
  speed(speed) {
    wishFor({ speed });
    arrivals.length = 0;
    panel.setTime(wish.paused, wish.speed);
  },
  async share() {
    const link = linkOf(about.name, fitness, state.spent);
    history.replaceState(null, "", `#${link}`);
    if (matchMedia("(pointer: coarse)").matches && navigator.share) {
      await navigator.share({ title: "Lactic", url: location.href }).catch(() => {});
      return;
    }
    const copied = await navigator.clipboard?.writeText(location.href).then(() => true, () => false);
    toast(copied ? "Link copied: it restores character, fitness and strength" : "The link is in the address bar: copy it from there");
  },
  theme: () => setTheme(document.documentElement.dataset.theme !== "dark"),
  layout,
};

const shove = () => {
  const { turn } = stage.view;
  const way = [-SHOVE.newtons * Math.sin(turn), SHOVE.newtons * Math.cos(turn), 0];
  const body = Math.max(about.bodies.indexOf("torso"), 0);
  ask("hold", { force: { body, point: [0, 0, 0.2], way, most: SHOVE.newtons, seconds: SHOVE.seconds } });
};
const hands = new Hands(stage, $("stage"), $("stick"), facts.speeds, {
  Space: on.pause,
  KeyN: on.single,
  KeyR: on.reset,
  KeyP: shove,
  hold: (force) => ask("hold", { force: force && { ...force, ...SPRING } }),
});
const panel = new Panel(facts, on);

function setTheme(dark) {
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  document.querySelector("meta[name=theme-color]").content = dark ? "#22242a" : "#f4f3f1";
  stage.setDark(dark);
}

/** Put a character on stage, with a fitness and shares of strength lost, or as it usually opens. */
function choose(name, given = {}) {
  about = facts.characters.find((c) => c.name === name);
  fitness = given.fitness ?? { ...about.fitness };
  panel.setCharacter(about);
  panel.setFitness(fitness);
  graph.clear();
  const rates = ratesOf(facts.presets, fitness, about.groups);
  ask("load", { name, rates, timeScale: fitness.scale, spent: given.spent });
}

/** As the address says, or the usual start. */
function start() {
  try {
    const link = readLink(location.hash, facts);
    choose(link?.name ?? facts.characters[0].name, link ?? {});
  } catch (error) {
    toast(`This link cannot be read (${error.message}); here is the usual start`);
    choose(facts.characters[0].name);
  }
}

const legs = () => Object.keys(about.regions).filter((name) => / leg$/.test(name)).flatMap((name) => about.regions[name]);
const mean = (values) => values.reduce((a, b) => a + b, 0) / values.length;

/** How fast it went in the last second. */
function goes() {
  const recent = graph.rows.filter((row) => row[0] > state.second - 1);
  return recent.length ? mean(recent.map((row) => row[2])) : 0;
}

function receive(next) {
  if (next.name !== about.name || !stage.limbs.length || stage.shown !== next.name) return;
  state = next;
  first ??= state;
  state.asks = about.asks;
  state.arrived = performance.now();
  stage.show(state, about.carriers.map((joints) => (joints.length ? Math.max(...joints.map((i) => state.spent[i])) : 0)));
  const left = Array.from(state.spent, (share) => 100 * (1 - share));
  graph.add([state.second, Math.hypot(...state.command), state.speed, mean(left), mean(legs().map((i) => left[i]))]);
  if (arrivals.length && state.second < arrivals.at(-1)[1]) arrivals.length = 0;
  arrivals.push([state.clock, state.second]);
  if (arrivals.length > 60) arrivals.shift();
  if (state.notice) toast(state.notice);
  if (!$("loading").classList.contains("gone") && state.count > 0) {
    $("loading").classList.add("gone");
    panel.setTime(wish.paused, wish.speed);
  }
}

let bytes = 0;
const HEAR = {
  bytes({ bytes: more }) {
    bytes += more;
    $("loaded").style.transform = `scaleX(${Math.min(bytes / SIZE, 1)})`;
  },
  body({ name, geoms }) {
    stage.setBody(geoms, facts.tints);
    stage.shown = name;
    first = null;
    arrivals.length = 0;
  },
  state: receive,
  rehearsed({ id, frames }) {
    rehearsals.get(id)(frames);
    rehearsals.delete(id);
  },
  failed: ({ text }) => fail(`It cannot go on: ${text}`),
};
worker.onmessage = ({ data }) => HEAR[data.type](data);
worker.onerror = (event) => fail(`It cannot start: ${event.message ?? "worker.js did not load"}`);

function layout() {
  const phone = innerWidth <= 760;
  const sheet = $("panel").getBoundingClientRect();
  document.documentElement.style.setProperty("--sheet", `${sheet.height}px`);
  stage.insets = phone
    ? { right: 0, top: $("readout").getBoundingClientRect().bottom, bottom: sheet.height }
    : { right: sheet.width + 14, top: 0, bottom: 0 };
  stage.resize();
}

let before = performance.now();
let read = 0;
let told = "";
function frame(now) {
  const seconds = Math.min((now - before) / 1000, 0.2);
  before = now;
  if (state) {
    const velocity = hands.velocity(seconds);
    if (String(velocity) !== told) {
      told = String(velocity);
      wishFor({ velocity });
    }
    stage.frame(seconds, 1000 / (about.controlRate * wish.speed));
    if (now - read > READ) {
      read = now;
      const [first, last] = [arrivals[0], arrivals.at(-1)];
      const rate = arrivals.length > 1 ? (1000 * (last[1] - first[1])) / (last[0] - first[0]) : wish.speed;
      panel.read(state, goes(), rate, wish.paused);
      graph.draw(about.asks === "velocity", "legs", about.asks === "velocity" ? 4 : 2);
    }
  }
  requestAnimationFrame(frame);
}

const dark = matchMedia("(prefers-color-scheme: dark)");
setTheme(dark.matches);
dark.addEventListener("change", () => setTheme(dark.matches));
addEventListener("resize", layout);
addEventListener("hashchange", start);
document.addEventListener("visibilitychange", () => wishFor({ hidden: document.hidden }));
layout();
start();
requestAnimationFrame(frame);

/** For tests and for the curious: the state on show, the first one, and trials beside it. */
window.lactic = {
  get state() {
    return state;
  },
  get first() {
    return first;
  },
  rehearse(name, steps, starts, command) {
    const id = Math.random();
    const { groups, fitness: usual } = facts.characters.find((c) => c.name === name);
    ask("rehearse", { name, steps, starts, command, id, rates: ratesOf(facts.presets, usual, groups) });
    return new Promise((resolve) => rehearsals.set(id, resolve));
  },
};
