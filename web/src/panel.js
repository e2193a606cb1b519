// The controls around the stage: characters, time, body, fitness, and what they read out.
import { meaning, rowsOf } from "./fitness.js";

const ICONS = {
  share: '<path d="M12 15V4m0 0L8 8m4-4 4 4M5 13v5a2 2 0 0 0 2 2h10a2 2 0 0 0 2-2v-5"/>',
  theme: '<circle cx="12" cy="12" r="8"/><path d="M12 4a8 8 0 0 1 0 16z" fill="currentColor"/>',
  pause: '<path d="M8 5v14M16 5v14"/>',
  play: '<path d="M7 5l12 7-12 7z" fill="currentColor"/>',
};
const SPEEDS = [["⅛", 0.125], ["¼", 0.25], ["½", 0.5], ["1×", 1]];
const SHOWN = ["whole body", "trunk", "left arm", "right arm", "left leg", "right leg"];
const TIRED = 6; // joints in the table
const EXHAUSTED = 0.9; // share of strength that is taken
const $ = (id) => document.getElementById(id);
export const icon = (name) => `<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">${ICONS[name]}</svg>`;
export const spoken = (joint) => joint.replaceAll("_", " ");
const mean = (values) => values.reduce((a, b) => a + b, 0) / values.length;

export class Panel {
  /** `on` has what is to be done: choose, fitness, exhaust, pause, single, reset, speed, share, theme. */
  constructor(facts, on) {
    Object.assign(this, { facts, on });
    $("share").innerHTML = icon("share");
    $("theme").innerHTML = icon("theme");
    $("ramp").style.background = `linear-gradient(90deg, ${facts.tints.map((rgb) => `rgb(${rgb})`)})`;
    for (const { name, description } of facts.characters) {
      $("characters").append(button(spoken(name).replace("-", " "), () => on.choose(name), { title: description, name }));
    }
    for (const [said, speed] of SPEEDS) {
      $("speed").append(button(said, () => on.speed(speed), { title: `Time runs at ${said}`, speed }));
    }
    for (const id of ["pause", "single", "reset", "share", "theme"]) $(id).onclick = () => on[id]();
    for (const [name, { about }] of Object.entries(facts.presets)) {
      $("preset").append(new Option(about ? `${name} · ${about}` : name, name));
    }
    $("preset").onchange = () => on.fitness({ preset: $("preset").value, scale: facts.presets[$("preset").value].scale });
    this.sliders = {};
    for (const [key, said, title] of [
      ["F", "F", "How fast active muscle tires, 1/s"],
      ["R", "R", "How fast it recovers, 1/s"],
      ["r", "r", "How many times faster at rest"],
      ["scale", "time scale", "How many times faster than the rates say"],
    ]) {
      const row = document.createElement("label");
      row.className = "slider";
      row.title = title;
      row.innerHTML = `<span>${said}</span><input type="range" step="any" data-rate="${key}"><output></output>`;
      const [, input, output] = row.children;
      input.oninput = () => on.fitness({ ...this.fitness, [key]: Number(Number(input.value).toPrecision(3)) });
      $("sliders").append(row);
      this.sliders[key] = { input, output };
    }
    for (const tab of document.querySelectorAll("#tabs button")) {
      tab.onclick = () => {
        const open = $("sections").dataset.open === tab.dataset.tab ? null : tab.dataset.tab;
        if (open) $("sections").dataset.open = open;
        else delete $("sections").dataset.open;
        for (const other of document.querySelectorAll("#tabs button")) {
          other.setAttribute("aria-selected", other.dataset.tab === open);
        }
        on.layout();
      };
    }
  }

