// The token. It is passed in the fragment of the address, which reaches no server and no log, and is stored for this tab only.

const TOKEN_KEY = "harvestman.token";
let tokenHere = null;

/** Accesses the session storage. Without storage, the token lasts as long as the page. */
function stored(act) {
  try {
    return act(sessionStorage);
  } catch {
    return null;
  }
}

function token() {
  return tokenHere ?? stored((storage) => storage.getItem(TOKEN_KEY));
}

function keepToken(text) {
  tokenHere = text;
  stored((storage) => (text ? storage.setItem(TOKEN_KEY, text) : storage.removeItem(TOKEN_KEY)));
}

/** Moves the token from the address bar to the storage. Returns whether there was one. */
function takeToken() {
  const found = /^#token=([^&]+)/.exec(location.hash);
  if (!found) return false;
  history.replaceState(null, "", location.pathname + location.search);
  try {
    keepToken(decodeURIComponent(found[1]));
  } catch {
    keepToken(found[1]);
  }
  return true;
}

function authorization() {
  return token() ? { Authorization: `Bearer ${token()}` } : {};
}
