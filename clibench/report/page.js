"use strict";
// The page of a report. Strings from the index and from bodies are untrusted: they are set as text, never as markup.
(() => {
  const index = JSON.parse(document.getElementById("index").textContent);
  const { metrics, jobs, tasks, cases } = index;
  const PAGE = 100;
  const waiting = new Map(); // chunk name -> promise of its body
  const arrived = new Map(); // chunk name -> how to fulfil the promise
  const byId = (id) => document.getElementById(id);

  function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (value === true) element.setAttribute(name, "");
      else if (value !== false && value != null) element.setAttribute(name, value);
    }
    for (const child of children) if (child != null) element.append(child);
    return element;
  }

  // Bodies: scripts that call clibench(name, body), as a page from disk may not fetch files.
  window.clibench = (name, body) => arrived.get(name)?.(body);
  function load(name) {
    if (!waiting.has(name)) {
      waiting.set(name, new Promise((resolve, reject) => {
        arrived.set(name, resolve);
        const script = make("script", { src: `cases/${name}.js` });
        script.onerror = () => { waiting.delete(name); reject(new Error(`cases/${name}.js is not there`)); };
        document.head.append(script);
      }));
    }
    return waiting.get(name);
  }

  function scoreCell(score) {
    const [value, low, high, missing, n] = score ?? [null, null, null, 0, 0];
    const cell = make("td", { class: "num score", title: n ? `${n} counted, ${missing} missing` : "nothing counts here" });
    cell.append(value == null ? "–" : value.toFixed(3));
    if (value != null) cell.style.setProperty("--part", `${(value * 100).toFixed(1)}%`);
    if (missing && low != null && high != null) cell.append(make("span", { class: "bounds" }, `[${low.toFixed(3)} – ${high.toFixed(3)}]`));
    return cell;
  }

  function table(columns, rows) {
    const head = make("tr", {}, ...columns.map(([name, kind]) => make("th", { scope: "col", class: kind }, name)));
    return make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows));
  }

  const scoreColumns = metrics.map((metric) => [metric, "num"]);
  const jobName = (job) => `${job.model} · ${job.framework}`;
  const chosen = { job: null };

  function showScores() {
    const columns = [["model"], ["framework"], ["dataset"], ["language"], ["difficulty"], ["sandbox"], ["judge"], ["tasks", "num"], ["missing", "num"], ...scoreColumns];
    const rows = jobs.map((job, number) => {
      const button = make("button", { type: "button", class: "link", "aria-pressed": String(chosen.job === number) }, job.framework);
      button.addEventListener("click", () => { chosen.job = chosen.job === number ? null : number; showScores(); apply(); });
      return make("tr", { class: chosen.job === number ? "on" : null },
        make("td", {}, job.model), make("td", {}, button), ...["dataset", "language", "difficulty", "sandbox", "judge"].map((name) => make("td", {}, job[name])),
        make("td", { class: "num" }, String(job.tasks)), make("td", { class: "num" }, String(job.missing)), ...metrics.map((metric) => scoreCell(job.scores[metric])));
    });
    byId("scores").replaceChildren(table(columns, rows));
  }

  const filters = { framework: byId("f-framework"), model: byId("f-model"), language: byId("f-language"), task: byId("f-task"), metric: byId("f-metric"), text: byId("f-text") };
  function fill(select, values) {
    select.replaceChildren(make("option", { value: "" }, "all"), ...values.map((value) => make("option", { value }, value)));
  }
  const distinct = (values) => [...new Set(values)].sort();

  function firstFailed(mask) {
    for (let bit = 0; bit < metrics.length; bit++) if (mask & (1 << bit)) return metrics[bit];
    return "missing";
  }

  function taskMatches(task) {
    const job = jobs[task.job];
    return (chosen.job == null || chosen.job === task.job)
      && (!filters.framework.value || job.framework === filters.framework.value)
      && (!filters.model.value || job.model === filters.model.value)
      && (!filters.language.value || task.language === filters.language.value)
      && (!filters.task.value || task.task === filters.task.value);
  }

  let matching = [];
  let shown = 0;
  function apply() {
    const wanted = tasks.map(taskMatches);
    showTasks(wanted);
    const metric = filters.metric.value, words = filters.text.value.toLowerCase();
    matching = cases.filter((row) => wanted[row[0]] && (!metric || firstFailed(row[4]) === metric) && (!words || row[5].toLowerCase().includes(words) || row[3].toLowerCase().includes(words)));
    shown = 0;
    byId("cases").replaceChildren();
    more();
  }

  function more() {
    const next = matching.slice(shown, shown + PAGE);
    byId("cases").append(...next.map(caseRow));
    shown += next.length;
    byId("more").hidden = shown >= matching.length;
    byId("count").textContent = matching.length ? `${matching.length.toLocaleString("en")} of ${cases.length.toLocaleString("en")} failed or missing cases match; ${shown.toLocaleString("en")} are listed.` : "No failed case matches.";
  }

  function showTasks(wanted) {
    const columns = [["job"], ["task"], ["language"], ["difficulty"], ["category"], ["outcome"], ["cases", "num"], ...scoreColumns, ["remark"]];
    const rows = tasks.flatMap((task, number) => wanted[number] ? [taskRow(task, number)] : []);
    byId("tasks").replaceChildren(table(columns, rows));
  }

  function taskRow(task, number) {
    const remark = make("td", { class: "reason" }, task.reason);
    if (task.lost) remark.append(make("div", { class: "soft" }, `Cases are not shown: ${task.lost}`));
    if (task.log) {
      const details = make("details", {}, make("summary", {}, "last lines of the build log"));
      details.addEventListener("toggle", async () => {
        if (!details.open || details.children.length > 1) return;
        const place = make("pre", { tabindex: "0" }, "…");
        details.append(place);
        try { place.textContent = (await load(`${number}-build`)).log; } catch (error) { place.textContent = error.message; }
      });
      remark.append(details);
    }
    return make("tr", {}, make("td", {}, jobName(jobs[task.job])), make("th", { scope: "row" }, task.task), make("td", {}, task.language), make("td", {}, task.difficulty), make("td", {}, task.category),
      make("td", {}, make("span", { class: `tag ${task.outcome === "pass" ? "pass" : "fail"}` }, task.outcome)), make("td", { class: "num" }, String(task.cases)), ...metrics.map((metric) => scoreCell(task.scores[metric])), remark);
  }

  function showQuality() {
    const rows = index.quality ?? [];
    byId("quality-section").hidden = !rows.length;
    const columns = [["task"], ...["cases", "effective", "negative", "flagged", "masked", "quarantined", "mutants run", "killed", "of changed", "of compared", "exec", "sp", "em", "reject"].map((name) => [name, "num"]), ["remarks"]];
    const number = (value) => make("td", { class: "num" }, value == null ? "–" : String(value));
    byId("quality").replaceChildren(table(columns, rows.map((row) => {
      const [run, changed, compared, killed] = row.mutants ?? [];
      const remarks = make("td", { class: "reason" }, row.state === "fresh" ? "" : `audit ${row.state}`);
      const list = (title, lines) => { if (lines?.length) remarks.append(make("div", {}, `${title}: ${lines.join("; ")}`)); };
      list("weak", row.weak);
      list("no mutant killed", row.unkilled);
      list("quarantined", row.quarantined);
      if (row.reproduced != null) list("run anew", [`${row.reproduced} of ${row.cases} cases as frozen`]);
      if (row.survivors?.length) {
        remarks.append(make("details", {}, make("summary", {}, `${row.survivors.length + row.more} survivors`),
          ...row.survivors.map(([where, before, after]) => make("div", {}, make("p", { class: "soft" }, where), make("pre", { tabindex: "0" }, `- ${before}\n+ ${after}`))),
          row.more ? make("p", { class: "soft" }, `${row.more} more are in the task's audit.json.`) : null));
      }
      return make("tr", {}, make("th", { scope: "row" }, row.task), ...[row.cases, row.effective, row.negative, row.flagged, row.masked, row.quarantined?.length, run, killed].map(number),
        ...[changed, compared].map((whole) => number(whole ? `${Math.round((100 * killed) / whole)} %` : null)), ...(row.tiers ?? [null, null, null, null]).map(number), remarks);
    })));
  }

  function caseRow([taskNumber, chunk, place, id, mask, command]) {
    const task = tasks[taskNumber];
    const details = make("details", { class: "case", id: `case-${taskNumber}-${chunk}-${place}` }, make("summary", {},
      make("span", { class: "tag fail" }, firstFailed(mask)), make("code", {}, command), make("span", { class: "soft" }, `${task.task} ${id} · ${jobName(jobs[task.job])}`)));
    details.addEventListener("toggle", async () => {
      if (details.open) history.replaceState(null, "", `#${details.id}`);
      if (!details.open || details.children.length > 1) return;
      const body = make("div", {}, make("p", { class: "soft" }, "Loading…"));
      details.append(body);
      try {
        const { cases: bodies, fixtures } = await load(`${taskNumber}-${chunk}`);
        body.replaceChildren(...caseBody(bodies[place], fixtures));
      } catch (error) {
        details.open = false;
        body.remove();
        byId("count").textContent = error.message;
      }
    });
    return details;
  }

  function caseBody(body, fixtures) {
    const parts = [];
    const heading = (name) => parts.push(make("h3", {}, name));
    const pre = (content) => make("pre", { tabindex: "0" }, content);
    if (body.infra) { heading("Missing: could not be run or judged"); parts.push(make("p", {}, body.infra)); }
    heading("Command");
    parts.push(pre([...(body.env ?? []), body.command].join(" ") + (body.cwd ? `\n(in ${body.cwd})` : "")));
    if (body.stdin != null) { heading("Standard input"); parts.push(pre(body.stdin)); }
    heading("Verdict");
    parts.push(make("p", {}, ...body.checks.flatMap(([metric, passed, reason]) => passed == null ? [] : [make("span", { class: `tag ${passed ? "pass" : "fail"}`, title: reason }, `${metric} ${passed ? "passes" : "fails"}`), " "])));
    const reasons = [...new Set(body.checks.filter(([, passed, reason]) => passed === false && reason).map(([, , reason]) => reason))];
    for (const reason of reasons) parts.push(make("p", {}, reason));
    if (body.difference) {
      heading(`First difference, at ${body.difference[0]}`);
      parts.push(pair(pre(body.difference[1]), pre(body.difference[2])));
    }
    const state = fixtures[body.fixture];
    if (state) { heading("Fixture: what was there before"); parts.push(fixture(state)); }
    if (!body.status) return parts;
    heading("Exit status");
    parts.push(pair(pre(body.status[0]), pre(body.status[1] ?? "was not run")));
    heading("Standard output");
    parts.push(pair(make("p", { class: "soft" }, body.sizes[0]), make("p", { class: "soft" }, body.sizes[1] ?? "")), sides(body.stdout));
    if (body.stderr) { heading("Standard error (not compared)"); parts.push(pair(pre(body.stderr[0]), pre(body.stderr[1] ?? ""))); }
    if (body.effects) { heading("Side effects"); parts.push(...effects(body.effects)); }
    return parts;
  }

  function pair(left, right) {
    return make("div", { class: "pair" }, make("div", {}, make("span", { class: "soft" }, "original tool"), left), make("div", {}, make("span", { class: "soft" }, "submission"), right));
  }

  function fixture(state) {
    const rows = state.entries.map(([path, what, content]) => make("tr", {}, make("td", {}, make("code", {}, path)), make("td", {}, what), make("td", {}, content ? make("pre", { tabindex: "0" }, content) : "")));
    const box = make("div", { class: "scroll" });
    if (rows.length) box.append(table([["path"], ["what"], ["content"]], rows));
    if (state.prepare) box.append(make("p", {}, "prepared by ", make("code", {}, state.prepare)));
    if (!rows.length && !state.prepare) box.append(make("p", { class: "soft" }, "An empty workspace."));
    return box;
  }

  function sides({ from, first, lines, expected, actual }) {
    const column = (side, other, total) => {
      const body = make("tbody");
      side.forEach((line, place) => {
        const number = from + place;
        const differs = other != null && line !== other[place];
        const content = make("td");
        const blanks = line.length - line.trimEnd().length;
        content.append(line.slice(0, line.length - blanks));
        if (blanks) content.append(make("i", { title: "blanks at the end of the line" }, line.slice(line.length - blanks)));
        const row = make("tr", { class: number === first ? "first" : differs ? "differs" : null }, make("td", {}, number === first ? `▶ ${number}` : String(number)), content);
        body.append(row);
      });
      const last = from + side.length - 1;
      if (first != null && first > last && first <= total + 1) body.append(make("tr", { class: "first" }, make("td", {}, `▶ ${first}`), make("td", {}, "(ends here)")));
      if (!side.length && first == null) body.append(make("tr", {}, make("td"), make("td", { class: "soft" }, "(nothing)")));
      if (last < total) body.append(make("tr", {}, make("td", {}, "…"), make("td", {}, `${(total - last).toLocaleString("en")} more lines`)));
      return make("table", { class: "lines", tabindex: "0" }, body);
    };
    return pair(column(expected, actual, lines[0]), actual == null ? make("p", { class: "soft" }, "was not run") : column(actual, expected, lines[1]));
  }

  function effects(rows) {
    const parts = [make("div", { class: "scroll" })];
    const list = table([["path"], ["original tool"], ["submission"]], rows.map((row) => make("tr", { class: row.first ? "first" : row.differs ? "differs" : null },
      make("td", {}, row.first ? "▶ " : "", make("code", {}, row.path)), make("td", {}, row.expected), make("td", {}, row.actual ?? "was not run"))));
    list.classList.add("effects");
    parts[0].append(list);
    for (const row of rows) if (row.content) parts.push(make("h3", {}, `Content of ${row.path}`), sides(row.content));
    return parts;
  }

  fill(filters.framework, distinct(jobs.map((job) => job.framework)));
  fill(filters.model, distinct(jobs.map((job) => job.model)));
  fill(filters.language, distinct(tasks.map((task) => task.language)));
  fill(filters.task, distinct(tasks.map((task) => task.task)));
  fill(filters.metric, [...metrics.slice(1), "missing"]);
  byId("summary").textContent = `${jobs.length} jobs, ${tasks.length} graded tasks, ${tasks.reduce((sum, task) => sum + task.cases, 0).toLocaleString("en")} cases, of which ${cases.length.toLocaleString("en")} failed or missing are listed below.`;
  byId("filters").addEventListener("submit", (event) => event.preventDefault());
  byId("filters").addEventListener("input", apply);
  byId("filters").addEventListener("reset", () => setTimeout(() => { chosen.job = null; showScores(); apply(); }));
  byId("more").addEventListener("click", more);
  showScores();
  showQuality();
  apply();

  // A link to one case: list it first, open.
  function follow() {
    const row = cases.find(([task, chunk, place]) => location.hash === `#case-${task}-${chunk}-${place}`);
    if (!row) return;
    byId(location.hash.slice(1))?.remove();
    const details = caseRow(row);
    byId("cases").prepend(details);
    details.open = true;
    details.scrollIntoView();
  }
  window.addEventListener("hashchange", follow);
  follow();
})();
