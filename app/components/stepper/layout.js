/**
 * How a stepper lies on its page: narrow, wide, or fitted into one window. It sets attributes for
 * the style sheets, and sizes for a fitted one.
 */

import { setAttr } from "./dom.js";
import { fit } from "./fit.js";

const NARROW = 840;   // px: below, a row becomes a card of two lines
const SMALL = 520;    // px: a phone; what is said needs more lines there
const WIDE = 1000;    // px: from here on the distributions stand beside the cycle
const UNDER = 10;     // px of the window left free under a run that is fitted into it

/** How far the page is scrolled away over an element, by all that scrolls around it. */
function scrolledBy(node) {
  let sum = 0;
  for (let at = node; at; at = at.parentNode ?? at.host) sum += at.scrollTop ?? 0;
  return sum;
}

/** k: of the longest cycle; screen: the page is about this run; false where it is not drawn. */
export function layOut(root, { k, screen, present }) {
  const { width, top } = root.getBoundingClientRect();
  if (!width) return false;
  setAttr(root, "data-narrow", width < NARROW ? "" : null);
  setAttr(root, "data-small", width < SMALL ? "" : null);
  setAttr(root, "data-thumb", screen ? "" : null);
  const wide = width >= WIDE && !root.hasAttribute("data-nolaws");
  const fitted = wide && (screen || present);
  setAttr(root, "data-wide", wide ? "" : null);
  setAttr(root, "data-fit", fitted ? "" : null);
  if (fitted) {
    const size = fit(innerHeight - top - scrolledBy(root) - UNDER, k, present);
    const names = { fit: size.height, row: size.row, bars: size.bars, line: size.line,
      text: size.text, size: size.size };
    for (const [name, px] of Object.entries(names)) {
      root.style.setProperty(`--${name}`, `${px.toFixed(1)}px`);
    }
  }
  return true;
}
