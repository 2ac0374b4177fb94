/**
 * The presenter's page: the run as the students see it, in large type, and keys for everything.
 *
 * It has the whole run and cuts it here, so a step is drawn at once; the server hears of it and
 * tells the students. What is on the projector is never more than what they have.
 */

import { makeActions } from "./actions.js";
import { base, codeHere } from "./address.js";
import { makeAskMenu } from "./asking.js";
import { makeControls } from "./controls.js";
import { ask, follow } from "./net.js";
import { makeOverlay } from "./overlay.js";
import { answerPlace, askable, compare, cutRun, firstPlace, furthest, lastOfCycle, move,
  placeAt, placeWords } from "./places.js";
import { questionView } from "./question.js";
import { setAttr, setText } from "./stepper/dom.js";
import { mount } from "./stepper/stepper.js";

const $ = (id) => document.getElementById(id);
const page = { state: null, local: null, line: null, stepper: null, runs: new Map(),
  reached: new Map(), counts: true, problem: "", asking: false };

const card = questionView();
$("question").append(card.node);
const overlay = makeOverlay($("overlay"));
const actions = makeActions(base, {
  onState: (state) => { page.local = null; page.asking = false; take(state); },
  onProblem: (words) => { page.problem = words; page.asking = false; draw(); },
  onWaiting: (on) => on && status("reconnecting"),
});

// ---- coming in --------------------------------------------------------------------------------
/** The private link carries its token after "#", which no server log sees; here it leaves the
 * address too, because the address is on the projector. */
async function begin() {
  const token = new URLSearchParams(location.hash.slice(1)).get("t");
  try {
    if (token) {
      const headers = { Authorization: `Bearer ${token}` };
      const answer = await ask(`${base}/teacher`, { body: {}, headers });
      if (answer.status < 300) history.replaceState(null, "", location.pathname);
      else if (answer.status >= 500) throw new Error(String(answer.status));
    }
    const { status: code, data } = await ask(`${base}/teacher/state`);
    if (code >= 500) throw new Error(String(code));
    if (code !== 200) return refuse(code, data?.error);
    take(data);
  } catch {
    status("reconnecting");
    setTimeout(begin, 2000);
    return;
  }
  page.line = follow({ base: `${base}/teacher`, since: () => page.state?.tag, onState: take,
    onStatus: status, onGone: refuse, on: { live: takeLive,
      trouble: ({ message }) => { page.problem = message ?? ""; draw(); } } });
}

function refuse(code, error) {
  page.line?.close();
  status("");
  setAttr(document.body, "data-refused", "");
  setAttr($("message"), "hidden", null);
  setText($("message-title"), code === 404 ? "No such class" : "This page is the teacher's");
  setText($("message-text"), error && code !== 401 && code !== 403 ? error
    : "Open the private teacher link that was given when the class was started.");
}

// ---- the state --------------------------------------------------------------------------------
async function take(state) {
  if (page.state && state.version < page.state.version) return;
  if (state.question?.round !== page.state?.question?.round) page.asking = false;
  page.state = state;
  if (!page.runs.has(state.place.item)) await fetchRun(state.place.item);
  draw();
  const next = state.place.item + 1;
  if (next < state.plan.items.length && !page.runs.has(next)) fetchRun(next);
}

function takeLive({ here, answered, round, histogram, tag }) {
  const { state } = page;
  if (!state) return;
  Object.assign(state, { here, answered, tag });
  const { question } = state;
  if (question && question.round === round && histogram) {
    question.rounds = question.rounds.map((one) => (one.round === round ? { ...one, histogram } : one));
  }
  drawNumbers();
  drawQuestion();
}

async function fetchRun(item) {
  const answer = await ask(`${base}/teacher/run?item=${item}`, { cache: "no-cache" }).catch(() => null);
  if (answer?.status === 200) page.runs.set(item, answer.data);
  else if (item === page.state.place.item) setTimeout(() => take(page.state), 2000);
}

/** Where the class is: as this page has said, until the server has heard of it. */
function here() {
  if (page.local && actions.waiting()) return page.local;
  const { place, revealed } = page.state;
  return { place, revealed: furthest(revealed, place) };
}

const run = () => page.runs.get(here().place.item);
const question = () => page.state?.question ?? null;
const isRevealed = (asked) => Boolean(asked.revealed);
const plan = () => page.state.plan.items[here().place.item];

// ---- doing ------------------------------------------------------------------------------------
function show(place) {
  const { revealed } = here();
  const known = place.item === revealed.item ? revealed : page.reached.get(place.item);
  page.problem = "";
  page.local = { place, revealed: furthest(known, place) };
  page.reached.set(place.item, page.local.revealed);
  actions.send({ action: "show", place });
  draw();
}

function go(place) {
  if (!run() || page.state.ended || compare(place, here().place) === 0) return;
  const further = compare(place, here().revealed) > 0;
  if (further && question()?.open) {
    page.problem = "A question is open: Enter closes it.";
    return draw();
  }
  show(place);
}

function toItem(item) {
  if (item < 0 || item >= page.state.plan.items.length || item === here().place.item) return;
  if (question()) turn("hide", null);
  const place = page.reached.get(item) ?? firstPlace(item);
  fetchRun(item).then(() => show(place));
}

/** The server takes the class to where the question makes sense, if it is not there yet. */
function askQuestion(wanted) {
  page.problem = "";
  page.asking = true;
  actions.send({ action: "ask", ...wanted });
}

/** Close, reveal or go on: drawn at once, so that the next key meets the question as it will be. */
function turn(action, after) {
  if (page.asking) return;   // a new round is on its way: the key was not meant for it
  page.state = { ...page.state, question: after };
  actions.send({ action });
  draw();
}

