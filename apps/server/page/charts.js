// Pictures of memory, as SVG. All text is set as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";
const LINES = 8; // with more ranks, a band from the least to the most and one line

export function svg(tag, attributes, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes || {})) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

export function bytes(count) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let unit = 0;
  let value = Number(count);
  for (; value >= 1024 && unit + 1 < units.length; ++unit) value /= 1024;
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toPrecision(3)} ${units[unit]}`;
}

function picture(width, height, label) {
  return svg("svg", {viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label});
}

/** How a tensor lies on the ranks: a column for each. */
export function spread(perRank) {
  const most = Math.max(1, ...perRank);
  const width = Math.max(96, perRank.length * 2);
  const step = width / perRank.length;
  const label = `bytes by rank: ${perRank.slice(0, 16).map(bytes).join(", ")}${perRank.length > 16 ? ", .." : ""}`;
  const image = picture(width, 24, label);
  image.setAttribute("class", "spread");
  image.setAttribute("preserveAspectRatio", "none");
  image.append(svg("title", {}, label));
  perRank.forEach((size, rank) => {
    const gap = step > 6 ? 2 : 0;
    const height = 22 * size / most;
    image.append(svg("rect", {x: rank * step, y: 1, width: step - gap, height: 22, class: "well"}),
      svg("rect", {x: rank * step, y: 23 - height, width: step - gap, height, class: `f${rank % LINES}`}));
  });
  return image;
}

/** A column for each rank, as high as its limit. `width` is in pixels. */
export function meters(limit, sample, width) {
  const ranks = sample.resident_per_rank.length;
  const step = Math.min(160, width / ranks);
  const gap = step > 8 ? Math.min(10, step / 5) : 0;
  const labelled = step >= 18;
  const high = 86;
  const image = picture(width, 115, `Memory of ${ranks} rank${ranks === 1 ? "" : "s"}, of ${bytes(limit)} each`);
  for (let rank = 0; rank < ranks; ++rank) {
    const tensors = sample.resident_per_rank[rank] + (rank === 0 ? sample.bodies : 0);
    const job = sample.job_per_rank[rank] || 0;
    const x = rank * step;
    const tall = high * Math.min(1, tensors / limit);
    const more = Math.min(high - tall, high * job / limit);
    const group = svg("g", {}, svg("title", {}, `rank ${rank}: ${bytes(tensors)} of tensors` +
      (job > 0 ? `, ${bytes(job)} planned for the job` : "") + ` of ${bytes(limit)}`));
    group.append(svg("rect", {x, y: 2, width: step - gap, height: high, rx: gap > 2 ? 5 : 0, class: "well"}),
      svg("rect", {x, y: 2 + high - tall, width: step - gap, height: tall, rx: Math.min(gap > 2 ? 4 : 0, tall / 2), class: "bar-tensors"}),
      svg("rect", {x, y: 2 + high - tall - more, width: step - gap, height: more, class: "bar-job"}));
    if (labelled)
      group.append(svg("text", {x: x + (step - gap) / 2, y: 104, "text-anchor": "middle", class: "axis"}, String(rank)));
    image.append(group);
  }
  return image;
}

/** Memory of tensors and job over time; a line for each rank, or a band for many. */
export function history(limit, samples, width) {
  const high = 132, left = 4, right = 62, below = 20;
  const image = picture(width, high + below + 8, `Memory per rank over time, of ${bytes(limit)} each`);
  const now = samples[samples.length - 1].time;
  const begin = Math.min(samples[0].time, now - 60);
  const used = one => one.resident_per_rank.map((size, rank) =>
    size + (one.job_per_rank[rank] || 0) + (rank === 0 ? one.bodies : 0));
  const all = samples.map(used);
  const most = Math.max(...all.map(one => Math.max(...one)), 1);
  const top = Math.min(limit, roundUp(most * 1.1));
  const x = time => left + (width - left - right) * (time - begin) / (now - begin);
  const y = size => 6 + high * (1 - Math.min(1, size / top));
  for (const share of [0, 0.5, 1]) {
    const level = top * share;
    image.append(svg("line", {x1: left, x2: width - right, y1: y(level), y2: y(level),
      class: share === 1 && top === limit ? "limit" : "grid-line"}),
    svg("text", {x: width - right + 6, y: y(level) + 4, class: "axis"}, bytes(level)));
  }
  const minutes = (now - begin) / 60;
  const step = minutes > 6 ? 5 : minutes > 2 ? 1 : 0.5;
  for (let back = 0; back <= minutes; back += step) {
    const text = back === 0 ? "now" : back < 1 ? `${back * 60} s` : `${back} min`;
    image.append(svg("text", {x: x(now - 60 * back), y: high + below + 4, class: "axis",
      "text-anchor": back === 0 ? "end" : back + step > minutes ? "start" : "middle"}, text));
  }
  const path = values => values.map((size, at) =>
    `${at === 0 ? "M" : "L"}${x(samples[at].time).toFixed(1)} ${y(size).toFixed(1)}`).join("");
  const ranks = all[0].length;
  if (ranks > LINES) {
    const high_ = all.map(one => Math.max(...one)), low = all.map(one => Math.min(...one));
    const back = low.map((size, at) => `L${x(samples[at].time).toFixed(1)} ${y(size).toFixed(1)}`).reverse().join("");
    image.append(svg("path", {d: `${path(high_)}${back}Z`, class: "band"}), svg("path", {d: path(high_), class: "line c0"}));
  } else {
    for (let rank = ranks - 1; rank >= 0; --rank)
      image.append(svg("path", {d: path(all.map(one => one[rank])), class: `line c${rank}`},
        svg("title", {}, `rank ${rank}`)));
  }
  return image;
}

/** The next number of the form 1, 2, 4, 8, .. times a power of 1024. */
function roundUp(size) {
  let level = 1;
  while (level < size) level *= 2;
  return level;
}
