// Bounds: what each column holds and which values can occur. From public facts or typed by the owner, never from data.
import { el, field } from "./dom.js";
import { type Column, columnName, draft, hasPlaces, ownerMark, screen, showCommand } from "./frame.js";
import { groupsSection } from "./groups.js";
import { type Box, kinds, places } from "./places.js";

/** The card of one column. */
function card(axis: Column, changed: () => void): HTMLElement {
  const inputs = el("div", { class: "range" });
  const kind = el("select", { change: () => {
    axis.kind = kind.value;
    axis.low = kinds[axis.kind]?.low ?? "";
    axis.high = kinds[axis.kind]?.high ?? "";
    show();
    changed();
  } }, ...Object.entries(kinds).map(([key, each]) => el("option", { value: key, selected: axis.kind === key }, each.label)));
  const show = (): void => {
    const of = kinds[axis.kind];
    if (!of) return;
    if (of.input === "list") {
      const list = el("textarea", { rows: "4", input: () => {
        axis.list = list.value;
        changed();
      } }, axis.list);
      inputs.replaceChildren(field("Names, one a line", list, of.hint));
      return;
    }
    const bound = (label: string, key: "low" | "high"): HTMLElement => {
      const input = el("input", { type: of.input === "date" ? "date" : "text", inputmode: of.input === "date" ? undefined : "decimal", value: axis[key], input: () => {
        axis[key] = input.value;
        changed();
      } });
      return field(label, input);
    };
    inputs.replaceChildren(bound(of.input === "date" ? "First day" : "Lowest", "low"), bound(of.input === "date" ? "Last day" : "Highest", "high"), el("p", { class: "hint" }, of.hint));
  };
  show();
  return el("section", { class: "card" }, el("h2", {}, columnName(axis.position)), field("What does it hold?", kind), inputs);
}

/** Fills longitude and latitude from one choice. */
function placeChooser(fill: (box: Box) => void): HTMLElement {
  const select = el("select", { change: () => {
    const [group, name] = select.value.split("/") as [string, string | undefined];
    const box = name === undefined ? undefined : places[group]?.[name];
    if (box) fill(box);
  } }, el("option", { value: "" }, "Choose a place"),
  ...Object.entries(places).map(([group, boxes]) => el("optgroup", { label: group }, ...Object.keys(boxes).map((name) => el("option", { value: `${group}/${name}` }, name)))));
  return field("Place", select, "Sets longitude and latitude. Choose where records can be, not where most of them are.");
}

export function boundsScreen(check: HTMLElement, buttons: HTMLElement): void {
  const cards = el("div", { class: "cards" });
  const place = el("div");
  const area = el("div");
  const changed = (): void => {
    const longitude = draft.axes.find((axis) => axis.kind === "longitude");
    const latitude = draft.axes.find((axis) => axis.kind === "latitude");
    const wanted = longitude !== undefined && latitude !== undefined;
    if (wanted && place.childElementCount === 0) {
      place.replaceChildren(placeChooser(([west, east, south, north]) => {
        for (const axis of draft.axes) {
          if (axis.kind === "longitude") [axis.low, axis.high] = [String(west), String(east)];
          if (axis.kind === "latitude") [axis.low, axis.high] = [String(south), String(north)];
        }
        draw();
      }));
    }
    if (!wanted) place.replaceChildren();
    const equal = el("input", { type: "checkbox", checked: draft.geo, change: () => {
      draft.geo = equal.checked;
      void showCommand("release");
    } });
    if (hasPlaces() && area.childElementCount === 0) {
      area.replaceChildren(el("label", { class: "check" }, equal, el("span", {}, "Cells of equal area on Earth", el("small", {}, "For countries and the world, where degrees of longitude differ in length."))));
    }
    if (!hasPlaces()) area.replaceChildren();
    void showCommand("release");
  };
  const draw = (): void => {
    cards.replaceChildren(...draft.axes.map((axis) => card(axis, changed)));
    changed();
  };
  screen("Which values can occur?", "Say what each column holds, and its range. Take it from what everybody knows, not from your data: a range that follows the data tells something about it. Records outside are left out.",
    ownerMark(), place, cards, area, groupsSection(changed), check, buttons);
  draw();
}
