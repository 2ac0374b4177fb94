/**
 * The student's page: it follows the class, takes answers, and shows what has been revealed.
 *
 * What has not been revealed was never sent: the run that is drawn here ends where the class is.
 */

import { base, codeHere } from "./address.js";
import { ask, follow } from "./net.js";
import { placeWords } from "./places.js";
import { questionView } from "./question.js";
import { makeRuns } from "./runs.js";
import { setAttr, setText } from "./stepper/dom.js";
import { mount } from "./stepper/stepper.js";
import { makeVotes } from "./votes.js";

const $ = (id) => document.getElementById(id);
const show = (id, shown) => setAttr($(id), "hidden", shown ? null : "");

const runs = makeRuns(base);
const card = questionView({ onChoose: (key) => votes.vote(page.state.question, key) });
const votes = makeVotes(base, () => drawQuestion());
const page = { state: null, following: true, stepper: null, line: null, item: null, asked: null };

$("question").append(card.node);
setText($("code"), codeHere);
document.title = `Class ${codeHere}`;

// ---- joining --------------------------------------------------------------------------------
async function begin() {
  let answer;
  try {
    answer = await ask(`${base}/state`);
  } catch {
    status("reconnecting");
    setTimeout(begin, 2000);
    return;
  }
  if (answer.status === 401) return askName();
  if (answer.status !== 200) return refuse(answer.status, answer.data?.error);
  enter(answer.data);
}

function askName() {
  status("");
  show("join", true);
  $("nickname").focus();
}

$("join").addEventListener("submit", async (event) => {
  event.preventDefault();
  const said = $("join-said");
  setText(said, "Joining ...");
  try {
    const { status: answer, data } = await ask(`${base}/join`,
      { body: { nickname: $("nickname").value.trim() } });
    if (answer !== 200) setText(said, data?.error ?? "The class could not be joined. Try again.");
    else {
      show("join", false);
      setText(said, "");
      await begin();
    }
  } catch {
    setText(said, "No connection. Try again.");
  }
});

function refuse(why, error) {
  page.line?.close();
  status("");
  for (const id of ["join", "class"]) show(id, false);
  show("message", true);
  const gone = why === 404 || why === 410;
  setText($("message-title"), gone ? "No such class" : "Not now");
  setText($("message-text"), error ?? (gone ? "Check the letters; a class is kept for a day."
    : "The server did not let this page in. Wait a minute and load it again."));
}

function enter(state) {
  show("class", true);
  take(state);
  page.line ??= follow({ base, since: () => page.state?.version, onState: take, onStatus: status,
    on: { you: takeMine, trouble: ({ message }) => setText($("trouble"), message ?? "") },
    onGone: (status) => (status === 401 ? location.reload() : refuse(status)) });
}

function takeMine({ nickname, my_answers: answers }) {
  if (nickname !== undefined) setText($("me"), nickname ? `You are here as ${nickname}.` : "");
  votes.know(answers, page.state?.question);
  drawQuestion();
}

// ---- following ------------------------------------------------------------------------------
async function take(state) {
  if (page.state && state.version < page.state.version) return;
  page.state = state;
  takeMine(state);
  drawEnd(state);
  const run = await runs.at(state);
  if (page.state !== state) return;
  if (run) drawRun(run);
  else if (state.step) setTimeout(() => page.state === state && take(state), 2000);
}

function drawRun(run) {
  const { place, title } = page.state;
  const moved = page.item !== place.item;
  if (moved) page.following = true;
  page.item = place.item;
  setText($("title"), title);
  setText($("prompt"), run.settings?.prompt ? `Prompt: ${run.settings.prompt}` : "");
  const cursor = { cycle: place.cycle, stage: place.stage, position: place.position };
  if (!page.stepper) {
    page.stepper = mount($("stepper"), run, onMove, { cursor, laws: true });
    page.stepper.goto(cursor);
  } else {
    page.stepper.update({ trace: run, ...(page.following ? { cursor } : {}) });
  }
  drawFollowing();
}

function onMove(_, { byPerson }) {
  if (!byPerson) return;
  page.following = false;
  drawFollowing();
}

function drawFollowing() {
  const { place, ended } = page.state;
  const free = !page.following || ended;
  setAttr(document.body, "data-own", free ? "" : null);
  setText($("where"), ended ? "" : page.following ? `With the class, ${placeWords(place)}`
    : `The class is at ${placeWords(place)}`);
  setText($("own"), page.following ? "Look around on my own" : "Back to class");
  setAttr($("own"), "hidden", ended ? "" : null);
}

$("own").addEventListener("click", () => {
  page.following = !page.following;
  if (page.following && page.state) {
    const { cycle, stage, position } = page.state.place;
    page.stepper.goto({ cycle, stage, position });
  }
  drawFollowing();
});

// ---- questions ------------------------------------------------------------------------------
function drawQuestion() {
  const question = page.state?.question ?? null;
  const given = votes.given();
  const mine = question ? given[question.round] ?? null : null;
  const choosing = Boolean(question?.open && !mine && !votes.sending());
  card.show(question, { mine, given, choosing });
  setText($("question-said"), words(question, mine));
  const asked = question ? `${question.round}` : null;
  if (asked && asked !== page.asked) card.node.scrollIntoView({ block: "nearest" });
  page.asked = asked;
}

function words(question, mine) {
  if (!question) return "";
  if (votes.problem()) return votes.problem();
  if (question.correct) {
    return mine === null ? "The answer is shown." : mine === question.correct
      ? "You were right." : "You chose another answer.";
  }
  if (mine) return question.open ? "Your answer is in." : "Closed. Your answer is in.";
  if (votes.sending()) return "Sending your answer ...";
  if (!question.open) return "Closed.";
  return question.rounds.length > 1 ? "The same question again: answer once more."
    : "Choose one answer. It cannot be changed.";
}

// ---- the end, and the line ------------------------------------------------------------------
async function drawEnd(state) {
  show("ended", state.ended);
  if (!state.ended) return;
  page.line?.close();
  status("");
  const mine = await ask(`${base}/mine`).catch(() => null);
  const kept = mine?.status === 200 ? mine.data.resume_code : null;
  show("resume", Boolean(kept));
  setText($("resume-code"), kept ?? "");
}

const STATUS = { live: "live", polling: "live", reconnecting: "reconnecting ..." };

function status(name) {
  setText($("status"), page.state?.ended ? "" : STATUS[name] ?? "");
  setAttr($("status"), "data-status", name);
}

begin();
