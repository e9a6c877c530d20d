"use strict";
(() => {
  const root = document.documentElement;

  // Light and dark: as the system says, until the reader says otherwise.
  const scheme = document.getElementById("scheme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.scheme ? root.dataset.scheme === "dark" : system.matches);
  const nameScheme = () => {
    scheme.textContent = isDark() ? "Light" : "Dark";
    scheme.setAttribute("aria-label", `Switch to ${isDark() ? "light" : "dark"} colours`);
    scheme.setAttribute("aria-pressed", String(isDark()));
  };
  scheme.hidden = false;
  scheme.addEventListener("click", () => { root.dataset.scheme = isDark() ? "light" : "dark"; nameScheme(); });
  system.addEventListener("change", nameScheme);
  nameScheme();

  // Long tables show their first rows; without this script they show all.
  for (const table of document.querySelectorAll("table.long")) {
    const button = table.parentElement.nextElementSibling;
    const rows = [...table.tBodies[0].rows];
    rows.slice(Number(table.dataset.shown)).forEach((row) => row.classList.add("rest"));
    const words = button.textContent;
    const fold = (folded) => {
      table.classList.toggle("folded", folded);
      button.textContent = folded ? words : "Show fewer rows";
      button.setAttribute("aria-expanded", String(!folded));
    };
    button.hidden = false;
    button.addEventListener("click", () => fold(!table.classList.contains("folded")));
    fold(true);
  }

  for (const figure of document.querySelectorAll(".tree-figure")) makeTree(figure);

  function makeTree(figure) {
    const data = JSON.parse(figure.querySelector(".tree-data").textContent);
    const stage = figure.querySelector(".stage");
    const svg = stage.querySelector("svg");
    const details = figure.querySelector(".details");
    const groups = [...svg.querySelectorAll(".node")];
    const edges = new Map([...svg.querySelectorAll(".edge")].map((edge) => [Number(edge.dataset.to), edge]));
    const whole = svg.getAttribute("viewBox").split(" ").map(Number);
    const [, , width, height] = whole;
    const right = svg.dataset.grows === "right";
    stage.classList.add("live");
    figure.querySelector(".tools").hidden = false;
    figure.querySelector(".hint").hidden = false;

    // The view: which point of the drawing is in the middle, and how many pixels one unit of it takes.
    const view = { x: width / 2, y: height / 2, scale: 1 };
    let touched = false;
    const size = () => ({ wide: Math.max(stage.clientWidth, 1), tall: Math.max(stage.clientHeight, 1) });
    const fitting = () => { const { wide, tall } = size(); return Math.min(wide / width, tall / height); };
    const smallest = () => Math.min(fitting() * 0.8, 0.8);
    const largest = 4;
    function show() {
      const { wide, tall } = size();
      view.scale = Math.min(Math.max(view.scale, smallest()), largest);
      // Some of the tree always stays in sight.
      const [across, down] = [wide / view.scale, tall / view.scale];
      view.x = Math.min(Math.max(view.x, 40 - across / 2), width + across / 2 - 40);
      view.y = Math.min(Math.max(view.y, 40 - down / 2), height + down / 2 - 40);
      svg.setAttribute("viewBox", `${view.x - across / 2} ${view.y - down / 2} ${across} ${down}`);
    }
    function fit() { Object.assign(view, { x: width / 2, y: height / 2, scale: Math.min(fitting(), 1.2) }); show(); }
    function begin() {
      fit();
      // A large tree begins where it can be read, at its root.
      if (view.scale < 0.6) {
        view.scale = 0.75;
        const box = groups[0].getBBox();
        const { wide, tall } = size();
        view.x = right ? wide / view.scale / 2 - 10 : box.x + box.width / 2;
        view.y = right ? box.y + box.height / 2 : tall / view.scale / 2 - 10;
        show();
      }
    }
    function zoom(factor, clientX, clientY) {
      touched = true;
      const frame = stage.getBoundingClientRect();
      const { wide, tall } = size();
      const left = (clientX ?? frame.left + wide / 2) - frame.left - wide / 2;
      const top = (clientY ?? frame.top + tall / 2) - frame.top - tall / 2;
      const before = view.scale;
      view.scale = Math.min(Math.max(before * factor, smallest()), largest);
      // The point under the pointer stays where it is.
      view.x += left / before - left / view.scale;
      view.y += top / before - top / view.scale;
      show();
    }
    function pan(across, down) { touched = true; view.x += across / view.scale; view.y += down / view.scale; show(); }
    function bringIntoSight(place) {
      touched = true;
      const box = groups[place].getBBox();
      const { wide, tall } = size();
      const [across, down] = [wide / view.scale / 2 - 20, tall / view.scale / 2 - 20];
      const outside = (low, high, middle, reach) =>
        high - middle > reach ? high - reach : low - middle < -reach ? low + reach : middle;
      view.x = outside(box.x, box.x + box.width, view.x, across);
      view.y = outside(box.y, box.y + box.height, view.y, down);
      show();
    }

    // Pointers: one drags, two pinch; a press that does not move is a choice.
    const pointers = new Map();
    let pressed = null, moved = 0, apart = 0;
    svg.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      pointers.set(event.pointerId, event);
      if (pointers.size === 1) { pressed = event.target.closest(".node"); moved = 0; }
      apart = spread();
    });
    svg.addEventListener("pointermove", (event) => {
      const before = pointers.get(event.pointerId);
      if (!before) return;
      const [across, down] = [event.clientX - before.clientX, event.clientY - before.clientY];
      moved += Math.abs(across) + Math.abs(down);
      if (moved > 4 && !svg.hasPointerCapture(event.pointerId)) svg.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, event);
      if (moved <= 4) return;
      stage.classList.add("moving");
      pan(-across / pointers.size, -down / pointers.size);
      if (pointers.size === 2) {
        const now = spread();
        const [one, two] = [...pointers.values()];
        if (apart > 0) zoom(now / apart, (one.clientX + two.clientX) / 2, (one.clientY + two.clientY) / 2);
        apart = now;
      }
    });
    function release(event) {
      if (!pointers.delete(event.pointerId)) return;
      apart = spread();
      if (pointers.size) return;
      stage.classList.remove("moving");
      if (event.type !== "pointerup" || moved > 4) return;
      stage.focus({ preventScroll: true });
      if (pressed) choose(groups.indexOf(pressed), false);
      else clear();
    }
    svg.addEventListener("pointerup", release);
    svg.addEventListener("pointercancel", release);
    function spread() {
      if (pointers.size < 2) return 0;
      const [one, two] = [...pointers.values()];
      return Math.hypot(one.clientX - two.clientX, one.clientY - two.clientY);
    }
    svg.addEventListener("dblclick", (event) => { event.preventDefault(); zoom(1.6, event.clientX, event.clientY); });
    // The wheel scrolls the page until the reader has turned to the tree, or asks with Ctrl.
    stage.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey && !stage.matches(":focus-within")) return;
      event.preventDefault();
      const lines = event.deltaMode === 1 ? 18 : 1;
      zoom(Math.exp(-event.deltaY * lines * 0.0016), event.clientX, event.clientY);
    }, { passive: false });

    figure.querySelector(".tools").addEventListener("click", (event) => {
      const what = event.target.dataset.do;
      if (what === "in") zoom(1.4);
      if (what === "out") zoom(1 / 1.4);
      if (what === "fit") { touched = true; fit(); }
    });

    // Keys: on the stage they move the view, on a node they walk along the branches.
    const arrows = { ArrowLeft: [-60, 0], ArrowRight: [60, 0], ArrowUp: [0, -60], ArrowDown: [0, 60] };
    stage.addEventListener("keydown", (event) => {
      if (event.target.closest(".tools") || event.ctrlKey || event.metaKey || event.altKey) return;
      const node = event.target.closest(".node");
      const key = event.key;
      if (key === "+" || key === "=") zoom(1.25);
      else if (key === "-") zoom(1 / 1.25);
      else if (key === "0") { touched = true; fit(); }
      else if (key === "Escape") { clear(); stage.focus({ preventScroll: true }); }
      else if (arrows[key] && (!node || event.shiftKey)) pan(...arrows[key]);
      else if (arrows[key]) walk(groups.indexOf(node), key);
      else if (key === "Enter" || key === " ") choose(node ? groups.indexOf(node) : 0, true);
      else return;
      event.preventDefault();
    });
    function walk(place, key) {
      const node = data.nodes[place];
      const siblings = node.parent < 0 ? [place] : data.nodes[node.parent].children;
      const at = siblings.indexOf(place);
      const child = node.children.length ? node.children[0] : place;
      // In a tree that grows to the right, the keys turn with it.
      const turned = right ? { ArrowLeft: "ArrowUp", ArrowRight: "ArrowDown", ArrowUp: "ArrowLeft", ArrowDown: "ArrowRight" }[key] : key;
      const next = {
        ArrowUp: node.parent < 0 ? place : node.parent,
        ArrowDown: child,
        ArrowLeft: siblings[Math.max(at - 1, 0)],
        ArrowRight: siblings[Math.min(at + 1, siblings.length - 1)],
      }[turned];
      choose(next, true);
    }
    groups.forEach((group, place) => group.addEventListener("focus", () => {
      if (group.matches(":focus-visible")) choose(place, false);
    }));

    function clear() {
      svg.querySelectorAll(".on, .at").forEach((item) => item.classList.remove("on", "at"));
      details.hidden = true;
    }
    function choose(place, focus) {
      clear();
      for (let at = place; at >= 0; at = data.nodes[at].parent) {
        groups[at].classList.add("on");
        edges.get(at)?.classList.add("on");
      }
      groups[place].classList.add("at");
      groups.forEach((group, number) => group.setAttribute("tabindex", number === place ? "0" : "-1"));
      if (focus) groups[place].focus({ preventScroll: true });
      bringIntoSight(place);
      tell(data.nodes[place]);
    }

    function make(name, text, kind) {
      const item = document.createElement(name);
      if (text !== undefined) item.textContent = text;
      if (kind) item.className = kind;
      return item;
    }
    function tell(node) {
      const label = data.classes[node.label];
      const left = make("div"), other = make("div");
      const heads = { split: `Asks for ${node.title}`, leaf: `Says ${label}`, stub: `A subtree of ${node.hidden} more nodes` };
      left.append(make("h3", heads[node.kind]));
      if (node.rule.length) {
        left.append(make("p", node.kind === "leaf" ? "The rule: if" : "Samples come here if", "if"));
        const list = make("ol", undefined, "rule");
        for (const condition of node.rule) list.append(make("li", data.conditions[condition]));
        left.append(list);
      } else left.append(make("p", "All samples begin here.", "if"));
      const then = node.kind === "leaf" ? `then ${label}` : `Most of them are ${label}`;
      left.append(make("p", then, "then"));
      other.append(make("h3", `${node.weight} ${node.weight === "1" ? "sample" : "samples"}`));
      const table = make("table");
      for (const [place, weight, share] of node.counts.slice().sort((one, two) => two[2] - one[2]).slice(0, 12)) {
        const row = table.insertRow();
        const name = row.insertCell();
        name.append(make("i", undefined, `c${place % data.colors}`), data.classes[place]);
        const count = row.insertCell();
        count.className = "number";
        count.textContent = weight;
        const part = row.insertCell();
        part.className = "number";
        part.textContent = `${(100 * share).toFixed(1)} %`;
      }
      other.append(table);
      if (node.counts.length > 12) other.append(make("p", `and ${node.counts.length - 12} more classes`));
      if (!node.counts.length) other.append(make("p", "No training sample came here; the class is that of the parent."));
      details.replaceChildren(left, other);
      details.hidden = false;
    }

    // Who has not touched the view yet gets the best one for the new size.
    new ResizeObserver(() => (touched ? show() : begin())).observe(stage);
    addEventListener("beforeprint", () => svg.setAttribute("viewBox", whole.join(" ")));
    addEventListener("afterprint", show);
    begin();
  }
})();
