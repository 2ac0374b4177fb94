/**
 * What the presenter does, sent in order and each once.
 *
 *   makeActions(base, { onState, onProblem, onWaiting }) -> { send, waiting }
 *
 * A step is drawn before the server has heard of it, so a slow network never holds up the
 * projector. Every action has an id of its own: sent again after a lost answer, it counts once.
 */

import { ask, backOff, pause } from "./net.js";

/** Also where the page is not served over TLS, which crypto.randomUUID asks for. */
const newId = () => [...crypto.getRandomValues(new Uint8Array(12))]
  .map((byte) => byte.toString(16).padStart(2, "0")).join("");

export function makeActions(base, { onState, onProblem, onWaiting }) {
  const queue = [];
  let running = false;

  function send(action) {
    const last = queue.at(-1);
    const entry = { id: newId(), sent: false, ...action };
    // Of several steps that wait, only the last place matters.
    if (last && !last.sent && last.action === "show" && action.action === "show"
      && last.place.item === action.place.item) queue[queue.length - 1] = entry;
    else queue.push(entry);
    if (!running) run();
  }

  async function run() {
    running = true;
    let latest = null;
    for (let tries = 0; queue.length;) {
      const entry = queue[0];
      entry.sent = true;
      const { sent, ...body } = entry;
      const answer = await ask(`${base}/teacher/do`, { body }).catch(() => null);
      if (!answer || answer.status === 429 || answer.status >= 500) {
        onWaiting(true);
        if (answer?.data?.error) onProblem(`${answer.data.error} Trying again ...`);
        await pause(backOff(tries));
        tries += 1;
        continue;
      }
      if (tries) onProblem("");
      tries = 0;
      onWaiting(false);
      queue.shift();
      if (answer.status >= 400) {
        queue.length = 0;
        onProblem(answer.data?.error ?? "The server refused this.");
        const now = await ask(`${base}/teacher/state`).catch(() => null);
        latest = now?.status === 200 ? now.data : latest;
      } else latest = answer.data;
    }
    running = false;
    if (latest) onState(latest);
  }

  return { send, waiting: () => running };
}