const deeds = {
  forward: () => go(move(here().place, run(), 1)),
  back: () => go(move(here().place, run(), -1)),
  cycle: () => {
    const { place } = here(), { length } = run().cycles;
    go(place.stage === "replace" && place.cycle + 1 < length
      ? firstOf(place.cycle + 1) : lastOfCycle(place.item, place.cycle, run()));
  },
  before: () => go(firstOf(here().place.cycle - (here().place.stage === "draft" ? 1 : 0))),
  furthest: () => go(here().revealed),
  hideAgain: () => {
    if (compare(here().place, here().revealed) >= 0 || question()?.open) return;
    page.local = { place: here().place, revealed: here().place };
    page.reached.set(here().place.item, here().place);
    actions.send({ action: "reveal_to", place: here().place });
    draw();
  },
  main: () => {
    const asked = question();
    if (!asked) return askMenu();
    if (asked.open) turn("close", { ...asked, open: false });
    else if (!isRevealed(asked)) deeds.reveal();
    else turn("hide", null);
  },
  reveal: () => {
    const asked = question();
    if (!asked || isRevealed(asked) || page.asking) return;
    turn("reveal", { ...asked, open: false, revealed: true });
    const place = answerPlace(asked, here().place.item, run());
    if (place && compare(place, here().revealed) > 0) show(place);
  },
  again: () => {
    const asked = question();
    if (!asked || asked.open || isRevealed(asked) || page.asking) return;
    page.asking = true;
    actions.send({ action: "again" });
  },
  ask: () => !question()?.open && askMenu(),
  nextItem: () => toItem(here().place.item + 1),
  previousItem: () => toItem(here().place.item - 1),
  counts: () => { page.counts = !page.counts; drawQuestion(); },
  notes: () => { setAttr($("notes"), "hidden", $("notes").hidden ? null : ""); drawNotes(); },
  code: () => controls.showCode(page.state),
  plan: () => overlay.choices("plan", page.state.plan.title, page.state.plan.items.map(
    ({ title }, item) => ({ words: title, note: item === here().place.item ? "now" : "",
      act: () => toItem(item) }))),
  end: () => page.state.ended || overlay.choices("end", "End the class?", [
    { words: "End it", note: "no more votes; students are told, and keep what they have seen",
      act: () => actions.send({ action: "end" }) },
    { words: "Go on", note: "", act: () => {} }]),
  theme: () => {
    const { dataset } = document.documentElement;
    dataset.theme = dataset.theme === "dark" ? "light" : "dark";
    page.stepper?.update({});
  },
  full: () => (document.fullscreenElement ? document.exitFullscreen()
    : document.documentElement.requestFullscreen())?.catch(() => {}),
};

const firstOf = (cycle) =>
  placeAt(here().place.item, { cycle: Math.max(cycle, 0), stage: "draft", position: 0 }, run());

const askMenu = makeAskMenu({ overlay, base, askQuestion,
  planned: () => plan().questions,
  now: () => (page.state.ended ? null : askable(run(), here().revealed)),
  onProblem: (words) => { page.problem = words; drawWhere(); } });

const controls = makeControls({ deeds, overlay, keysOff: () => !page.state || !run() });

// ---- drawing ----------------------------------------------------------------------------------
function draw() {
  const { state } = page;
  if (!state) return;
  setText($("title"), state.title);
  setText($("code"), (state.code ?? codeHere).toUpperCase());
  setText($("join-at"), `${location.host}/class`);
  drawNumbers();
  if (run()) drawRun();
  drawQuestion();
  drawWhere();
  drawNotes();
  controls.draw({ question: question(), revealed: question() && isRevealed(question()),
    ended: state.ended });
}

function drawRun() {
  const { place, revealed } = here();
  const cursor = { cycle: place.cycle, stage: place.stage, position: place.position };
  const trace = cutRun(run(), revealed);
  if (!page.stepper) {
    page.stepper = mount($("stepper"), trace, onMove, { cursor, present: true, laws: false });
    page.stepper.goto(cursor);
  } else page.stepper.update({ trace, cursor });
}

/** A click on a token or a bar looks there; students see it too. */
function onMove(cursor, { byPerson }) {
  if (byPerson) go({ item: here().place.item, ...cursor });
}

function drawQuestion() {
  const asked = question();
  setAttr(document.body, "data-asking", asked ? "" : null);
  if (!asked) return card.show(null);
  const open = isRevealed(asked);
  const rounds = asked.rounds.map((one) =>
    (asked.open && !page.counts && one.round === asked.round ? { ...one, histogram: null } : one));
  card.show({ ...asked, rounds, correct: open ? asked.correct : null, why: open ? asked.why : "" });
}

function drawNumbers() {
  const { here: present, answered, question: asked } = page.state;
  setText($("here"), `${present} here`);
  setText($("answered"), asked ? `${answered ?? 0} answered` : "");
}

function drawWhere() {
  const { place, revealed } = here();
  const behind = compare(place, revealed) < 0;
  const words = page.state.ended ? "The class has ended."
    : page.problem ? page.problem
      : behind ? `Back at ${placeWords(place)}. Students keep what was shown, up to ` +
          `${placeWords(revealed)}. U hides it again.`
        : placeWords(place);
  setText($("where"), words);
  setAttr($("where"), "data-problem", page.problem ? "" : null);
}

function drawNotes() {
  if ($("notes").hidden || !page.state) return;
  const asked = plan().questions.map((one, i) => `${i + 1}. ${one.text}${one.note ? `\n   ${one.note}` : ""}`);
  setText($("notes"), [plan().notes || "No notes for this part.", ...asked].join("\n\n"));
}

function status(name) {
  setText($("status"), name === "reconnecting" ? "reconnecting ..." : "");
  setAttr($("status"), "data-status", name);
}

begin();
