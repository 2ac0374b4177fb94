/**
 * The page that asks for a class's code. It is also what an address with a wrong code shows.
 */

import { ask } from "./net.js";

const form = document.querySelector("#code-form");
const field = form.elements.code;
const said = document.querySelector("#code-said");

/** People write codes in small letters, with spaces and hyphens. */
const tidy = (text) => text.toUpperCase().replace(/[^A-Z0-9]/g, "");

function say(text) {
  said.textContent = text;
  field.setAttribute("aria-invalid", "true");
  field.focus();
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const code = tidy(field.value);
  if (code.length !== 6) {
    say(`A code has six letters; this has ${code.length}.`);
    return;
  }
  said.textContent = "Looking ...";
  try {
    const { status, data } = await ask("/class/api/find", { body: { code } });
    if (status === 200) location.assign(data.url);
    else say(data?.error ?? "There is no class with this code. Check the letters.");
  } catch {
    say("No connection. Try again.");
  }
});

const tried = tidy(location.pathname.split("/")[2] ?? "");
if (tried) {
  field.value = tried;
  say("There is no class with this code. Check the letters.");
  field.select();
} else field.focus();
