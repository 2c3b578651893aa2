// A page made like another one that the service sent: what is the same stays the very element it was, with what its reader has
// chosen, typed, opened and scrolled to, and the cursor in it. Nothing is copied from one element to another.

/** Fields whose reader has changed them. */
const touched = new WeakSet();
document.addEventListener("input", (event) => touched.add(event.target));
document.addEventListener("change", (event) => touched.add(event.target));

/** What a node is among its siblings, wherever it stands; empty: it is known by its place. */
function key(node) {
  if (node.nodeType !== Node.ELEMENT_NODE) return "";
  const own = node.dataset.of || node.id;
  if (own) return own;
  switch (node.localName) {
    case "option":
      return node.value;
    case "input": case "button":
      return ["radio", "checkbox", "submit"].includes(node.type) ? `${node.name} ${node.value}` : node.name;
    case "select": case "textarea":
      return node.name;
    case "label":
      return node.control ? key(node.control) : "";
    case "details":
      return node.querySelector("summary").textContent;
    default:
      return "";
  }
}

/** Attributes as they are in another; whether something is unfolded is its reader's. */
function attributes(here, next) {
  const its = (name) => here.localName === "details" && name === "open";
  for (const { name, value } of next.attributes) if (here.getAttribute(name) !== value && !its(name)) here.setAttribute(name, value);
  for (const { name } of [...here.attributes]) if (!next.hasAttribute(name) && !its(name)) here.removeAttribute(name);
}

/** Puts a node before another one; what the cursor is in is not moved, for that would take the cursor away. */
function put(parent, node, place) {
  const held = node.contains(document.activeElement);
  while (place && place !== node && (held || place.nodeType === Node.TEXT_NODE)) {
    const after = place.nextSibling;
    place.remove();
    place = after;
  }
  if (place !== node) parent.insertBefore(node, place);
}

/** The one of these nodes that is this one. */
function same(nodes, next) {
  const name = key(next);
  for (const node of nodes) if (node.nodeType === next.nodeType && node.nodeName === next.nodeName && key(node) === name) return node;
  return null;
}

function children(here, next) {
  // What is known by a name and is gone stands in nobody's way.
  for (const child of [...here.children]) if (key(child) && !same(next.children, child)) child.remove();
  const left = new Set(here.childNodes);
  let place = here.firstChild;
  for (const fresh of [...next.childNodes]) {
    const old = same(left, fresh);
    if (old) change(old, fresh);
    left.delete(old);
    put(here, old ?? fresh, place);
    place = (old ?? fresh).nextSibling;
  }
  for (const child of left) child.remove();
}

function change(here, next) {
  if (here.nodeType !== Node.ELEMENT_NODE) {
    if (here.data !== next.data) here.data = next.data;
    return;
  }
  attributes(here, next);
  // What is typed into a text field is no child of it.
  if (here.localName !== "textarea") children(here, next);
}

/** Makes an element like another one. Where what its reader chose is not offered any more nothing is chosen: no other way is his. */
export function patch(here, next) {
  const fields = [...here.querySelectorAll("input[type=radio]:checked, select")].filter((field) => touched.has(field));
  const chosen = fields.map((field) => ({ field, value: field.value, form: field.form }));
  change(here, next);
  for (const { field, value, form } of chosen) {
    if (field.localName === "select") {
      if (field.value !== value) field.value = value;
    } else if (here.contains(field)) {
      field.checked = true;
    } else {
      for (const other of form.querySelectorAll("input[type=radio]")) if (other.name === field.name) other.checked = false;
    }
  }
}