  /** Another character came. */
  setCharacter(about) {
    this.about = about;
    for (const chip of $("characters").children) {
      chip.setAttribute("aria-pressed", chip.dataset.name === about.name);
      if (chip.dataset.name === about.name) chip.scrollIntoView?.({ block: "nearest", inline: "nearest" });
    }
    $("who").textContent = about.description;
    const steers = ["velocity", "goal"].includes(about.asks);
    $("going").hidden = !(about.asks === "velocity");
    $("going").style.display = about.asks === "velocity" ? "" : "none";
    $("stick").classList.toggle("steers", steers);
    const keys = steers ? '<span class="keys">W A S D or arrows go' + (about.asks === "velocity" ? " · shift runs" : "") + " · </span>" : "";
    $("hint").innerHTML = `${keys}drag the body to push it`;
    const names = Object.keys(about.regions).filter((name) => SHOWN.includes(name) || !about.regions.trunk);
    this.regions = names.map((name) => {
      const row = document.createElement("div");
      row.className = "region";
      row.innerHTML = `<span>${name}</span><div class="bar"><i></i></div><span></span>`;
      row.append(button("exhaust", () => this.on.exhaust(name, EXHAUSTED), { title: `Take 90 % of its strength`, exhaust: name }));
      row.append(button("refresh", () => this.on.exhaust(name, 0), { title: "Give all strength back", refresh: name }));
      return { joints: about.regions[name], row };
    });
    const order = (name) => (SHOWN.includes(name) ? SHOWN.indexOf(name) : 9);
    this.regions.sort((a, b) => order(a.row.firstChild.textContent) - order(b.row.firstChild.textContent));
    $("regions").replaceChildren(...this.regions.map(({ row }) => row));
    $("tired").tBodies[0].innerHTML = "<tr><td></td><td><div class='bar'><i></i></div></td><td></td><td></td></tr>".repeat(
      Math.min(TIRED, about.joints.length),
    );
  }

  /** Show a fitness in the list, the sliders and the sentence. */
  setFitness(fitness) {
    this.fitness = fitness;
    const usual = this.facts.presets[fitness.preset].row;
    const [F, R, r] = rowsOf(this.facts.presets, fitness)[""];
    const scale = Math.max(usual[0] < 0.2 ? 100 : 4, fitness.scale);
    const reach = { F: [0, 4 * usual[0] || 4], R: [0, 6 * usual[1] || 0.06], r: [0, 30], scale: [scale / 400, scale] };
    $("preset").value = fitness.preset;
    for (const [key, value] of Object.entries({ F, R, r, scale: fitness.scale })) {
      const { input, output } = this.sliders[key];
      const [low, high] = reach[key];
      input.min = Math.min(low, value);
      input.max = Math.max(high, value);
      input.value = value;
      output.textContent = `${Number(value.toPrecision(3))}${key === "scale" ? "×" : ""}`;
    }
    $("meaning").textContent = meaning(this.facts.presets, fitness);
  }

  setTime(paused, speed) {
    $("pause").innerHTML = paused ? `${icon("play")} Go on` : `${icon("pause")} Pause`;
    for (const one of $("speed").children) one.setAttribute("aria-pressed", Number(one.dataset.speed) === speed);
  }

  /** Read a state out. `goes` is the speed of the last second, `rate` the seconds simulated in one of ours. */
  read(state, goes, rate, paused) {
    const left = Array.from(state.spent, (share) => 1 - share);
    const whole = mean(left);
    document.querySelector("[data-strength]").textContent = Math.round(100 * whole);
    this.fill($("whole"), whole);
    if (this.about.asks === "velocity") {
      document.querySelector("[data-asked]").textContent = `${Math.hypot(...state.command).toFixed(1)} m/s`;
      document.querySelector("[data-goes]").textContent = `${goes.toFixed(1)} m/s`;
    }
    $("clock").textContent = `${state.second.toFixed(1)} s · ${paused ? "paused" : `${rate.toFixed(2)} × real time`}`;
    for (const { joints, row } of this.regions) {
      const share = mean(joints.map((i) => left[i]));
      this.fill(row.children[1].firstChild, share);
      row.children[2].textContent = `${Math.round(100 * share)} %`;
    }
    const worst = left.map((_, i) => i).sort((a, b) => left[a] - left[b]);
    [...$("tired").tBodies[0].rows].forEach((row, k) => {
      const i = worst[k];
      row.cells[0].textContent = spoken(this.about.joints[i]);
      this.fill(row.cells[1].firstChild.firstChild, left[i]);
      row.cells[2].textContent = `${Math.round(100 * left[i])} %`;
      row.cells[3].textContent = `${Math.round(100 * state.load[i])} %`;
      row.cells[3].className = state.load[i] > left[i] + 1e-3 ? "short" : "";
    });
  }

  fill(bar, share) {
    const { tints } = this.facts;
    bar.style.transform = `scaleX(${share})`;
    bar.style.background = `rgb(${tints[Math.round((1 - share) * (tints.length - 1))]})`;
  }
}

function button(text, act, { title, ...data }) {
  const made = document.createElement("button");
  made.textContent = text;
  made.title = title;
  Object.assign(made.dataset, data);
  made.onclick = act;
  return made;
}
