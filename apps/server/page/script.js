// The page of tenfold-server. It asks what any client may ask (docs/server.md), and shows what the
// events tell.
import {bytes, history, meters, spread} from "/page/charts.js";
import {$, amount, ask, kept, make, seconds, showError, whenRefused} from "/page/common.js";

const SHOWN = 25; // jobs, until somebody asks for more
const PAGE = 100; // tensors and jobs that are asked for at a time
const KEPT_JOBS = 1000; // that have ended, as the server keeps of a user
const KEPT = 450; // samples of memory

const state = {user: "", limit: 1, samples: [], tensors: [], pages: 1, jobs: new Map(), shown: SHOWN, older: null, stream: null};

/** Does it soon, once for all calls until then: many events come at once. */
function soon(what, wait = 0) {
  let waits = false;
  return () => {
    if (waits) return;
    waits = true;
    setTimeout(() => requestAnimationFrame(() => {
      waits = false;
      what();
    }), wait);
  };
}
const drawJobsSoon = soon(() => drawJobs());
const readTensorsSoon = soon(() => readTensors().catch(() => {}), 250);

// Log in, log out.

whenRefused(showLogin);

function showLogin() {
  if (state.stream) state.stream.abort();
  state.stream = null;
  $("board").hidden = $("log-out").hidden = $("live").hidden = true;
  $("facts").textContent = "";
  $("login").hidden = false;
  $("token").focus();
}

$("login-form").addEventListener("submit", async event => {
  event.preventDefault();
  try {
    const opened = await ask("POST", "/v1/session", {token: $("token").value.trim()});
    kept.secret = opened.secret;
    $("token").value = "";
    showError("login-error", null);
    await begin();
  } catch (problem) {
    showError("login-error", problem);
    $("token").select();
  }
});

$("log-out").addEventListener("click", async () => {
  await ask("DELETE", "/v1/session").catch(() => {});
  kept.secret = "";
  state.jobs.clear();
  state.older = null;
  state.pages = 1;
  state.shown = SHOWN;
  $("jobs").replaceChildren();
  $("explanation").hidden = true;
  showLogin();
});

async function begin() {
  if (!kept.secret) return showLogin();
  try {
    await refresh();
  } catch (problem) {
    if (problem.status !== 401) setTimeout(begin, 3000);
    return;
  }
  $("login").hidden = true;
  $("board").hidden = $("log-out").hidden = false;
  drawMemory();
  if (!state.stream) follow();
}

async function refresh() {
  const [about, memory, jobs] = await Promise.all(
    [ask("GET", "/v1"), ask("GET", "/v1/memory"), ask("GET", `/v1/jobs?order=newest&limit=${PAGE}`), readTensors()]);
  state.user = about.user;
  state.limit = memory.limit_per_rank;
  state.samples = memory.samples;
  const threads = about.ranks * about.threads_per_rank;
  $("facts").textContent = `${about.user} · ${about.ranks} rank${about.ranks === 1 ? "" : "s"}, ${threads} thread${threads === 1 ? "" : "s"} · version ${about.version}`;
  for (const one of jobs.jobs) takeJob(one);
  if (state.jobs.size === jobs.jobs.length) state.older = jobs.next || null;
  const told = new Set(jobs.jobs.map(one => one.id));
  for (const {job} of state.jobs.values())
    if (!isOver(job) && !told.has(job.id)) lookAgain(job.id);
  drawJobs();
  drawMemory();
}

/** A job may have ended, and many behind it, while there was no connection. */
async function lookAgain(id) {
  try {
    takeJob((await ask("GET", `/v1/jobs/${id}`)).job);
  } catch (problem) {
    if (problem.status !== 404 && problem.status !== 410) return;
    state.jobs.get(id)?.node?.remove();
    state.jobs.delete(id);
  }
  drawJobsSoon();
}

// Events. EventSource cannot send the session's header; fetch can.

async function follow() {
  const stream = state.stream = new AbortController();
  while (state.stream === stream) {
    try {
      const answer = await fetch("/v1/events", {headers: {"X-Tenfold-Session": kept.secret}, signal: stream.signal});
      if (answer.status === 401) return showLogin();
      if (!answer.ok) throw new Error(answer.statusText);
      await refresh(); // what happened before the stream began
      showLive(true);
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let text = "";;) {
        const {value, done} = await reader.read();
        if (done) break;
        const parts = (text + value).split("\n\n");
        text = parts.pop();
        parts.forEach(takeEvent);
      }
    } catch (problem) {
      if (stream.signal.aborted) return;
    }
    showLive(false);
    await new Promise(resolve => setTimeout(resolve, 2000));
  }
}

