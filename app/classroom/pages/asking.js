/**
 * What the presenter can ask: about the run, from the plan, or any checkpoint question.
 *
 *   makeAskMenu({ overlay, base, now, planned, askQuestion, onProblem }) -> open()
 *
 * now() gives the questions that fit where the class stands, null when nothing can be asked;
 * planned() those of the plan; the lessons' own are fetched when they are wanted.
 */

import { ask } from "./net.js";
import { askWords } from "./places.js";

export function makeAskMenu({ overlay, base, now, planned, askQuestion, onProblem }) {
  async function quizMenu() {
    const answer = await ask(`${base}/teacher/questions`).catch(() => null);
    if (answer?.status !== 200) return onProblem("The lessons' questions did not come. Try again.");
    overlay.choices("quiz", "Ask a checkpoint question", answer.data.questions.map(
      ({ quiz, text }) => ({ words: text, note: "",
        act: () => askQuestion({ question: { kind: "quiz", quiz } }) })));
  }

  return function open() {
    const fitting = now();
    if (!fitting) return;
    const here = fitting.map((about) => ({ words: askWords(about), note: "here",
      act: () => askQuestion({ question: about }) }));
    const plan = planned().map((one, index) => ({ words: one.text,
      note: one.note ?? "from the plan", act: () => askQuestion({ index }) }));
    const any = { words: "A checkpoint question of the lessons ...", note: "", act: quizMenu };
    overlay.choices("ask", "Ask the class", [...here, ...plan, any]);
  };
}
