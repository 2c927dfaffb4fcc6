// What the crawl is told, and what came of it.

const ANSWER_MOST_MS = 30000;
const RESULT_SHOWN_MS = 12000;
const TOLD_MOST = 8;
let resultTimer = null;
let lockedForGood = false;

/** Controls that tell the crawl something work only with a token and while there is a crawl. */
function lockControls() {
  const locked = lockedForGood || !token();
  for (const control of document.querySelectorAll("[data-steers]")) control.disabled = locked;
  show(byId("token-form"), !lockedForGood && !token());
}

function lockForGood() {
  lockedForGood = true;
  lockControls();
}

/** Says something at the foot of the window, once, and to screen readers. */
function say(text, isGood) {
  const place = byId("result");
  setText(place, text);
  set(place, "data-good", String(isGood));
  clearTimeout(resultTimer);
  resultTimer = setTimeout(() => setText(place, ""), RESULT_SHOWN_MS);
}

function remember(asked, text, isGood) {
  show(byId("told-title"), true);
  const said = make("li", { "data-good": String(isGood) }, make("code.foreign", {}, visible(asked)), ` ${visible(text)}`);
  byId("told").prepend(said);
  while (byId("told").children.length > TOLD_MOST) byId("told").lastChild.remove();
}

async function post(name, args) {
  const response = await fetch(`/api/${name}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...authorization() },
    body: JSON.stringify(args),
    signal: AbortSignal.timeout(ANSWER_MOST_MS),
  });
  const text = (await response.text()).trim();
  if (response.status === 401) {
    keepToken(null);
    write("token-note", "The token was not right, so nothing was changed. Enter the one that the crawl printed.");
  }
  return { isGood: response.ok, text: text || (response.ok ? "done" : `refused (${response.status})`) };
}

/** Tells the crawl something. A button that was pressed is not taken away meanwhile, which would take the focus with it. */
async function tell(name, args = [], button = null) {
  if (button?.getAttribute("aria-busy") === "true") return false;
  if (button) set(button, "aria-busy", "true");
  const answer = await post(name, args).catch(() => ({ isGood: false, text: "the crawl does not answer" }));
  if (button) set(button, "aria-busy", null);
  const asked = [name, ...args].join(" ");
  say(`${asked}: ${answer.text}`, answer.isGood);
  remember(asked, answer.text, answer.isGood);
  lockControls();
  return answer.isGood;
}

/** Asks before something that cannot be taken back, or costs much. */
function confirmed(title, text, yes) {
  const dialog = byId("confirm");
  write("confirm-title", title);
  write("confirm-text", text);
  write("confirm-yes", yes);
  dialog.returnValue = "";
  dialog.showModal();
  byId("confirm-no").focus();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  });
}

function setUpConfirmation() {
  byId("confirm-no").addEventListener("click", () => byId("confirm").close(""));
  byId("confirm-yes").addEventListener("click", () => byId("confirm").close("yes"));
}

async function ban(target, what, button) {
  const text = `Links to ${what} are refused from now on, and those that wait are let go of. Unbanned, they come back where they are linked again.`;
  if (await confirmed(`Ban ${what}?`, text, "Ban")) await tell("ban", [target], button);
}

function tellButton(act, steers = true) {
  const node = make("button.small", { type: "button", "data-steers": steers, onclick: () => act(node) });
  return node;
}