// Browsers have few connections to a server at a time: what nobody sees needs none.
document.addEventListener("visibilitychange", () => {
  if ($("board").hidden) return;
  if (document.hidden) {
    state.stream?.abort();
    state.stream = null;
  } else if (!state.stream) {
    follow();
  }
});

function showLive(isThere) {
  $("live").hidden = false;
  $("live").classList.toggle("lost", !isThere);
  $("live").textContent = isThere ? "Live" : "No connection; trying again";
}

function takeEvent(text) {
  const event = /^event: (.*)$/m.exec(text), data = /^data: (.*)$/m.exec(text);
  if (!event || !data) return;
  const value = JSON.parse(data[1]);
  if (event[1] === "job") {
    takeJob(value);
    drawJobsSoon();
  } else if (event[1] === "tensors") {
    readTensorsSoon();
  } else if (event[1] === "memory") {
    state.samples.push(value);
    if (state.samples.length > KEPT) state.samples.shift();
    drawMemory();
  }
}

// Memory.

function drawMemory() {
  if (state.samples.length === 0 || $("board").hidden) return;
  const now = state.samples[state.samples.length - 1];
  const used = now.resident_per_rank.map((size, rank) => size + (rank === 0 ? now.bodies : 0));
  const most = Math.max(...used);
  const width = Math.max(200, $("history").clientWidth);
  $("meters").replaceChildren(meters(state.limit, now, width));
  $("history").replaceChildren(history(state.limit, state.samples, width));
  $("tile-memory").replaceChildren(bytes(most), " ", make("small", {}, `of ${bytes(state.limit)}`));
  $("memory-note").textContent = `Rank ${used.indexOf(most)} holds most, ${(100 * most / state.limit).toPrecision(2)} % of its ${bytes(state.limit)}. ` +
    "Tensors of all users count.";
}
new ResizeObserver(drawMemory).observe($("history"));

// Tensors.

async function readTensors() {
  const found = [];
  let page;
  for (let i = 0; i < state.pages && (!page || page.next); ++i) {
    page = await ask("GET", `/v1/tensors?limit=${PAGE}${page ? `&after=${encodeURIComponent(page.next)}` : ""}`);
    found.push(...page.tensors);
  }
  state.tensors = found;
  const rows = state.tensors.map(one => {
    const size = one.bytes_per_rank.length > 1 ? `grid ${one.grid.join(" × ")}` : "";
    return make("tr", {},
      make("td", {}, make("button", {type: "button", class: "name code", title: "Add to the inputs", onclick: () => addInput(one.name)}, one.name)),
      make("td", {title: size}, one.extents.join(" × ") || "scalar"),
      make("td", {}, one.type),
      make("td", {}, bytes(one.bytes)),
      make("td", {}, owner(one)),
      make("td", {title: size}, spread(one.bytes_per_rank)),
      make("td", {}, one.access === "own" ? deleteButton(one) : null));
  });
  const had = document.activeElement && document.activeElement.closest("#tensors") ? document.activeElement.textContent : null;
  $("tensors").tBodies[0].replaceChildren(...rows);
  if (had) [...$("tensors").querySelectorAll("button")].find(one => one.textContent === had)?.focus();
  $("tensors").hidden = rows.length === 0;
  $("tensors-empty").hidden = rows.length > 0;
  $("more-tensors").hidden = !page.next;
  $("tile-tensors").replaceChildren(String(page.count), " ", make("small", {}, bytes(page.bytes)));
}
$("more-tensors").addEventListener("click", () => {
  ++state.pages;
  readTensors().catch(() => {});
});

/** Whose it is, and who else may use it. */
function owner(tensor) {
  if (tensor.access !== "own") return `${tensor.owner}, who lets you ${tensor.access}`;
  const others = Object.entries(tensor.shares).map(([user, access]) => `${user} (${access})`);
  const more = others.splice(3).length;
  if (others.length === 0) return tensor.owner;
  return `${tensor.owner}, shared with ${others.join(", ")}${more ? ` and ${more} more` : ""}`;
}

function addInput(name) {
  const there = $("inputs").value.trim();
  $("inputs").value = there ? `${there.replace(/,\s*$/, "")}, ${name}` : name;
  $("inputs").focus();
}

/** Asks once more before it deletes. */
function deleteButton(tensor) {
  const button = make("button", {type: "button", class: "quiet small", "aria-label": `Delete ${tensor.name}`}, "Delete");
  const calm = () => {
    button.classList.remove("danger");
    button.textContent = "Delete";
  };
  button.addEventListener("blur", calm);
  button.addEventListener("click", async () => {
    if (!button.classList.contains("danger")) {
      button.classList.add("danger");
      button.textContent = "Really?";
      return;
    }
    await ask("DELETE", `/v1/tensors/${encodeURIComponent(tensor.name)}?generation=${tensor.generation}`).catch(() => {});
    readTensors().catch(() => {});
  });
  return button;
}

