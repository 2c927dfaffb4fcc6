// What a fetched page was taken as: its texts, with marks for the fields of posts. Texts of the page are only ever text here.

const TAKEN_MOST_MS = 60000;
const TAKEN_AS = { author: "author", time: "time", title: "title", text: "text" };
let takenAsked = 0;

/** Creates a cell with a button that shows what the page of its row was taken as. */
function takenCell() {
  let url = null;
  const button = make("button.small", { type: "button", onclick: () => showTaken(url) }, "Show");
  return {
    node: make("td", {}, button),
    update(row) {
      url = row.url;
      show(button, row.status === 200 && row.fate === "fetched");
      set(button, "aria-label", visible(`Show posts of ${url}`));
    },
  };
}

/** Creates the marked texts, a line for each block; where a post begins, its number. */
function takenLines(parts) {
  const lines = [];
  let post = null;
  for (const part of parts) {
    if (part.begins_line || !lines.length) lines.push(make("p.foreign"));
    const line = lines.at(-1);
    if ((part.post ?? null) !== post) {
      post = part.post ?? null;
      if (post !== null) line.append(make("b.taken-post", {}, `Post ${post}: `));
    }
    set(line, "data-post", post !== null);
    const field = TAKEN_AS[part.taken_as];
    line.append(field ? make("mark", { "data-as": field, title: field }, visible(part.text)) : visible(part.text), " ");
  }
  return lines;
}

/** Shows what the page at an address was taken as. */
async function showTaken(url) {
  const mine = ++takenAsked;
  write("taken-sum", `Reading ${url} …`);
  byId("taken-body").replaceChildren();
  if (!byId("taken").open) byId("taken").showModal();
  const options = { headers: authorization(), cache: "no-store", signal: AbortSignal.timeout(TAKEN_MOST_MS) };
  const answer = await fetch(`/api/posts?url=${encodeURIComponent(url)}`, options)
    .then(async (response) => (response.ok ? { view: await response.json() } : { why: await response.text() }))
    .catch(() => ({ why: "the crawl does not respond" }));
  if (mine !== takenAsked) return;
  if (!answer.view) {
    write("taken-sum", answer.why);
    return;
  }
  const { view } = answer;
  const from = view.evidence.learned_from ? `, learned from ${plural(view.evidence.learned_from, "page")}` : "";
  const dates = view.dates ? `; dates at ${view.dates}` : "";
  write("taken-sum", `${view.url}: ${view.no_posts ? `no posts: ${view.no_posts}` : plural(view.posts, "post") + from + dates}`);
  byId("taken-body").replaceChildren(...takenLines(view.outline.parts));
  if (view.outline.is_cut) byId("taken-body").append(make("p.hint", {}, "The page has more."));
}

function setUpTaken() {
  const marks = Object.values(TAKEN_AS).map((field) => make("mark", { "data-as": field }, field));
  byId("taken-legend").append("Marks: ", ...marks.flatMap((mark) => [mark, " "]), "; the rest was not taken. harvestman posts teach corrects what is wrong.");
  byId("taken-close").addEventListener("click", () => byId("taken").close());
}
