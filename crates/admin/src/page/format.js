// Formats numbers. Unknown values are shown as a dash.

const UNKNOWN = "–";
const whole = new Intl.NumberFormat("en");
const tenths = new Intl.NumberFormat("en", { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const hundredths = new Intl.NumberFormat("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 });

function known(number, write) {
  return Number.isFinite(number) ? write(number) : UNKNOWN;
}

function count(number) {
  return known(number, (it) => whole.format(it));
}

function score(number) {
  return known(number, (it) => hundredths.format(Math.abs(it) < 0.005 ? 0 : it));
}

function rate(number) {
  return known(number, (it) => (it > 0 && it < 10 ? tenths : whole).format(it < 10 ? it : Math.round(it)));
}

function percent(share) {
  return known(share, (it) => (it > 0 && it < 0.01 ? "< 1 %" : `${Math.round(it * 100)} %`));
}

function bytes(number) {
  return known(number, (it) => {
    const units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let unit = 0;
    for (; it >= 1024 && unit < units.length - 1; unit += 1) it /= 1024;
    return `${unit && it < 100 ? tenths.format(it) : whole.format(Math.round(it))} ${units[unit]}`;
  });
}

/** Formats seconds as the two largest units. */
function duration(seconds) {
  return known(seconds, (it) => {
    const [days, hours, minutes] = [Math.floor(it / 86400), Math.floor(it / 3600) % 24, Math.floor(it / 60) % 60];
    if (days) return `${days} d ${hours} h`;
    if (hours) return `${hours} h ${minutes} min`;
    return minutes ? `${minutes} min ${Math.floor(it % 60)} s` : `${Math.floor(it)} s`;
  });
}

/** Formats a short duration. */
function wait(seconds) {
  return known(seconds, (it) => (it < 10 ? `${tenths.format(it)} s` : duration(it)));
}

function clockTime(text) {
  const time = new Date(text);
  return time.getTime() > 0 ? time.toLocaleTimeString("en-GB") : UNKNOWN;
}

function plural(number, noun) {
  return `${count(number)} ${noun}${number === 1 ? "" : "s"}`;
}

/** Formats an identifier such as `out_of_scope: host` as words. */
function words(text) {
  return String(text ?? "").replaceAll("_", " ");
}
