// Keys, gamepads, the stick on a touch screen, and pointers on the stage.

const KEYS = {
  KeyW: [1, 0], ArrowUp: [1, 0], KeyS: [-1, 0], ArrowDown: [-1, 0],
  KeyA: [0, 1], ArrowLeft: [0, 1], KeyD: [0, -1], ArrowRight: [0, -1],
};
const DEAD = 0.15; // of a gamepad's stick
const WALKS = 0.6; // how far the stick on the screen is pushed for the speed of a walk
const LIMITS = { rise: [-0.02, 1.35], away: [1.8, 16] };
const within = (value, [low, high]) => Math.min(Math.max(value, low), high);

export class Hands {
  /** `speeds` are those of characters.json; `act` has what keys do, `hold` and `release` what a pointer does. */
  constructor(stage, canvas, stick, speeds, act) {
    Object.assign(this, { stage, canvas, stick, speeds, act });
    this.down = new Set();
    this.pushed = [0, 0]; // the stick on the screen: ahead, left
    this.pointers = new Map();
    this.held = null;
    this.listen();
  }

  listen() {
    const typing = (event) => event.target.closest?.("select, input[type=text]");
    addEventListener("keydown", (event) => {
      if (typing(event) || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.target.closest?.("input[type=range]") && event.code.startsWith("Arrow")) return;
      if (event.code === "Space" && event.target.closest?.("button")) return;
      if (KEYS[event.code] || event.key === "Shift") this.down.add(event.key === "Shift" ? "Shift" : event.code);
      else if (!event.repeat) this.act[event.code]?.();
      if (KEYS[event.code] || event.code === "Space") event.preventDefault();
    });
    addEventListener("keyup", (event) => this.down.delete(event.key === "Shift" ? "Shift" : event.code));
    addEventListener("blur", () => this.down.clear());
    const { canvas, stick } = this;
    canvas.addEventListener("pointerdown", (event) => this.press(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, (event) => this.lift(event));
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.nearer(Math.exp(0.0012 * within(event.deltaY, [-240, 240])));
    }, { passive: false });
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    const steer = (event) => {
      const box = stick.getBoundingClientRect();
      let [x, y] = [event.clientX - box.x - box.width / 2, event.clientY - box.y - box.height / 2];
      const reach = box.width / 2 - 20;
      const far = Math.max(1, Math.hypot(x, y) / reach);
      [x, y] = [x / far, y / far];
      stick.firstElementChild.style.transform = `translate(${x}px, ${y}px)`;
      this.pushed = [-y / reach, -x / reach];
    };
    stick.addEventListener("pointerdown", (event) => {
      stick.setPointerCapture(event.pointerId);
      steer(event);
    });
    stick.addEventListener("pointermove", (event) => stick.hasPointerCapture(event.pointerId) && steer(event));
    for (const end of ["pointerup", "pointercancel"]) {
      stick.addEventListener(end, () => {
        this.pushed = [0, 0];
        stick.firstElementChild.style.transform = "";
      });
    }
  }

  nearer(times) {
    const { view } = this.stage;
    view.away = within(view.away * times, LIMITS.away);
  }

  look(dx, dy) {
    const { view } = this.stage;
    view.turn -= 0.006 * dx;
    view.rise = within(view.rise + 0.005 * dy, LIMITS.rise);
  }

  press(event) {
    this.canvas.setPointerCapture(event.pointerId);
    document.activeElement?.blur?.();
    const { clientX: x, clientY: y } = event;
    const first = this.pointers.size === 0;
    this.pointers.set(event.pointerId, { x, y });
    if (first && event.button === 0) {
      this.held = this.stage.pick(x, y);
      if (this.held) Object.assign(this.held, { id: event.pointerId, x, y });
    } else this.letGo();
    this.canvas.classList.add("held");
  }

  move(event) {
    const { clientX: x, clientY: y } = event;
    const pointer = this.pointers.get(event.pointerId);
    if (!pointer) {
      if (event.pointerType === "mouse") this.canvas.classList.toggle("over", Boolean(this.stage.pick(x, y)));
      return;
    }
    if (this.held?.id === event.pointerId) Object.assign(this.held, { x, y });
    else if (this.pointers.size === 1) this.look(x - pointer.x, y - pointer.y);
    else if (this.pointers.size === 2) {
      const before = this.spread();
      Object.assign(pointer, { x, y });
      if (before) this.nearer(before / this.spread());
    }
    Object.assign(pointer, { x, y });
  }

  lift(event) {
    this.pointers.delete(event.pointerId);
    if (this.held?.id === event.pointerId) this.letGo();
    if (!this.pointers.size) this.canvas.classList.remove("held");
  }

  letGo() {
    if (this.held) this.act.hold(null);
    this.held = null;
    this.stage.hand = null;
  }

  spread() {
    const [a, b] = [...this.pointers.values()];
    return Math.hypot(a.x - b.x, a.y - b.y);
  }

  /** Once a frame: pull what is held; the velocity over the floor that is asked for, null where nobody does. */
  velocity(seconds) {
    if (this.held) {
      const target = this.stage.reach(this.held, this.held.x, this.held.y);
      if (target) this.act.hold({ body: this.held.body, point: this.held.point, target });
    }
    const { walk, run } = this.speeds;
    let [ahead, left] = [0, 0];
    for (const key of this.down) if (KEYS[key]) [ahead, left] = [ahead + KEYS[key][0], left + KEYS[key][1]];
    const size = Math.hypot(ahead, left);
    let speed = 0;
    if (size) speed = this.down.has("Shift") ? run : walk;
    const pushed = Math.hypot(...this.pushed);
    if (!speed && pushed > 0.1) {
      [ahead, left] = this.pushed;
      speed = pushed < WALKS ? (walk * pushed) / WALKS : walk + ((run - walk) * (pushed - WALKS)) / (1 - WALKS);
    }
    const pad = navigator.getGamepads?.().find((p) => p?.mapping === "standard" || p?.axes.length >= 2);
    if (pad) {
      const [x, y, lookX = 0, lookY = 0] = pad.axes;
      const stick = Math.hypot(x, y);
      if (!speed && stick > DEAD) {
        [ahead, left] = [-y, -x];
        speed = Math.min(stick, 1) * (walk + (run - walk) * (pad.buttons[7]?.value ?? 0));
      }
      if (Math.hypot(lookX, lookY) > DEAD) this.look(400 * seconds * lookX, 300 * seconds * lookY);
    }
    if (!speed) return [0, 0];
    const way = this.stage.view.turn + Math.PI + Math.atan2(left, ahead);
    return [speed * Math.cos(way), speed * Math.sin(way)];
  }
}
