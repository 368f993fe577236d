// What the parts of the page share: requests, elements, and numbers as text.
import {bytes} from "/page/charts.js";

export const $ = id => document.getElementById(id);

let onRefused = () => {};
/** `call` is called when the server knows the session no longer. */
export function whenRefused(call) {
  onRefused = call;
}

// What is kept for the next visit: the secret that goes with the cookie, which scripts cannot read.
export const kept = {
  get secret() { return localStorage.getItem("tenfold-session") || ""; },
  set secret(value) { value ? localStorage.setItem("tenfold-session", value) : localStorage.removeItem("tenfold-session"); },
};

class Refused extends Error {
  constructor(status, error) {
    super(error.message || `the server answered with status ${status}`);
    this.status = status;
    this.error = error;
  }
}

export async function ask(method, path, body) {
  const headers = {"X-Tenfold-Session": kept.secret};
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const answer = await fetch(path, {method, headers, body: body === undefined ? undefined : JSON.stringify(body)});
  const value = await answer.json().catch(() => ({}));
  if (answer.ok) return value;
  if (answer.status === 401 && path !== "/v1/session") onRefused();
  throw new Refused(answer.status, value.error || {});
}

/** An element. Strings become text. */
export function make(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {}))
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== false) node.setAttribute(name, value === true ? "" : value);
  node.append(...children.filter(one => one !== null && one !== undefined));
  return node;
}

export function showError(id, problem) {
  $(id).hidden = !problem;
  if (!problem) return;
  const least = problem.error && problem.error.least;
  $(id).textContent = problem.message + (least ? ` At least ${bytes(least)} per rank would do.` : "");
}

export function seconds(value) {
  if (value < 1e-3) return `${Math.round(value * 1e6)} µs`;
  if (value < 1) return `${(value * 1e3).toPrecision(3)} ms`;
  if (value < 120) return `${value.toPrecision(3)} s`;
  return value < 7200 ? `${Math.round(value / 60)} min` : `${(value / 3600).toPrecision(3)} h`;
}

export function amount(value) {
  const units = ["", "k", "M", "G", "T", "P"];
  let unit = 0;
  for (; value >= 1000 && unit + 1 < units.length; ++unit) value /= 1000;
  return `${unit === 0 ? Math.round(value) : value.toPrecision(3)} ${units[unit]}FLOP`;
}