$("make").addEventListener("submit", async event => {
  event.preventDefault();
  const fill = $("make-fill").value, seed = Math.floor(Math.random() * 1e9);
  try {
    const extents = ($("make-shape").value.match(/\d+/g) || []).map(Number);
    await ask("POST", "/v1/tensors?wait=0", {name: $("make-name").value, type: $("make-type").value, extents,
      fill: isNaN(fill) ? {[fill]: {seed}} : {value: Number(fill)}});
    $("make-name").value = "";
    $("make-name").focus();
    showError("make-error", null);
  } catch (problem) {
    showError("make-error", problem);
  }
});

// Jobs.

const number = id => Number(id.slice(1));
const rank = job => ["running", "queued"].indexOf(job.state) + 1 || 3; // as the list has them
const isOver = job => !["queued", "running"].includes(job.state);

function takeJob(job) {
  const known = state.jobs.get(job.id);
  if (known && isOver(known.job) && !isOver(job)) return; // an answer that came late
  if (known) known.job = job;
  else state.jobs.set(job.id, {job, node: null, taken: 0});
  const entry = state.jobs.get(job.id);
  entry.taken = Date.now();
  entry.drawn = false;
  if (state.jobs.size > 2 * KEPT_JOBS) forgetJobs();
}

/** The oldest that have ended. */
function forgetJobs() {
  const ended = [...state.jobs.values()].filter(one => isOver(one.job)).sort((a, b) => number(b.job.id) - number(a.job.id));
  for (const {job, node} of ended.slice(KEPT_JOBS)) {
    node?.remove();
    state.jobs.delete(job.id);
  }
}

function title(job) {
  const inputs = (job.inputs || []).join(", ");
  if (job.expression) return `${job.output ? `${job.output}: ` : ""}${job.expression}${inputs ? `  (${inputs})` : ""}`;
  if (job.outputs) return `program: ${job.outputs.join(", ") || "numbers"}${inputs ? `  (${inputs})` : ""}`;
  return [job.kind, job.output, inputs && `${job.output ? "from " : ""}${inputs}`].filter(Boolean).join(" ");
}

function times(job) {
  const parts = [];
  if (job.state === "queued") parts.push(`waits, about ${seconds(job.predicted_seconds)} to run`);
  else if (job.state === "running") parts.push(`runs for ${seconds(job.seconds_running)}, predicted ${seconds(job.predicted_seconds)}`);
  else parts.push(`ran ${seconds(job.seconds_running)}`, `predicted ${seconds(job.predicted_seconds)}`);
  if (isOver(job) && job.seconds_queued > 0.01) parts.push(`waited ${seconds(job.seconds_queued)}`);
  if (job.submitted) parts.push(new Date(job.submitted * 1000).toLocaleTimeString());
  return parts.join(" · ");
}

function drawJobs() {
  const entries = [...state.jobs.values()].sort((a, b) => rank(a.job) - rank(b.job) ||
    (isOver(a.job) ? number(b.job.id) - number(a.job.id) : number(a.job.id) - number(b.job.id)));
  const shown = entries.slice(0, state.shown);
  shown.forEach(drawJob);
  const list = $("jobs");
  shown.forEach((entry, place) => {
    if (list.children[place] !== entry.node) list.insertBefore(entry.node, list.children[place] || null);
  });
  while (list.children.length > shown.length) list.lastChild.remove();
  $("jobs-empty").hidden = entries.length > 0;
  $("more-jobs").hidden = entries.length <= state.shown && !state.older;
  const count = what => entries.filter(one => one.job.state === what).length;
  $("tile-running").textContent = count("running");
  $("tile-waiting").textContent = count("queued");
}
$("more-jobs").addEventListener("click", async () => {
  state.shown += PAGE;
  if (state.older && state.jobs.size < state.shown) {
    const page = await ask("GET", `/v1/jobs?order=newest&limit=${PAGE}&after=${state.older}`).catch(() => null);
    if (page) state.older = page.next || null;
    for (const one of page?.jobs || []) takeJob(one);
  }
  drawJobs();
});

