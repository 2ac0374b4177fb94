/**
 * What a person sees and when: every frame, what has changed on the page is written down.
 *
 * Times are performance.now() in the frame that shows the change, so they are right to a frame
 * (17 ms at 60 Hz). An event's own timeStamp says when the key was pressed or the mouse released.
 */
globalThis.probe = (() => {
  let log = [], before = {}, pressed = null;

  /** The first match, in the document or in a component's shadow root. */
  function find(selector) {
    const here = document.querySelector(selector);
    if (here) return here;
    for (const host of document.querySelectorAll("[data-testid^=stBidiComponent]")) {
      const there = host.shadowRoot?.querySelector(selector);
      if (there) return there;
    }
    return null;
  }

  const hash = (text) => {
    let h = 0;
    for (let i = 0; i < text.length; i += 1) h = (h * 31 + text.charCodeAt(i)) | 0;
    return h;
  };
  const stepper = () => find(".stepper");
  const heading = () => stepper()?.querySelector(".laws-title")?.textContent ?? "";
  const bars = () => [...(stepper()?.querySelectorAll(".dist:not([hidden]) .bar") ?? [])]
    .map((x) => x.style.width).join();

  const views = {
    stepper: () => {
      const root = stepper();
      const now = root?.querySelector(".stages [aria-current=step]");
      return `${root?.querySelector(".where")?.textContent} ${now?.textContent}`;
    },
    heading,
    chart: () => hash(bars()),
    text: () => {
      const chips = stepper()?.querySelectorAll(".tokens [role=option]") ?? [];
      let words = "";
      for (const chip of chips) words += chip.textContent;
      return `${chips.length} ${hash(words)}`;
    },
    streaming: () => Boolean(stepper()?.hasAttribute("data-streaming")),
  };

  function look() {
    for (const [name, read] of Object.entries(views)) {
      const value = read();
      if (value !== before[name]) log.push({ at: performance.now(), name, value });
      before[name] = value;
    }
    requestAnimationFrame(look);
  }
  requestAnimationFrame(look);

  for (const kind of ["keydown", "pointerup"]) {
    addEventListener(kind, (event) => { pressed = event.timeStamp; }, true);
  }

  return {
    now: () => ({ ...before }),
    clear: () => { log = []; pressed = null; },
    take: () => ({ pressed, log }),
    quietFor: () => performance.now() - (log.at(-1)?.at ?? 0),
    usable: () => Boolean(stepper()?.querySelector(".nav")?.getClientRects().length && bars()),
  };
})();
