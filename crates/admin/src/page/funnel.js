// The funnel: links and URLs per stage, rates, and the reasons for losses. The server names and orders the stages.

const SPARK_WIDTH = 120;
const SPARK_HEIGHT = 28;
const SPARK_BINS = 60;
const RATE_SECONDS = 5;
const recent = [];

/** Stores the counts of the latest seconds; returns a function that computes the rate of a stage from them. */
function ratesNow(view) {
  const seconds = Date.parse(view.time) / 1000;
  const counts = Object.fromEntries((view.funnel ?? []).map(({ stage, count }) => [stage, count]));
  if (!(recent.at(-1)?.seconds >= seconds)) recent.push({ seconds, counts });
  while (recent.length > 2 && seconds - recent[1].seconds >= RATE_SECONDS) recent.shift();
  const first = recent[0];
  return (stage) => {
    const span = seconds - first.seconds;
    if (span >= 0.5) return Math.max(0, counts[stage] - first.counts[stage]) / span;
    return ratesOf(view.history, stage).at(-1)?.rate;
  };
}

/** Returns the rates between samples, in at most `SPARK_BINS` intervals with the same number of samples. */
function ratesOf(history, stage) {
  const [times, counts] = [history?.seconds ?? [], history?.[stage] ?? []];
  const length = Math.min(times.length, counts.length);
  const step = Math.max(1, Math.ceil((length - 1) / SPARK_BINS));
  const rates = [];
  for (let end = length - 1; end > 0; end -= step) {
    const start = Math.max(0, end - step);
    const span = times[end] - times[start];
    if (span > 0) rates.unshift({ at: times[end], rate: Math.max(0, counts[end] - counts[start]) / span });
  }
  return rates;
}

function sparkline() {
  const title = make("svg:title");
  const area = make("svg:path.area");
  const line = make("svg:path.line");
  const box = { viewBox: `0 0 ${SPARK_WIDTH} ${SPARK_HEIGHT}`, role: "img", preserveAspectRatio: "none" };
  const node = make("svg:svg.spark", box, title, area, line);
  return {
    node,
    update(rates, name) {
      show(node, rates.length > 1);
      if (rates.length < 2) return;
      const [first, most] = [rates[0].at, Math.max(...rates.map(({ rate }) => rate), 1e-9)];
      const span = rates.at(-1).at - first || 1;
      const x = (at) => (((at - first) / span) * SPARK_WIDTH).toFixed(1);
      const y = (value) => (SPARK_HEIGHT - 1 - (value / most) * (SPARK_HEIGHT - 3)).toFixed(1);
      const points = rates.map(({ at, rate: value }) => `${x(at)} ${y(value)}`).join("L");
      set(line, "d", `M${points}`);
      set(area, "d", `M0 ${SPARK_HEIGHT}L${points}L${SPARK_WIDTH} ${SPARK_HEIGHT}Z`);
      setText(title, `${name} per second over ${duration(span)}: now ${rate(rates.at(-1).rate)}, at most ${rate(most)}`);
    },
  };
}

function goneItem() {
  const number = make("span.num");
  const reason = make("span");
  return {
    node: make("li", {}, number, " ", reason),
    update(gone) {
      setText(number, count(gone.count));
      setText(reason, words(gone.reason));
    },
  };
}

function stageItem() {
  const [name, number, speed, share, bar] = ["h3", "p.number", "span.rate", "span.share", "span.level"].map((it) => make(it));
  const spark = sparkline();
  const summary = make("summary");
  const list = make("ul.plain.gone");
  const gone = make("details", {}, summary, list);
  const node = make("li", {}, name, number, make("p.speed", {}, speed, " ", share), spark.node, make("div.track", {}, bar), gone);
  return {
    node,
    update(stage) {
      setText(name, words(stage.stage));
      set(name, "title", visible(stage.name));
      set(number, "data-stage", stage.stage);
      set(number, "data-count", stage.count);
      setText(number, count(stage.count));
      setText(speed, `${rate(stage.rate)} /s`);
      setText(share, stage.before > 0 ? `${percent(stage.count / stage.before)} of ${stage.beforeName}` : "");
      spark.update(stage.rates, stage.stage);
      bar.style.width = `${Math.min(100, (100 * stage.count) / (stage.most || 1))}%`;
      const lost = (stage.gone ?? []).filter((it) => it.count > 0).sort((a, b) => b.count - a.count);
      show(gone, lost.length > 0);
      setText(summary, `${count(lost.reduce((sum, it) => sum + it.count, 0))} lost: why`);
      reconcile(list, lost, (it) => it.reason, goneItem);
    },
  };
}

function showFunnel(view) {
  const rateOf = ratesNow(view);
  const funnel = view.funnel ?? [];
  const most = Math.max(...funnel.map((stage) => stage.count), 0);
  const stages = funnel.map((stage, index) => ({
    ...stage,
    most,
    rate: rateOf(stage.stage),
    rates: ratesOf(view.history, stage.stage),
    // Archived exchanges are not a share of the pages: error responses and robots.txt are archived too.
    before: stage.stage === "archived" ? 0 : funnel[index - 1]?.count,
    beforeName: words(funnel[index - 1]?.stage),
  }));
  reconcile(byId("funnel"), stages, (stage) => stage.stage, stageItem);
}
