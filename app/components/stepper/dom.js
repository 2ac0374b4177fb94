/**
 * Making and changing elements. Text only ever enters the page as a text node or an attribute.
 */

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) setAttr(node, name, value);
  node.append(...children);
  return node;
}

export const el = (tag, attributes = {}, ...children) =>
  fill(document.createElement(tag), attributes, children);

export const svg = (tag, attributes = {}, ...children) =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

/** Both touch the page only when something changes: a step stays within a frame. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

export function setAttr(node, name, value) {
  if (value === null || value === undefined || value === false) node.removeAttribute(name);
  else if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value);
}

/** Show an element or keep its place empty. */
export const setShown = (node, shown) => setAttr(node, "data-hidden", shown ? null : "");

/** One tab stop for a list of things; the arrow keys move inside it. */
export function rove(items, current) {
  items.forEach((item, i) => setAttr(item, "tabindex", i === current ? 0 : -1));
}

/** Where a key leads in such a list; null for a key that it does not use. */
export function roveTo(key, here, count) {
  const to = { ArrowRight: here + 1, ArrowLeft: here - 1, Home: 0, End: count - 1 }[key];
  return to === undefined ? null : Math.min(Math.max(to, 0), count - 1);
}

/** Scroll `node` into view inside `box`, by whole lines; nothing else on the page moves. */
export function keepInView(box, node) {
  const line = parseFloat(getComputedStyle(box).lineHeight);
  // Lines with a mark in them are a little higher than others, so a line is found by what is on it.
  const top = node.offsetTop + (node.offsetHeight - line) / 2;
  const low = box.clientHeight >= 2 * line ? line : 0;   // what came before stays in sight
  if (top < box.scrollTop + low - 2 || top + line > box.scrollTop + box.clientHeight + 2) {
    box.scrollTop = Math.max(top - low, 0);
  }
}
