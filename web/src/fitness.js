// How quickly a body tires: lactic/fatigue. A fitness is { preset, scale, F, R, r }, the last three where changed.

const ORDER = ["F", "R", "r"];

/** Rows of F, R, r, L and rule by group of joints, without the time scale; "" is the row of all others. */
export function rowsOf(presets, fitness) {
  const { row, rows } = presets[fitness.preset];
  const changed = (from) => from.map((value, i) => fitness[ORDER[i]] ?? value);
  return { "": changed(row), ...Object.fromEntries(Object.entries(rows).map(([key, from]) => [key, changed(from)])) };
}

/** The law's rates, five a joint, with the time scale multiplied in: the input `fitness`. */
export function ratesOf(presets, fitness, groups) {
  const rows = rowsOf(presets, fitness);
  const s = fitness.scale;
  return groups.flatMap((group) => {
    const [F, R, r, L, rule] = rows[group] ?? rows[""];
    return [F * s, R * s, r, L * s, rule];
  });
}

/** Seconds for which a load is held, from rest: lactic/fatigue/endurance.py. */
export function enduranceTime(F, R, load, L) {
  const tiring = (F * load) / (1 + F / L);
  const filled = (1 - load) / tiring;
  const delay = 1 / (L + F);
  const over = (x) => (R < 1e-12 ? x : -Math.log1p(-Math.min(R * x, 1)) / R);
  return tiring > 0 && Number.isFinite(over(filled)) ? over(filled) + over(delay) : Infinity;
}

/** A time as people say it. */
export function duration(seconds) {
  if (!Number.isFinite(seconds)) return "for ever";
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 119.5) return `${seconds.toFixed(0)} s`;
  if (seconds < 3570) {
    const rounded = Math.round(seconds / 5) * 5;
    return `${Math.floor(rounded / 60)} min${rounded % 60 ? ` ${rounded % 60} s` : ""}`;
  }
  return `${(seconds / 3600).toFixed(seconds < 35000 ? 1 : 0)} h`;
}

function range(values, say) {
  const [low, high] = [say(Math.min(...values)), say(Math.max(...values))];
  if (low === high) return high;
  const [, ...unit] = low.split(" ");
  return `${unit.join() === high.split(" ").slice(1).join() ? low.split(" ")[0] : low} to ${high}`;
}

/** What a fitness amounts to, in a sentence or two. */
export function meaning(presets, fitness) {
  const all = rowsOf(presets, fitness);
  const rows = Object.keys(all).length > 1 ? Object.entries(all).filter(([key]) => key).map(([, row]) => row) : [all[""]];
  const s = fitness.scale;
  if (!rows.some(([F]) => F > 0)) return "Never tires.";
  const held = rows.map(([F, R, , L]) => enduranceTime(F * s, R * s, 0.5, L * s));
  const ever = rows.map(([F, R]) => (F > 0 ? R / (F + R) : 1));
  const share = range(ever, (x) => `${Math.round(100 * x)} %`);
  const [first] = Number.isFinite(Math.min(...held)) ? [`for ${range(held, duration)}`] : ["for ever"];
  const back = rows.map(([, R, r]) => Math.LN2 / (R * r * s)).filter(Number.isFinite);
  const rest = back.length
    ? `At rest, half of what was lost is back in ${range(back, duration)}.`
    : "What is lost never comes back.";
  return `Holds half its strength ${first}, and ${share === "0 %" ? "nothing" : share} for ever. ${rest}`;
}
