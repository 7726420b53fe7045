// The options of a game as fields of a form.

import { made } from "./dom.js";

// Shows a field for each option of a game, empty or as it usually is. box: takes them.  options: as the API tells them.
export function showOptions(box, options = []) {
  box.replaceChildren(...options.map(({ name, default: usual, help, low, high }) => {
    const isSwitch = typeof usual === "boolean", text = `${name[0].toUpperCase()}${name.slice(1)}: ${help}`, label = made("label", isSwitch ? "" : `${text} `);
    const input = made("input", "", { name: `option-${name}`, autocomplete: "off", "data-usual": JSON.stringify(usual) });
    if (isSwitch) {
      input.type = "checkbox";
      input.checked = usual;
      label.className = "check";
      label.append(input, ` ${text}`);
      return label;
    }
    input.type = typeof usual === "number" ? "number" : "text";
    if (low !== null && low !== undefined) input.min = low;
    if (high !== null && high !== undefined) input.max = high;
    input.placeholder = String(usual);
    label.append(input);
    return label;
  }));
}

// Fills them in. given: name -> value.
export function fillOptions(box, given) {
  for (const input of box.querySelectorAll("input")) {
    const value = given[input.name.replace("option-", "")];
    if (value === undefined) continue;
    if (input.type === "checkbox") input.checked = value;
    else input.value = value;
  }
}

// What is filled in there and not as usual: name -> value.
export function givenOptions(box) {
  return Object.fromEntries([...box.querySelectorAll("input")].flatMap((input) => {
    const usual = JSON.parse(input.dataset.usual), name = input.name.replace("option-", "");
    const value = input.type === "checkbox" ? input.checked : input.type === "number" ? Number(input.value) : input.value;
    return (input.type !== "checkbox" && input.value === "") || value === usual ? [] : [[name, value]];
  }));
}
