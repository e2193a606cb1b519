// A link that restores character, fitness and strength; all of it stands behind the #, which browsers never send.

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const LEVELS = DIGITS.length ** 2 - 1;
const NUMBERS = { scale: 1000, F: 100, R: 100, r: 1000 };

/** Shares from 0 to 1, two digits each. */
const packed = (shares) =>
  [...shares].map((share) => {
    const level = Math.round(LEVELS * Math.min(Math.max(share, 0), 1));
    return DIGITS[Math.floor(level / DIGITS.length)] + DIGITS[level % DIGITS.length];
  }).join("");

const unpackedShares = (text) =>
  (text.match(/../g) ?? []).map(([a, b]) => (DIGITS.indexOf(a) * DIGITS.length + DIGITS.indexOf(b)) / LEVELS);

/** What stands behind the # for a character of that fitness with those shares of strength lost. */
export function linkOf(name, fitness, spent) {
  const words = new URLSearchParams({ character: name, fitness: fitness.preset, scale: fitness.scale });
  for (const key of ["F", "R", "r"]) if (fitness[key] !== undefined) words.set(key, fitness[key]);
  words.set("spent", packed(spent));
  return words.toString();
}

/** What such a link asks for: { name, fitness, spent }; null without one, an error where it cannot be read. */
export function readLink(hash, facts) {
  const words = new URLSearchParams(hash.replace(/^#/, ""));
  if (!words.has("character")) return null;
  const about = facts.characters.find((c) => c.name === words.get("character"));
  if (!about) throw new Error(`there is no character "${words.get("character")}"`);
  const fitness = { ...about.fitness };
  if (words.has("fitness")) {
    fitness.preset = words.get("fitness");
    if (!(fitness.preset in facts.presets)) throw new Error(`there is no fitness "${fitness.preset}"`);
    fitness.scale = facts.presets[fitness.preset].scale;
  }
  for (const [key, most] of Object.entries(NUMBERS)) {
    if (!words.has(key)) continue;
    const value = Number(words.get(key));
    if (!(value >= 0 && value <= most) || (key === "scale" && !value)) throw new Error(`${key} is out of range`);
    fitness[key] = value;
  }
  let spent = null;
  if (words.has("spent")) {
    spent = unpackedShares(words.get("spent"));
    if (spent.length !== about.joints.length || !spent.every((s) => s >= 0 && s <= 1)) throw new Error("strength is damaged");
  }
  return { name: about.name, fitness, spent };
}