function drawJob(entry) {
  if (entry.drawn) return;
  entry.drawn = true;
  const job = entry.job;
  if (!entry.node) {
    const details = make("details", {}, make("summary", {}, make("span", {class: "chip"}),
      make("span", {class: "title code"}), make("span", {class: "times"})), make("div", {}));
    details.addEventListener("toggle", () => details.open && showDetails(entry));
    entry.node = make("li", {}, details);
  }
  const node = entry.node;
  node.className = `job ${job.state}`;
  node.querySelector(".chip").textContent = job.state;
  node.querySelector(".title").textContent = title(job);
  node.querySelector(".times").textContent = times(job);
  let part = node.querySelector(".running-part");
  if (isOver(job)) {
    part?.remove();
  } else {
    if (!part) {
      part = make("div", {class: "running-part"}, make("progress", {max: 1, "aria-label": `Progress of job ${job.id}`}),
        make("button", {type: "button", class: "small", "aria-label": `Cancel job ${job.id}`,
          onclick: () => ask("DELETE", `/v1/jobs/${job.id}`).catch(() => {})}, "Cancel"));
      node.append(part);
    }
    part.firstChild.hidden = job.state === "queued";
    part.firstChild.value = job.progress;
  }
  if (node.querySelector("details").open) showDetails(entry);
}

async function showDetails(entry) {
  let job = entry.job;
  try {
    job = (await ask("GET", `/v1/jobs/${job.id}`)).job;
  } catch (problem) {
    // what is known will do
  }
  const result = job.result || {}, facts = [];
  const add = (name, value) => value !== undefined && facts.push(make("div", {}, make("dt", {}, name), make("dd", {}, value)));
  add("Job", job.id);
  if (result.tensor) add("Result", `${result.tensor.name}, ${result.tensor.extents.join(" × ") || "scalar"}`);
  for (const [name, value] of Object.entries(result.scalars || {})) add(name, String(value));
  if (result.converged === false) add("Converged", "no");
  if (result.value !== undefined) add("Value", [].concat(result.value).join(" + i "));
  if (result.flops) add("Speed", `${amount(result.flops / result.seconds)}/s`);
  if (result.bytes_received !== undefined) add("Received per rank", bytes(result.bytes_received));
  if (result.peak_bytes_per_rank !== undefined) add("Peak per rank", bytes(result.peak_bytes_per_rank));
  entry.node.querySelector("details > div").replaceChildren(
    ...(job.error ? [make("p", {class: "error"}, job.error.message)] : []),
    make("dl", {class: "numbers"}, ...facts), ...[result.profile || job.plan].filter(Boolean).map(plan));
}

function plan(text) {
  return make("pre", {tabindex: 0, "aria-label": "Plan"}, text.trimEnd());
}

setInterval(() => {
  for (const entry of state.jobs.values())
    if (entry.job.state === "running" && entry.node) {
      const since = (Date.now() - entry.taken) / 1000;
      entry.node.querySelector(".times").textContent = times({...entry.job, seconds_running: entry.job.seconds_running + since});
    }
}, 1000);

// Explain and run.

async function compute(event, paths, request) {
  event.preventDefault();
  const runs = !event.submitter || event.submitter.value === "run";
  try {
    if (runs) takeJob((await ask("POST", `${paths.run}?wait=0`, request)).job);
    else showExplanation(await ask("POST", paths.explain, request));
    showError("compute-error", null);
    drawJobs();
  } catch (problem) {
    showError("compute-error", problem);
  }
}

$("compute").addEventListener("submit", event => compute(event, {run: "/v1/contract", explain: "/v1/explain"}, {
  expression: $("expression").value.trim(),
  inputs: $("inputs").value.split(/[\s,]+/).filter(Boolean),
  output: $("output").value.trim() || "C",
}));

/** "A = fock, s = 2.5" as an object, with numbers as such. */
function pairs(text) {
  const read = one => one.split("=").map(part => part.trim());
  return Object.fromEntries(text.split(",").filter(one => one.trim()).map(read)
    .map(([name, value]) => [name, value && !isNaN(value) ? Number(value) : value || ""]));
}

$("program").addEventListener("submit", event => compute(event, {run: "/v1/programs", explain: "/v1/programs/explain"}, {
  program: $("equations").value,
  inputs: pairs($("bindings").value),
  sizes: pairs($("sizes").value),
}));

/** Of an expression, or of a program, which has lines. */
function showExplanation(told) {
  const facts = [];
  const add = (name, value) => facts.push(make("div", {}, make("dt", {}, name), make("dd", {}, value)));
  for (const one of told.outputs || [told.output])
    add(told.outputs ? one.name : "Result", `${one.extents.join(" × ") || "scalar"}, ${bytes(one.bytes)}`);
  if (told.flops !== undefined) add("Operations", amount(told.flops));
  add("Predicted time", seconds(told.seconds));
  add("Received per rank", bytes(told.bytes_received_per_rank + (told.redistribution_bytes_per_rank || 0)));
  add("Peak per rank", `${bytes(told.peak_bytes_per_rank)} of ${bytes(told.available_bytes_per_rank)}`);
  $("explanation").replaceChildren(make("dl", {class: "numbers"}, ...facts), plan(told.text));
  $("explanation").hidden = false;
}

begin();
