// What is asked of a character over time while nobody steers it: lactic/play/programme.py.

const RAMP = 1.5; // seconds a change of pose takes
const EARLY = 1e-6; // seconds by which a sum of time steps may miss a start

/** The command at a second of the programme's own clock, which runs `rate` times as fast as ours. */
export function asked({ starts, commands, real }, second, rate) {
  const since = starts.map((start) => (second - start) / rate);
  if (real) return commands[Math.max(since.filter((s) => s >= -EARLY).length - 1, 0)];
  return commands[0].map((first, k) =>
    commands.slice(1).reduce((sum, row, i) => {
      const begun = Math.min(Math.max(since[i + 1] / RAMP, 0), 1);
      return sum + begun * begun * (3 - 2 * begun) * (row[k] - commands[i][k]);
    }, first),
  );
}
