"use strict";
// Shows the data. Everything becomes text: no string of it is ever read as markup.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const { words, cases, clauses, traces, backends, verdicts } = data;
  const PAGE = 200;
  const byId = (id) => document.getElementById(id);

  /** An element with attributes, and children that are elements or text. */
  function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) if (value !== undefined) made.setAttribute(key, value);
    made.append(...children.flat().filter((child) => child !== undefined && child !== null));
    return made;
  }
  const number = (value) => value.toLocaleString("en");
  const red = verdicts.map(([, is]) => is);
  const colour = (verdict) => (red[verdict] || verdicts[verdict][0] === "fixed" ? "bad" : verdicts[verdict][0] === "passed" ? "good" : "other");

  // A stream of an old version does not say what its clauses say.
  const described = ([id, level, says]) => (level ? `${id} (${level}): ${says}` : id);
  const clauseNumber = new Map(clauses.map(([id], at) => [id, at]));
  const caseName = (of, at) => (of.case[at] < 0 ? words[of.names[at]] : cases[of.case[at]].name);
  const trialName = (of, at) => `${caseName(of, at)}/${words[of.operator[at]]}/${words[of.element_type[at]]}/${words[of.binding[at]]}`;
  const caseOperator = (of, at) => (of.case[at] < 0 ? undefined : cases[of.case[at]].operators[of.operator[at]]);

  /** A known failure's reason, and the link to its report. */
  function explained(reason) {
    const link = data.links[reason];
    if (link === undefined) return [words[reason]];
    return [words[reason], " ", /^https?:/.test(link) ? element("a", { href: link, rel: "noreferrer" }, link) : link];
  }

  // The filters live in the address, so that a link shows what its sender saw.
  const FILTERS = ["backend", "verdict", "operator", "type", "binding", "case", "clause", "finding", "question", "known", "change", "text", "trial", "rows"];
  function read() {
    const state = {};
    for (const [key, value] of new URLSearchParams(location.hash.slice(1))) if (FILTERS.includes(key)) state[key] = value;
    return state;
  }
  function address(state) {
    const parts = FILTERS.filter((key) => state[key]).map((key) => `${key}=${encodeURIComponent(state[key])}`);
    return `#${parts.join("&")}`;
  }
  function go(state, replace) {
    const to = address(state);
    if (to === location.hash || (to === "#" && location.hash === "")) return;
    if (replace) history.replaceState(null, "", to);
    else history.pushState(null, "", to);
    show();
  }

  /** The places of the trials of a backend that the filters take. */
  function matching(of, state) {
    if (state.backend && state.backend !== of.label) return [];
    const wanted = (filter, table) => (filter === undefined ? undefined : table.map((word) => word === filter));
    const operators = wanted(state.operator, words), types = wanted(state.type, words), bindings = wanted(state.binding, words);
    let kinds;
    if (state.verdict === "red") kinds = red;
    else if (state.verdict) kinds = verdicts.map(([name]) => name === state.verdict);
    const clause = state.clause === undefined ? undefined : clauseNumber.get(state.clause) ?? -1;
    const finding = state.finding === undefined ? undefined : new Set(of.findings[Number(state.finding)]?.[1] ?? []);
    // Each part of the text has to be in some part of the name; that is looked up once a word, not once a trial.
    const texts = (state.text ?? "").toLowerCase().split(/[\s/]+/).filter(Boolean);
    const has = (text, table) => table.map((word) => word.toLowerCase().includes(text));
    const tests = texts.map((text) => [has(text, words), has(text, cases.map((one) => one.name))]);
    const found = [];
    for (let at = 0; at < of.verdict.length; at++) {
      if (kinds && !kinds[of.verdict[at]]) continue;
      if (operators && !operators[of.operator[at]]) continue;
      if (types && !types[of.element_type[at]]) continue;
      if (bindings && !bindings[of.binding[at]]) continue;
      if (state.case !== undefined && caseName(of, at) !== state.case) continue;
      if (finding && !finding.has(at)) continue;
      if (clause !== undefined && !caseOperator(of, at)?.[0].includes(clause)) continue;
      if (state.question !== undefined && words[of.more[at]?.question?.[0]] !== state.question) continue;
      if (state.known !== undefined && words[of.more[at]?.known] !== state.known) continue;
      if (state.change !== undefined && `${of.changed[at] ?? ""}:${verdicts[of.verdict[at]][0]}` !== state.change) continue;
      if (tests.length && !tests.every(([word, name]) =>
        (of.case[at] < 0 ? word[of.names[at]] : name[of.case[at]]) || word[of.operator[at]] || word[of.element_type[at]] || word[of.binding[at]])) continue;
      found.push(at);
    }
    return found;
  }

  // The matrix.
  function tally() {
    return { passed: 0, red: 0, known: 0, recorded: 0, skipped: 0, other: 0 };
  }
  const group = verdicts.map(([name, is]) => (is ? "red" : ["passed", "known", "recorded", "skipped"].includes(name) ? name : "other"));
  function cell(of, counts, filter) {
    const asked = counts.passed + counts.red + counts.known + counts.recorded + counts.other;
    if (!asked) return element("td", { class: "none" }, "–");
    const parts = [];
    if (counts.red) parts.push(element("strong", { class: "bad" }, `✗ ${number(counts.red)} failed`));
    if (counts.known) parts.push(element("span", { class: "other" }, `${number(counts.known)} known`));
    if (counts.other) parts.push(element("span", { class: "other" }, `${number(counts.other)} other`));
    if (counts.passed) parts.push(element("span", { class: "good" }, `${number(counts.passed)} passed`));
    if (counts.recorded) parts.push(element("span", { class: "dim" }, `${number(counts.recorded)} recorded`));
    const href = address({ ...filter, backend: of.label, verdict: counts.red ? "red" : undefined });
    return element("td", {}, parts.map((part) => element("a", { class: "cell", href }, part)));
  }
  function matrix(state) {
    const byClause = state.rows === "clause";
    const rows = new Map();
    const row = (name) => {
      if (!rows.has(name)) rows.set(name, backends.map(tally));
      return rows.get(name);
    };
    backends.forEach((of, column) => {
      for (let at = 0; at < of.verdict.length; at++) {
        const kind = group[of.verdict[at]];
        if (!byClause) row(words[of.operator[at]])[column][kind]++;
        else if (!of.similar) for (const clause of caseOperator(of, at)?.[0] ?? []) row(clauses[clause][0])[column][kind]++;
      }
    });
    const button = (label, value) => {
      const made = element("button", { type: "button", "aria-pressed": String((state.rows === "clause") === (value === "clause")) }, label);
      made.addEventListener("click", () => go({ ...read(), rows: value }));
      return made;
    };
    const names = [...rows.keys()].filter((name) => rows.get(name).some((counts) => counts.passed + counts.red + counts.known + counts.recorded + counts.other));
    const order = new Map(names.map((name) => [name, rows.get(name).reduce((sum, counts) => sum + counts.red, 0)]));
    const natural = new Intl.Collator("en", { numeric: true });
    names.sort((a, b) => order.get(b) - order.get(a) || natural.compare(a, b));
    const head = element("tr", {}, element("th", { scope: "col" }, byClause ? "clause" : "operator"), backends.map((of) => element("th", { scope: "col" }, of.label)));
    const body = names.map((name) => {
      const level = byClause ? clauses[clauseNumber.get(name)] : undefined;
      const title = element("th", { scope: "row" }, element("code", {}, name), level ? element("span", { class: "dim" }, ` ${level[1]}`) : undefined,
        level ? element("div", { class: "clause version" }, level[2]) : undefined);
      return element("tr", {}, title, rows.get(name).map((counts, column) => cell(backends[column], counts, byClause ? { clause: name, rows: "clause" } : { operator: name })));
    });
    byId("matrix").querySelector("div").replaceChildren(
      element("div", { class: "bar", role: "group", "aria-label": "Rows of the matrix" }, button("by operator", "operator"), button("by clause", "clause")),
      element("div", { class: "scroll" }, element("table", {}, element("thead", {}, head), element("tbody", {}, body))));
    byId("matrix").hidden = false;
  }

  // The trials.
  const controls = {};
  function buildTrials() {
    const used = (column) => [...new Set(backends.flatMap((of) => [...new Set(of[column])]))].map((at) => words[at]);
    const natural = new Intl.Collator("en", { numeric: true });
    const select = (key, label, options) => {
      const made = element("select", {}, element("option", { value: "" }, "all"), options.map((option) => element("option", { value: option }, option)));
      made.addEventListener("change", () => go({ ...read(), trial: undefined, [key]: made.value || undefined }));
      controls[key] = made;
      return element("label", {}, label, made);
    };
    const text = element("input", { type: "search", placeholder: "parts of a name", autocomplete: "off", spellcheck: "false" });
    text.addEventListener("input", () => go({ ...read(), trial: undefined, text: text.value || undefined }, true));
    controls.text = text;
    const seen = new Set(backends.flatMap((of) => [...new Set(of.verdict)]));
    const kinds = [...(backends.some((of) => of.verdict.some((kind) => red[kind])) ? ["red"] : []), ...verdicts.map(([name]) => name).filter((_, at) => seen.has(at))];
    const clear = element("button", { type: "button" }, "Clear");
    clear.addEventListener("click", () => go({}));
    byId("trials").querySelector("div").replaceChildren(
      element("form", { class: "filters", role: "search", "aria-label": "Filters" },
        element("label", { class: "wide" }, "Name", text),
        select("backend", "Backend", backends.map((of) => of.label)),
        select("verdict", "Verdict", kinds),
        select("operator", "Operator", used("operator").sort(natural.compare)),
        select("type", "Element type", used("element_type").sort(natural.compare)),
        select("binding", "Binding", used("binding").sort(natural.compare)),
        select("clause", "Clause", clauses.map(([id]) => id).sort(natural.compare))),
      element("div", { class: "bar" }, element("span", { id: "count", role: "status", "aria-live": "polite" }), element("span", { id: "more-filters" }), clear),
      element("div", { id: "detail" }), element("ol", { class: "trials", id: "list" }), element("div", { class: "bar", id: "rest" }));
    byId("trials").querySelector("form").addEventListener("submit", (event) => event.preventDefault());
    byId("trials").hidden = false;
  }
  function listed(of, at, state) {
    const answer = of.more[at]?.question;
    const said = answer ? `${words[answer[0]]}: ${words[answer[1]]}` : caseOperator(of, at)?.[1] ?? "";
    return element("li", {}, element("a", { href: address({ ...state, backend: state.backend, trial: `${of.label} ${trialName(of, at)}` }) },
      element("span", { class: `verdict ${colour(of.verdict[at])}` }, verdicts[of.verdict[at]][0]), element("code", {}, trialName(of, at)),
      element("span", { class: "of" }, backends.length > 1 ? `${of.label} · ${said}` : said)));
  }
  let pending = [];
  function page(state, results, from) {
    const part = results.slice(from, from + PAGE);
    const items = part.map(([of, at]) => listed(of, at, state));
    byId("list").append(...items);
    byId("rest").replaceChildren();
    if (from + PAGE < results.length) {
      const more = element("button", { type: "button" }, `Show ${number(Math.min(PAGE, results.length - from - PAGE))} more`);
      more.addEventListener("click", () => {
        page(state, results, from + PAGE);
        byId("list").children[from + PAGE]?.querySelector("a").focus();
      });
      byId("rest").append(more);
    }
  }
  function list(state) {
    for (const [key, control] of Object.entries(controls)) if (control.value !== (state[key] ?? "")) control.value = state[key] ?? "";
    const without = { ...state, trial: undefined };
    pending = backends.flatMap((of) => matching(of, without).map((at) => [of, at]));
    // What failed comes first; within that, the order of the names stays.
    const rank = ([of, at]) => (red[of.verdict[at]] ? 0 : group[of.verdict[at]] === "passed" ? 2 : 1);
    pending.sort((a, b) => rank(a) - rank(b));
    const all = backends.reduce((sum, of) => sum + of.verdict.length, 0);
    byId("count").textContent = `${number(pending.length)} of ${number(all)} trials`;
    const extra = ["case", "finding", "question", "known", "change"].filter((key) => state[key] !== undefined).map((key) => {
      const value = key === "finding" ? backends.find((of) => of.label === state.backend)?.findings[Number(state.finding)]?.[0] ?? state.finding
        : key === "change" ? state.change.replace(":", " → ") : state[key];
      const remove = element("button", { type: "button", "aria-label": `Remove the filter ${key} ${value}` }, `${key}: ${value} ×`);
      remove.addEventListener("click", () => go({ ...read(), [key]: undefined }));
      return remove;
    });
    byId("more-filters").replaceChildren(...extra);
    byId("list").replaceChildren();
    page(without, pending, 0);
  }

  // One trial.
  function copyButton(text) {
    const button = element("button", { type: "button" }, "Copy");
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(text());
        button.textContent = "Copied";
      } catch {
        // Without the right to write there, the text is selected instead.
        const range = document.createRange();
        range.selectNodeContents(button.previousElementSibling);
        getSelection().removeAllRanges();
        getSelection().addRange(range);
        button.textContent = "Selected: copy it";
      }
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    });
    return button;
  }
  const MARKS = { expected: "expected  ", got: "got       ", mark: "          ", same: "  ", minus: "- ", plus: "+ ", log: "    ", text: "" };
  const CLASSES = { expected: "good", minus: "good", got: "bad", mark: "bad", plus: "bad" };
  function detail(state) {
    const place = byId("detail");
    place.replaceChildren();
    if (!state.trial) return;
    // A link from a finding names the trial alone, and its backend as a filter.
    const space = state.trial.lastIndexOf(" ");
    const [label, name] = [space < 0 ? state.backend : state.trial.slice(0, space), state.trial.slice(space + 1)];
    const of = label === undefined ? backends[0] : backends.find((one) => one.label === label);
    const at = of ? of.verdict.findIndex((_, at) => trialName(of, at) === name) : -1;
    if (at < 0) {
      place.append(element("p", { class: "note" }, `There is no trial ${name}${label === undefined ? "" : ` of ${label}`} here.`));
      return;
    }
    const more = of.more[at] ?? {}, told = caseOperator(of, at), one = of.case[at] < 0 ? undefined : cases[of.case[at]];
    const line = (term, ...what) => element("p", {}, element("span", { class: "dim" }, `${term} `), ...what);
    const title = element("h3", { tabindex: "-1", id: "detail-title" }, element("span", { class: colour(of.verdict[at]) }, verdicts[of.verdict[at]][0]), " ", element("code", {}, name));
    const card = element("article", { class: "detail", "aria-labelledby": "detail-title" }, title, line("backend", `${of.label} ${of.version}`));
    if (one) card.append(line("case", element("a", { href: address({ case: one.name }) }, one.name), ` (${one.file}:${one.line})`));
    if (told) card.append(line("asks", element("code", {}, told[1])), line("expects", element("code", {}, told[2])));
    if (more.question) card.append(line("open question", element("a", { href: address({ question: words[more.question[0]] }) }, words[more.question[0]]), `; it answered ${words[more.question[1]]}`));
    if (more.known !== undefined) card.append(line("known failure", ...explained(more.known)));
    if (more.unavailable !== undefined) card.append(line("skipped, not possible here:", words[more.unavailable]));
    if (more.outside_sample !== undefined) card.append(line("skipped: outside the sample of", words[more.outside_sample]));
    if (more.accident !== undefined) card.append(line("rejected by accident, by an internal error and not by a check:", words[more.accident]));
    if (more.attempts) card.append(line("attempts", more.attempts.join(", then ")));
    if (of.changed[at]) card.append(line("in the other run", of.changed[at]));
    of.findings.forEach(([says, trials], index) => {
      if (trials.includes(at)) card.append(line("cause", element("a", { href: address({ backend: of.label, finding: String(index) }) }, says)));
    });
    if (more.diff) card.append(element("pre", { class: "diff" }, more.diff.map(([kind, text]) => element("span", { class: CLASSES[kind] }, `${MARKS[kind]}${text}\n`))));
    if (more.trace !== undefined) {
      const statement = (id) => {
        const known = clauses[clauseNumber.get(id)] ?? [id, ""];
        return element("span", { class: "clause" }, element("a", { href: address({ clause: id, rows: "clause" }) }, id), described(known).slice(id.length));
      };
      const steps = traces[more.trace].map(([says, fault, ids]) => element("li", {}, element("span", { class: fault ? "bad" : undefined }, words[says]), of.similar ? [] : ids.map((id) => statement(words[id]))));
      card.append(element("h4", {}, "What the text says"), element("ol", { class: "trace" }, steps));
    } else if (told && !of.similar) {
      card.append(element("p", { class: "clause" }, told[0].map((clause) => element("span", {}, `${described(clauses[clause])} `))));
    }
    if (more.again) card.append(element("p", { class: "again" }, element("code", {}, more.again), copyButton(() => more.again)));
    const close = element("button", { type: "button" }, "Close");
    close.addEventListener("click", () => go({ ...read(), trial: undefined }));
    card.append(element("div", { class: "bar" }, close));
    place.append(card);
    title.focus({ preventScroll: true });
    card.scrollIntoView({ block: "nearest" });
  }
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !read().trial) return;
    const href = location.hash;
    go({ ...read(), trial: undefined });
    document.querySelector(`#list a[href="${CSS.escape(href)}"]`)?.focus();
  });

  // Where the texts leave it open: what each backend does, and whether it does the same under every binding.
  function profiles() {
    const questions = new Map();
    backends.forEach((of, column) => {
      for (const [at, more] of Object.entries(of.more)) {
        if (!more.question) continue;
        const question = words[more.question[0]], said = words[more.question[1]] === "rejected" ? "rejects" : "reshapes";
        if (!questions.has(question)) questions.set(question, backends.map(() => new Map()));
        const situations = questions.get(question)[column];
        const situation = `${of.case[at] < 0 ? -of.names[at] : of.case[at]} ${of.operator[at]} ${of.element_type[at]}`;
        const before = situations.get(situation);
        situations.set(situation, before === undefined || before === words[more.question[1]] ? words[more.question[1]] : "inconsistent");
      }
    });
    if (!questions.size) return;
    const shown = (situations) => {
      const counts = new Map();
      for (const answer of situations.values()) {
        const kind = answer === "inconsistent" ? answer : answer === "rejected" ? "rejects" : "reshapes";
        counts.set(kind, (counts.get(kind) ?? 0) + 1);
      }
      return [...counts].sort().map(([kind, count]) => element("div", { class: kind === "inconsistent" ? "bad" : undefined }, `${kind} ${number(count)}`));
    };
    const body = [...questions.keys()].sort().map((question) => element("tr", {},
      element("th", { scope: "row" }, element("code", {}, question)),
      questions.get(question).map((situations, column) => situations.size
        ? element("td", {}, element("a", { class: "cell", href: address({ question, backend: backends[column].label }) }, shown(situations)))
        : element("td", { class: "none" }, "–"))));
    byId("profiles").querySelector("div").replaceChildren(
      element("p", { class: "dim" }, "How many situations (case, operator, element type) each backend answered in which way, whatever the binding; inconsistent where two bindings were answered differently."),
      element("div", { class: "scroll" }, element("table", {},
        element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "question"), backends.map((of) => element("th", { scope: "col" }, of.label)))),
        element("tbody", {}, body))));
    byId("profiles").hidden = false;
  }

  // What the known failures explain, by their reasons.
  function known() {
    const rows = backends.flatMap((of) => {
      const counts = new Map();
      for (const [at, more] of Object.entries(of.more)) {
        if (more.known === undefined) continue;
        const key = `${more.known} ${of.verdict[at]}`;
        counts.set(key, (counts.get(key) ?? 0) + 1);
      }
      return [...counts].sort((a, b) => b[1] - a[1]).map(([key, count]) => {
        const [reason, verdict] = key.split(" ").map(Number);
        const href = address({ backend: of.label, known: words[reason], verdict: verdicts[verdict][0] });
        return element("tr", {}, element("th", { scope: "row" }, of.label), element("td", { class: colour(verdict) }, verdicts[verdict][0]),
          element("td", {}, explained(reason)), element("td", { class: "number" }, element("a", { href }, number(count))));
      });
    });
    if (!rows.length) return;
    byId("known").querySelector("div").replaceChildren(element("div", { class: "scroll" }, element("table", {},
      element("thead", {}, element("tr", {}, ["backend", "counted as", "reason", "trials"].map((head) => element("th", { scope: "col" }, head)))),
      element("tbody", {}, rows))));
    byId("known").hidden = false;
  }

  // What changed since the other run.
  function changes() {
    if (!data.before) return;
    const rows = backends.flatMap((of) => {
      const counts = new Map();
      for (const [at, was] of Object.entries(of.changed)) {
        const key = `${was}:${verdicts[of.verdict[at]][0]}`;
        counts.set(key, (counts.get(key) ?? 0) + 1);
      }
      const worse = ([key]) => (red[verdicts.findIndex(([name]) => name === key.split(":")[1])] ? 0 : 1);
      const made = [...counts].sort((a, b) => worse(a) - worse(b) || (a[0] < b[0] ? -1 : 1)).map(([key, count]) => {
        const now = verdicts.findIndex(([name]) => name === key.split(":")[1]);
        return element("tr", {}, element("th", { scope: "row" }, of.label), element("td", { class: red[now] ? "bad" : undefined }, key.replace(":", " → ")),
          element("td", { class: "number" }, element("a", { href: address({ backend: of.label, change: key }) }, number(count))));
      });
      for (const [what, count] of [["new here", of.new], ["gone", of.gone]]) {
        if (count) made.push(element("tr", {}, element("th", { scope: "row" }, of.label), element("td", {}, what), element("td", { class: "number" }, number(count))));
      }
      return made;
    });
    byId("changes").querySelector("div").replaceChildren(
      element("p", { class: "dim" }, `Next to ${data.before}: each trial's verdict there and here.`),
      rows.length ? element("div", { class: "scroll" }, element("table", {},
        element("thead", {}, element("tr", {}, ["backend", "verdict", "trials"].map((head) => element("th", { scope: "col" }, head)))), element("tbody", {}, rows)))
        : element("p", {}, "No verdict changed."));
    byId("changes").hidden = false;
  }

  let last;
  function show() {
    const state = read();
    // A link that does not speak of the rows leaves them as they are.
    state.rows ??= last?.rows;
    if (!last || last.rows !== state.rows) matrix(state);
    list(state);
    detail(state);
    const filtered = FILTERS.some((key) => key !== "rows" && state[key]);
    if (filtered && (!last || !FILTERS.some((key) => key !== "rows" && key !== "text" && last[key])) && document.activeElement !== controls.text) byId(state.trial ? "detail" : "trials").scrollIntoView();
    last = state;
  }

  for (const time of document.querySelectorAll("time[data-started]")) {
    const started = new Date(Number(time.dataset.started));
    if (Number(time.dataset.started)) [time.textContent, time.dateTime] = [started.toLocaleString(), started.toISOString()];
  }
  for (const again of document.querySelectorAll("p.again")) again.append(copyButton(() => again.querySelector("code").textContent));
  buildTrials();
  changes();
  known();
  profiles();
  addEventListener("popstate", show);
  addEventListener("hashchange", show);
  show();
  document.documentElement.dataset.ready = "true";
})();
