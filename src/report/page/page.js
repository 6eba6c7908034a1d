// Makes pages of Wattune interactive: tables that sort, Trials that are filtered and drawn, commands that are copied.
// All texts come from data and are set as text, never as HTML. Without this script the page has all of its summaries.
"use strict";
(() => {
  const make = (tag, attributes = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name in element && typeof value !== "string") element[name] = value;
      else element.setAttribute(name, value);
    }
    element.append(...children);
    return element;
  };

  // Commands: a button for each copies it.

  const copy = async (text, button) => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = make("textarea", { "aria-hidden": "true" });
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
      button.focus();
    }
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  };

  for (const command of document.querySelectorAll(".command")) {
    const text = command.querySelector("code").textContent;
    const button = make("button", { class: "small", type: "button", "aria-label": "Copy the command" }, "Copy");
    button.addEventListener("click", () => copy(text, button));
    command.append(button);
  }

  // Tables: a click on a title sorts by that column.

  const numberIn = (text) => {
    const match = /^[=~<>]*\s*(-?[\d,]*\.?\d+(?:e[-+]?\d+)?)\s*([a-zµ%]*)/i.exec(text);
    const units = { ns: 1e-9, us: 1e-6, ms: 1e-3, s: 1, min: 60, h: 3600 };
    return match ? Number(match[1].replaceAll(",", "")) * (units[match[2]] ?? 1) : NaN;
  };

  // Compares two keys; those without a value come last in either direction.
  const compare = (a, b, sign) => {
    const lackA = a === null || Number.isNaN(a), lackB = b === null || Number.isNaN(b);
    if (lackA || lackB) return lackA - lackB;
    return sign * (a < b ? -1 : a > b ? 1 : 0);
  };

  // Puts a button into each title. `sort` is called with the place of a column and with 1 or -1.
  const addSorting = (table, sort) => {
    const titles = [...table.tHead.rows[0].cells];
    titles.forEach((title, column) => {
      const button = make("button", { type: "button" }, title.textContent);
      title.replaceChildren(button);
      button.addEventListener("click", () => {
        const sign = title.getAttribute("aria-sort") === "ascending" ? -1 : 1;
        for (const each of titles) each.removeAttribute("aria-sort");
        title.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
        sort(column, sign);
      });
    });
  };

  const sortRows = (table, column, sign) => {
    const rows = [...table.tBodies[0].rows];
    const texts = rows.map((row) => row.cells[column].textContent);
    const numbers = texts.map(numberIn);
    const numeric = texts.every((text, i) => text === "" || text === "?" || text === "-" || !Number.isNaN(numbers[i]));
    const keys = numeric ? numbers : texts;
    const order = rows.map((_, i) => i).sort((a, b) => compare(keys[a], keys[b], sign) || a - b);
    table.tBodies[0].replaceChildren(...order.map((i) => rows[i]));
  };

  for (const table of document.querySelectorAll("table")) {
    if (table.closest(".trials") || table.tBodies[0].rows.length < 2) continue;
    addSorting(table, (column, sign) => sortRows(table, column, sign));
  }

  // Data of Trials, a column for each figure and parameter (trial_data.h).

  class Trials {
    constructor(data) {
      Object.assign(this, data);
      for (const column of this.columns) column.of = new Set(column.of);
      this.shown = this.columns.filter((column) => !column.more);
      this.parameters = this.columns.filter((column) => column.d);
      this.xs = this.columns.filter((column) => column.v && (column.kind !== ""));
      this.ys = this.columns.filter((column) => column.kind === "result");
    }
    text(column, row) {
      if (column.lo) {
        return column.lo[row] === null ? "" : column.lo[row].toFixed(column.f) + " .. " + column.hi[row].toFixed(column.f);
      }
      const value = column.v[row];
      if (column === this.columns[this.time] && row >= this.ranked) return this.statuses[this.status[row - this.ranked]];
      if (value === null) return "";
      if (column.d) return column.d[value];
      const mark = column.of.has(row) ? column.mark : "";
      return mark + (column.f === undefined ? String(value) : value.toFixed(column.f)) + (column.f === 2 ? "x" : "");
    }
    key(column, row) {
      return column.lo ? column.lo[row] : column.v[row];
    }
    describe(row) {
      return this.shown.filter((column) => this.text(column, row) !== "")
        .map((column) => column.t + " " + this.text(column, row)).join(", ");
    }
  }

  // Parses a filter such as "time < 1.5 and MWG = 64"; returns a test of rows, or a text with what is wrong.
  const parseFilter = (text, trials) => {
    const tests = [];
    for (const part of text.split(/\s+and\s+|,/i).map((each) => each.trim()).filter(Boolean)) {
      const match = /^(.+?)\s*(<=|>=|!=|==|=|<|>)\s*(.+)$/.exec(part);
      if (!match) return "A condition has a name, one of = != < <= > >=, and a value: " + part;
      const [, name, operator, wanted] = match;
      const named = (column) => column.t === name || column.t.replace(/ \(.*\)$/, "") === name;
      const column = trials.columns.find((each) => each.v && named(each));
      if (!column) return "No column has this name: " + name;
      const number = Number(wanted);
      tests.push((row) => {
        if (column.v[row] === null) return false;
        const value = column.d ? column.d[column.v[row]] : column.v[row];
        const numeric = !Number.isNaN(number) && value !== "" && !Number.isNaN(Number(value));
        const a = numeric ? Number(value) : String(value), b = numeric ? number : wanted;
        return { "=": a === b, "==": a === b, "!=": a !== b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b }[operator];
      });
    }
    return (row) => tests.every((test) => test(row));
  };

  const ROWS_OF_PAGE = 1000;  // most rows that the table shows at once
  const LINES = 4000;         // most lines that parallel coordinates draw
  let counter = 0;            // numbers elements that labels name

  const property = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  let printing = false;
  const inks = () => printing
    ? { ink: "#000", quiet: "#474d55", line: "#b9bec6", dot: "#0d65a8", best: "#ad4800", ground: "#fff" }
    : { ink: property("--ink"), quiet: property("--quiet"), line: property("--line"), dot: property("--blue"),
      best: property("--orange"), ground: property("--card") };

  const niceTicks = (low, high, wanted) => {
    if (!(high > low)) return [low];
    const raw = (high - low) / wanted, power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= raw);
    const ticks = [];
    for (let tick = Math.ceil(low / step) * step; tick <= high + step * 1e-9; tick += step) ticks.push(tick);
    return ticks;
  };
  const short = (value) => String(Number(value.toPrecision(4)));

  // A canvas that fits its box, with a tip and a line that tells the chosen row to screen readers.
  class Plot {
    constructor(parent, title, height) {
      this.height = height;
      this.canvas = make("canvas", { role: "img", tabindex: "0", "aria-label": title });
      this.tip = make("div", { class: "tip", hidden: true });
      this.box = make("div", { class: "plot" }, this.canvas, this.tip);
      this.told = make("p", { class: "status", "aria-live": "polite" });
      parent.append(this.box, this.told);
      this.chosen = -1;
      this.canvas.addEventListener("mousemove", (event) => this.choose(this.near(event.offsetX, event.offsetY), false));
      this.canvas.addEventListener("mouseleave", () => { this.tip.hidden = true; });
      this.canvas.addEventListener("keydown", (event) => {
        const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
        if (!step || !this.rows.length) return;
        event.preventDefault();
        const at = this.rows.indexOf(this.chosen);
        this.choose(this.rows[Math.min(Math.max(at + step, 0), this.rows.length - 1)], true);
      });
      new ResizeObserver(() => this.draw()).observe(this.box);
    }
    begin() {
      const ratio = window.devicePixelRatio || 1;
      this.width = Math.max(this.box.clientWidth, 200);
      this.canvas.width = this.width * ratio;
      this.canvas.height = this.height * ratio;
      this.canvas.style.height = this.height + "px";
      const pen = this.canvas.getContext("2d");
      pen.scale(ratio, ratio);
      pen.clearRect(0, 0, this.width, this.height);
      pen.font = "12px system-ui, sans-serif";
      return pen;
    }
    choose(row, aloud) {
      if (row === undefined || row < 0) {
        this.tip.hidden = true;
        return;
      }
      this.chosen = row;
      const text = this.trials.describe(row);
      if (aloud) this.told.textContent = text;
      this.tip.textContent = text;
      this.tip.hidden = false;
      const [x, y] = this.place(row);
      this.tip.style.left = Math.max(0, Math.min(x + 12, this.width - this.tip.offsetWidth)) + "px";
      this.tip.style.top = (y + 14) + "px";
      this.draw();
    }
  }

  class Scatter extends Plot {
    constructor(parent, trials) {
      super(parent, "Configurations by two figures; arrow keys go from one to the next", 340);
      this.trials = trials;
      this.rows = [];
    }
    set(rows, x, y) {
      [this.x, this.y] = [x, y];
      this.rows = rows.filter((row) => x.v[row] !== null && y.v[row] !== null);
      this.tip.hidden = true;
      this.chosen = -1;
      const ys = this.rows.map((row) => y.v[row]), xs = this.rows.map((row) => x.v[row]);
      const bounds = (values) => [values.reduce((a, b) => Math.min(a, b), Infinity), values.reduce((a, b) => Math.max(a, b), -Infinity)];
      this.yBounds = bounds(ys);
      this.xBounds = x.d ? [-0.5, x.d.length - 0.5] : bounds(xs);
      this.logarithmic = this.yBounds[0] > 0 && this.yBounds[1] > 10 * this.yBounds[0];
      this.canvas.setAttribute("aria-label", `${y.t} against ${x.t}: ${this.rows.length} configurations; arrow keys go from one to the next`);
      this.draw();
    }
    place(row) {
      const share = (value, [low, high]) => high > low ? (value - low) / (high - low) : 0.5;
      // Dots of one value are spread, so that they do not hide each other.
      const spread = this.x.d ? ((row * 0.618034) % 1 - 0.5) * 0.7 : 0;
      const of = this.logarithmic ? Math.log : (value) => value;
      return [64 + share(this.x.v[row] + spread, this.xBounds) * (this.width - 84),
        290 - share(of(this.y.v[row]), this.yBounds.map(of)) * 270];
    }
    near(x, y) {
      let best = -1, least = 20 * 20;
      for (const row of this.rows) {
        const [px, py] = this.place(row), distance = (px - x) ** 2 + (py - y) ** 2;
        if (distance < least) [best, least] = [row, distance];
      }
      return best;
    }
    draw() {
      if (!this.x) return;
      const pen = this.begin(), ink = inks();
      if (!this.rows.length) {
        pen.fillStyle = ink.quiet;
        pen.fillText("No configuration passes the filters.", 64, 150);
        return;
      }
      this.drawAxes(pen, ink);
      pen.globalAlpha = this.rows.length > 2000 ? 0.35 : 0.6;
      pen.fillStyle = ink.dot;
      for (const row of this.rows) {
        const [x, y] = this.place(row);
        pen.beginPath();
        pen.arc(x, y, 2.5, 0, 7);
        pen.fill();
      }
      pen.globalAlpha = 1;
      for (const row of [this.rows.includes(0) ? 0 : -1, this.chosen]) {
        if (row < 0) continue;
        const [x, y] = this.place(row);
        pen.strokeStyle = pen.fillStyle = ink.best;
        pen.lineWidth = 2;
        pen.beginPath();
        pen.arc(x, y, row === 0 ? 4.5 : 7, 0, 7);
        if (row === 0) pen.fill(); else pen.stroke();
      }
    }
    drawAxes(pen, ink) {
      const of = this.logarithmic ? Math.log : (value) => value;
      const [low, high] = this.yBounds;
      let ticks = niceTicks(low, high, 5);
      if (this.logarithmic) {
        ticks = [];
        for (let power = 10 ** Math.floor(Math.log10(low)); power <= high; power *= 10)
          for (const each of [1, 2, 5]) if (each * power >= low && each * power <= high) ticks.push(each * power);
      }
      pen.textAlign = "right";
      for (const tick of ticks) {
        const y = 290 - (high > low ? (of(tick) - of(low)) / (of(high) - of(low)) : 0.5) * 270;
        pen.fillStyle = ink.quiet;
        pen.fillText(short(tick), 56, y + 4);
        pen.fillStyle = ink.line;
        pen.fillRect(64, y, this.width - 84, 1);
      }
      pen.textAlign = "center";
      pen.fillStyle = ink.quiet;
      const [left, right] = this.xBounds;
      const all = this.x.d ? this.x.d.map((_, i) => i) : niceTicks(left, right, 6);
      const every = Math.ceil(all.length / Math.max(2, (this.width - 84) / 60));
      all.forEach((tick, i) => {
        const x = 64 + (right > left ? (tick - left) / (right - left) : 0.5) * (this.width - 84);
        if (i % every === 0) pen.fillText(this.x.d ? this.x.d[tick].slice(0, 10) : short(tick), x, 308);
      });
      pen.fillStyle = ink.ink;
      pen.fillText(this.x.t, 64 + (this.width - 84) / 2, 330);
      pen.textAlign = "left";
      pen.fillText(this.y.t + (this.logarithmic ? ", logarithmic" : ""), 8, 12);
    }
  }

  // A line for each configuration, through its value of each parameter; the faster, the more orange.
  class Parallel extends Plot {
    constructor(parent, trials) {
      super(parent, "Parallel coordinates; arrow keys go from one configuration to the next", 300);
      this.trials = trials;
      this.rows = [];
    }
    set(rows, y) {
      this.axes = [...this.trials.parameters, y];
      this.rows = rows.filter((row) => y.v[row] !== null).slice(0, LINES);
      this.tip.hidden = true;
      this.chosen = -1;
      const values = this.rows.map((row) => y.v[row]);
      this.low = values.reduce((a, b) => Math.min(a, b), Infinity);
      this.high = values.reduce((a, b) => Math.max(a, b), -Infinity);
      this.canvas.setAttribute("aria-label", `Parallel coordinates of ${this.rows.length} configurations, the parameters and ${y.t}; arrow keys go from one to the next`);
      this.draw();
    }
    x(axis) { return 24 + axis * (this.width - 90) / Math.max(1, this.axes.length - 1); }
    // Returns the height of a value, low ones at the bottom.
    y(axis, row) {
      const column = this.axes[axis], value = column.v[row];
      const share = column.d ? (value + 0.5) / column.d.length
        : this.high > this.low ? (Math.log(Math.abs(value) + 1e-300) - this.lowLog) / (this.highLog - this.lowLog) : 0.5;
      return 250 - share * 220;
    }
    place(row) { return [this.x(this.axes.length - 1) - 160, this.y(this.axes.length - 1, row)]; }
    near(x, y) {
      const axis = Math.round((x - 24) / ((this.width - 90) / Math.max(1, this.axes.length - 1)));
      if (axis < 0 || axis >= this.axes.length) return -1;
      let best = -1, least = 14;
      for (const row of this.rows) {
        if (this.axes[axis].v[row] === null) continue;
        const distance = Math.abs(this.y(axis, row) - y);
        if (distance < least) [best, least] = [row, distance];
      }
      return best;
    }
    draw() {
      if (!this.axes) return;
      [this.lowLog, this.highLog] = [Math.log(Math.abs(this.low) + 1e-300), Math.log(Math.abs(this.high) + 1e-300)];
      const pen = this.begin(), ink = inks();
      const path = (row) => {
        pen.beginPath();
        let begun = false;
        this.axes.forEach((column, axis) => {
          if (column.v[row] === null) return;
          if (begun) pen.lineTo(this.x(axis), this.y(axis, row)); else pen.moveTo(this.x(axis), this.y(axis, row));
          begun = true;
        });
        pen.stroke();
      };
      const fast = Math.max(1, Math.ceil(this.rows.length / 20));
      for (let i = this.rows.length - 1; i >= 0; --i) {
        pen.globalAlpha = i < fast ? 0.8 : Math.max(0.06, Math.min(0.5, 40 / this.rows.length));
        pen.strokeStyle = i < fast ? ink.best : ink.dot;
        pen.lineWidth = i < fast ? 1.4 : 1;
        path(this.rows[i]);
      }
      pen.globalAlpha = 1;
      if (this.chosen >= 0) {
        pen.strokeStyle = ink.ink;
        pen.lineWidth = 3;
        path(this.chosen);
      }
      this.axes.forEach((column, axis) => this.drawAxis(pen, ink, column, axis));
    }
    drawAxis(pen, ink, column, axis) {
      const x = this.x(axis), room = Math.max(4, Math.floor((this.width - 90) / Math.max(1, this.axes.length - 1) / 7));
      pen.fillStyle = ink.quiet;
      pen.fillRect(x, 30, 1, 220);
      pen.textAlign = "left";
      const label = (text, y) => {
        const shown = text.slice(0, room);
        pen.fillStyle = ink.ground;
        pen.globalAlpha = 0.75;
        pen.fillRect(x + 3, y - 9, pen.measureText(shown).width + 2, 12);
        pen.globalAlpha = 1;
        pen.fillStyle = ink.ink;
        pen.fillText(shown, x + 4, y);
      };
      if (column.d) {
        const every = Math.ceil(column.d.length / 14);
        column.d.forEach((text, i) => { if (i % every === 0) label(text, 254 - (i + 0.5) / column.d.length * 220); });
      } else if (this.rows.length) {
        label(short(this.low), 254);
        label(short(this.high), 34);
      }
      pen.fillStyle = ink.ink;
      pen.fillText(column.t.slice(0, room), Math.max(2, x - 10), axis % 2 ? 288 : 272);
    }
  }

  // The part of a page that filters, draws and lists the Trials of a run.
  class Explorer {
    constructor(section, data) {
      this.trials = new Trials(data);
      this.section = section;
      this.table = section.querySelector(".trials table");
      this.rows = Array.from({ length: this.trials.rows }, (_, i) => i);
      this.page = 0;
      this.sorting = null;
      const heading = section.querySelector("h2") ? "h3" : "h4";
      const place = section.querySelector(".explorer");
      this.addFilters(place);
      place.append(make(heading, {}, "One figure against another"));
      this.addAxes(place);
      this.scatter = new Scatter(place, this.trials);
      if (this.trials.parameters.length > 1) {
        place.append(make(heading, {}, "Parallel coordinates"));
        place.append(make("p", {}, "A line stands for a configuration, and goes through its value of each parameter. " +
          `The fastest twentieth is orange. At most ${LINES} lines are drawn, the best first.`));
        this.parallel = new Parallel(place, this.trials);
      }
      this.addPaging(section.querySelector(".trials"));
      addSorting(this.table, (column, sign) => {
        this.sorting = { column: this.trials.shown[column], sign };
        this.page = 0;
        this.list();
      });
      this.update(true);
    }
    labelled(text, control, wide) {
      control.id = "control-" + (++counter);
      return make("label", { for: control.id, class: wide ? "wide" : "" }, text, control);
    }
    addFilters(place) {
      const bar = make("div", { class: "filters", role: "group", "aria-label": "Filters" });
      this.choices = this.trials.parameters.map((column) => {
        const select = make("select", {}, make("option", { value: "" }, "any"));
        column.d.forEach((text, i) => select.append(make("option", { value: String(i) }, text)));
        select.addEventListener("change", () => this.update());
        bar.append(this.labelled(column.t, select));
        return select;
      });
      this.condition = make("input", { type: "text", placeholder: "time < 1.5, " + (this.trials.parameters[0]?.t ?? "evaluation") + " = 1" });
      this.condition.addEventListener("input", () => this.update());
      bar.append(this.labelled("Conditions, with commas between", this.condition, true));
      const reset = make("button", { type: "button", class: "small" }, "Show all");
      reset.addEventListener("click", () => {
        for (const select of this.choices) select.value = "";
        this.condition.value = "";
        this.update();
      });
      bar.append(reset);
      this.count = make("p", { class: "status", role: "status" });
      place.append(bar, this.count);
    }
    addAxes(place) {
      const bar = make("div", { class: "filters", role: "group", "aria-label": "Axes" });
      const axis = (text, columns, first) => {
        const select = make("select");
        columns.forEach((column, i) => select.append(make("option", { value: String(i) }, column.t)));
        select.value = String(Math.max(0, columns.indexOf(first)));
        select.addEventListener("change", () => this.drawScatter());
        bar.append(this.labelled(text, select));
        return select;
      };
      this.xChoice = axis("Across", this.trials.xs, this.trials.parameters[0]);
      this.yChoice = axis("Up", this.trials.ys, this.trials.ys[0]);
      place.append(bar);
    }
    addPaging(place) {
      this.back = make("button", { type: "button", class: "small" }, "Rows before");
      this.onward = make("button", { type: "button", class: "small" }, "Next rows");
      this.where = make("span", { role: "status" });
      this.back.addEventListener("click", () => this.turn(-1));
      this.onward.addEventListener("click", () => this.turn(1));
      place.append(make("div", { class: "filters" }, this.back, this.onward, this.where));
    }
    turn(step) {
      this.page += step;
      this.list();
    }
    update(first) {
      const test = parseFilter(this.condition.value, this.trials);
      const wrong = typeof test === "string";
      this.condition.setAttribute("aria-invalid", String(wrong));
      if (wrong) {
        this.count.textContent = test;
        return;
      }
      const wanted = this.choices.map((select) => select.value === "" ? null : Number(select.value));
      this.rows = [];
      for (let row = 0; row < this.trials.rows; ++row)
        if (wanted.every((place, i) => place === null || this.trials.parameters[i].v[row] === place) && test(row)) this.rows.push(row);
      const correct = this.rows.filter((row) => row < this.trials.ranked).length;
      this.count.textContent = `${this.rows.length} of ${this.trials.rows} configurations pass the filters; ${correct} of them are correct.`;
      this.page = 0;
      this.drawScatter();
      this.parallel?.set(this.rows, this.trials.ys[0]);
      // The table of the page has the first rows already.
      if (first) this.setPaging(Math.min(this.rows.length, this.table.tBodies[0].rows.length)); else this.list();
    }
    drawScatter() {
      this.scatter.set(this.rows, this.trials.xs[this.xChoice.value], this.trials.ys[this.yChoice.value]);
    }
    list() {
      const rows = [...this.rows];
      if (this.sorting) {
        const { column, sign } = this.sorting;
        rows.sort((a, b) => compare(this.trials.key(column, a), this.trials.key(column, b), sign) || a - b);
      }
      const shown = rows.slice(this.page * ROWS_OF_PAGE, (this.page + 1) * ROWS_OF_PAGE);
      const body = document.createDocumentFragment();
      for (const row of shown) {
        const line = document.createElement("tr");
        for (const column of this.trials.shown) {
          const cell = document.createElement("td");
          cell.textContent = this.trials.text(column, row);
          line.append(cell);
        }
        body.append(line);
      }
      this.table.tBodies[0].replaceChildren(body);
      this.setPaging(shown.length);
    }
    setPaging(count) {
      const from = this.page * ROWS_OF_PAGE;
      this.back.disabled = this.page === 0;
      this.onward.disabled = from + count >= this.rows.length;
      this.where.textContent = count ? `Rows ${from + 1} to ${from + count} of ${this.rows.length}` : "No row passes the filters";
    }
    redraw() {
      this.scatter.draw();
      this.parallel?.draw();
    }
  }

  const explorers = [];
  for (const data of document.querySelectorAll('script[type="application/json"]'))
    explorers.push(new Explorer(data.closest("section"), JSON.parse(data.textContent)));

  const redraw = () => explorers.forEach((each) => each.redraw());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);

  // What is printed shows every table, and pictures on white.
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open])")];
    for (const each of opened) each.open = true;
    printing = true;
    redraw();
  });
  addEventListener("afterprint", () => {
    for (const each of opened) each.open = false;
    printing = false;
    redraw();
  });

  // Only what can be scrolled takes the keyboard's focus.
  const setFocusable = () => {
    for (const each of document.querySelectorAll(".scroll")) {
      const scrolls = each.scrollWidth > each.clientWidth || each.scrollHeight > each.clientHeight;
      if (scrolls) each.setAttribute("tabindex", "0"); else each.removeAttribute("tabindex");
    }
  };
  addEventListener("resize", setFocusable);
  document.addEventListener("toggle", setFocusable, true);
  setFocusable();
})();
