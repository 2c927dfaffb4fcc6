// Sends commands to the crawl and shows their results.

const ANSWER_MOST_MS = 30000;
const RESULT_SHOWN_MS = 12000;
const COMMANDS_MOST = 8;
let resultTimer = null;
let lockedForGood = false;

/** Enables the controls that send commands only with a token and while there is a crawl. */
function lockControls() {
  const locked = lockedForGood || !token();
  for (const control of document.querySelectorAll("[data-steers]")) control.disabled = locked;
  show(byId("token-form"), !lockedForGood && !token());
}

function lockForGood() {
  lockedForGood = true;
  lockControls();
}

/** Shows a message at the bottom of the window for some seconds; screen readers announce it. */
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
  while (byId("told").children.length > COMMANDS_MOST) byId("told").lastChild.remove();
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
    write("token-note", "The token is invalid, so nothing was changed. Enter the token that the crawl printed.");
  }
  return { isGood: response.ok, text: text || (response.ok ? "done" : `rejected (${response.status})`) };
}

/** Sends a command to the crawl. The pressed button is not disabled meanwhile, because it would lose the focus. */
async function tell(name, args = [], button = null) {
  if (button?.getAttribute("aria-busy") === "true") return false;
  if (button) set(button, "aria-busy", "true");
  const answer = await post(name, args).catch(() => ({ isGood: false, text: "the crawl does not respond" }));
  if (button) set(button, "aria-busy", null);
  const asked = [name, ...args].join(" ");
  say(`${asked}: ${answer.text}`, answer.isGood);
  remember(asked, answer.text, answer.isGood);
  lockControls();
  return answer.isGood;
}

/** Asks for confirmation of a command that cannot be undone or is costly. */
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
  const text = `From now on links to ${what} are rejected, and waiting ones are dropped. After an unban they are accepted again when a page links to them.`;
  if (await confirmed(`Ban ${what}?`, text, "Ban")) await tell("ban", [target], button);
}

function tellButton(act, steers = true) {
  const node = make("button.small", { type: "button", "data-steers": steers, onclick: () => act(node) });
  return node;
}
