// This page's keys and gamepads as one virtual gamepad, told to the studio whenever it changes.
// Directions are those of the screen: x to the right, y away from who looks. ADDRESS and PROTOCOL stand above.
const MOVES = {
  KeyW: [0, 1], KeyS: [0, -1], KeyA: [-1, 0], KeyD: [1, 0],
  ArrowUp: [0, 1], ArrowDown: [0, -1], ArrowLeft: [-1, 0], ArrowRight: [1, 0],
};
const RUN = ["ShiftLeft", "ShiftRight"], CROUCH = ["KeyC"];
const RUN_BUTTONS = [5, 7], CROUCH_BUTTONS = [1]; // of the standard layout: right shoulder and trigger; B or circle

window.lacticPad?.close();
const socket = new WebSocket(ADDRESS, PROTOCOL);
const held = new Set();
let on = false, told = "", over = false;

function wanted(event) {
  // typing stays typing, and arrows belong to the slider or tab that has the focus
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  const at = event.target instanceof Element ? event.target : document.body;
  if (at.closest("input:not([type=checkbox]), textarea, [contenteditable=true]")) return false;
  return !(event.code.startsWith("Arrow") && at.closest("[role=slider], [role=tab]"));
}

function down(event) {
  const mine = event.code in MOVES || CROUCH.includes(event.code);
  if (!on || !(mine || RUN.includes(event.code)) || !wanted(event)) return;
  held.add(event.code);
  if (!mine) return;
  event.preventDefault();
  event.stopImmediatePropagation(); // these keys would move the camera
}

function up(event) {
  held.delete(event.code);
}

function rest() {
  held.clear();
}

function reading() {
  const pad = [0, 0, 0, 0, 0, 0];
  if (document.hidden) return pad;
  for (const other of navigator.getGamepads?.() ?? []) {
    if (!other || other.connected === false) continue;
    for (let k = 0; k < 4; k++) pad[k] += (k % 2 ? -1 : 1) * (other.axes[k] ?? 0);
    pad[4] = Math.max(pad[4], ...RUN_BUTTONS.map((k) => other.buttons[k]?.value ?? 0));
    pad[5] = Math.max(pad[5], ...CROUCH_BUTTONS.map((k) => (other.buttons[k]?.pressed ? 1 : 0)));
  }
  for (const code of held) {
    pad[0] += MOVES[code]?.[0] ?? 0;
    pad[1] += MOVES[code]?.[1] ?? 0;
    if (RUN.includes(code)) pad[4] = 1;
    if (CROUCH.includes(code)) pad[5] = 1;
  }
  return pad.map((value) => Math.round(100 * value) / 100);
}

function look() {
  if (over) return;
  const now = JSON.stringify(on ? reading() : [0, 0, 0, 0, 0, 0]);
  if (now !== told && socket.readyState === WebSocket.OPEN) {
    socket.send(now);
    told = now;
  }
  requestAnimationFrame(look);
}

socket.onmessage = (event) => { on = event.data === "on"; };
document.addEventListener("visibilitychange", hide);
function hide() { // frames are no longer drawn once the page is hidden
  rest();
  if (document.hidden && socket.readyState === WebSocket.OPEN) socket.send((told = "[0,0,0,0,0,0]"));
}
window.addEventListener("keydown", down, true);
window.addEventListener("keyup", up, true);
window.addEventListener("blur", rest);
window.lacticPad = {
  close() {
    over = true;
    socket.close();
    document.removeEventListener("visibilitychange", hide);
    window.removeEventListener("keydown", down, true);
    window.removeEventListener("keyup", up, true);
    window.removeEventListener("blur", rest);
  },
};
requestAnimationFrame(look);
