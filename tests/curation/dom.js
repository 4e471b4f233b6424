// As much of a browser as review.html asks for: elements, events, a download. Votes as the arguments say and prints the sheet that is saved.
const fs = require("fs");
const [file, annotator, votes] = [process.argv[2], process.argv[3], JSON.parse(process.argv[4])];
const text = fs.readFileSync(file, "utf8");
const inputs = [], saved = [], byId = {};
class Element {
  constructor(name) { this.name = name; this.textContent = ""; this.listeners = {}; this.value = ""; if (name === "input") inputs.push(this); }
  append() {}
  replaceChildren() { inputs.length = 0; }
  addEventListener(event, listener) { this.listeners[event] = listener; }
  click() { this.listeners.click && this.listeners.click(); }
}
byId.data = new Element("script");
byId.data.textContent = text.match(/<script id="data" type="application\/json">([^]*?)<\/script>/)[1];
for (const name of ["who", "queue", "count", "save"]) byId[name] = new Element(name);
byId.who.value = annotator;
const stored = {};
globalThis.document = { getElementById: name => byId[name], createElement: name => new Element(name) };
globalThis.localStorage = { getItem: name => stored[name] ?? null, setItem: (name, value) => { stored[name] = value; } };
globalThis.Blob = class { constructor(parts) { saved.push(parts.join("")); } };
globalThis.URL = { createObjectURL: () => "blob:" };
globalThis.alert = message => console.log("alert: " + message);
(0, eval)(text.match(/<script>([^]*?)<\/script>/)[1]);
let current = null;
for (const input of [...inputs]) {
  if (input.type === "radio") {
    current = votes[input.name];
    if (current && current[0] === input.value) input.listeners.change();
  } else if (current) { input.value = current[1]; input.listeners.input(); }
}
byId.save.click();
if (saved.length) process.stdout.write(saved[0]);
