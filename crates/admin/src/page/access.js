// The token. It comes in the fragment of the address, which no server and no log sees, and is kept for this tab alone.

const TOKEN_KEY = "harvestman.token";
let tokenHere = null;

/** Where the browser keeps nothing, the token lives as long as the page. */
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

/** Takes the token out of the address bar. */
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
