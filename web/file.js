// Modules and engines cannot be loaded from file: addresses; say so instead of showing nothing.
if (location.protocol === "file:") {
  document.getElementById("stage-note").textContent =
    "Open this page from a web server, for example: python3 -m http.server -d web/dist";
}
