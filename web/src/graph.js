// Speed and strength over the last seconds, drawn by hand.

const SECONDS = 30;
const LEFT = 34;
const GAP = 24;

export class Graph {
  constructor(canvas) {
    this.canvas = canvas;
    this.clear();
  }

  clear() {
    this.rows = []; // [second, asked, goes, whole, legs]
  }

  add(row) {
    if (this.rows.length && row[0] < this.rows.at(-1)[0]) this.clear();
    this.rows.push(row);
    while (this.rows[0][0] < row[0] - SECONDS) this.rows.shift();
  }

  /** `goes` says whether a speed is asked for; colours come from the page's style. */
  draw(goes, legs, top) {
    const { canvas } = this;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (!width) return;
    const ratio = Math.min(devicePixelRatio, 2);
    if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
    if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
    const pen = canvas.getContext("2d");
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(`--${name}`);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.font = "10.5px system-ui, sans-serif";
    const now = Math.max(this.rows.at(-1)?.[0] ?? 0, SECONDS);
    const each = (height - 2 * GAP) / 2;
    const x = (second) => LEFT + ((second - now + SECONDS) / SECONDS) * (width - LEFT - 6);
    const speeds = [
      [1, colour("asked"), "asked", [5, 4]],
      [2, colour("ink"), "goes", []],
    ].slice(goes ? 0 : 1);
    const strengths = [
      [3, colour("faint"), "whole body", []],
      [4, colour("accent"), legs, []],
    ];
    const highest = Math.max(top, ...this.rows.map((row) => row[2]));
    this.plot(pen, x, GAP - 4, each, [0, Math.ceil(highest)], "m/s", speeds, colour, width);
    this.plot(pen, x, each + 2 * GAP - 4, each, [0, 100], "% strength", strengths, colour, width);
  }

  plot(pen, x, y0, high, [low, most], unit, lines, colour, width) {
    const y = (value) => y0 + high - ((value - low) / (most - low)) * (high - 4);
    pen.textBaseline = "middle";
    pen.lineWidth = 1;
    const steps = most > 10 ? [0, 50, 100] : Array.from({ length: most + 1 }, (_, k) => k).filter((k) => k % Math.ceil(most / 4) === 0);
    for (const value of steps) {
      pen.strokeStyle = colour("line");
      pen.beginPath();
      pen.moveTo(LEFT, y(value));
      pen.lineTo(width - 6, y(value));
      pen.stroke();
      pen.fillStyle = colour("faint");
      pen.textAlign = "right";
      pen.fillText(value, LEFT - 6, y(value));
    }
    pen.textAlign = "left";
    pen.fillText(unit, LEFT, y0 - 9);
    let right = width - 6;
    for (const [column, tone, name, dash] of [...lines].reverse()) {
      pen.textAlign = "right";
      pen.fillStyle = tone;
      pen.fillText(name, right, y0 - 9);
      right -= pen.measureText(name).width + 12;
      pen.strokeStyle = tone;
      pen.lineWidth = 1.7;
      pen.setLineDash(dash);
      pen.beginPath();
      this.rows.forEach((row, k) => pen[k ? "lineTo" : "moveTo"](x(row[0]), y(Math.min(row[column], most))));
      pen.stroke();
      pen.setLineDash([]);
    }
  }
}
