/** Makes drawn HTML like newer HTML by what differs alone: what is selected, focused or scrolled stays; it checks nothing. */

/** Make the children of an element those of sanitised HTML. */
export function patch(element: Element, html: string): void {
  const template = document.createElement("template");
  template.innerHTML = html;
  patchChildren(element, template.content);
}

function patchChildren(drawn: ParentNode & Node, wanted: ParentNode & Node): void {
  let old = drawn.firstChild;
  for (const next of [...wanted.childNodes]) {
    const following = old?.nextSibling ?? null;
    if (!old) drawn.appendChild(next);
    else if (old.nodeName !== next.nodeName) drawn.replaceChild(next, old);
    else patchNode(old, next);
    old = following;
  }
  while (old) {
    const following: ChildNode | null = old.nextSibling;
    old.remove();
    old = following;
  }
}

function patchNode(old: ChildNode, next: ChildNode): void {
  if (old instanceof Text && next instanceof Text) {
    if (old.data === next.data) return;
    if (next.data.startsWith(old.data)) old.appendData(next.data.slice(old.data.length));
    else old.data = next.data;
  } else if (old instanceof Element && next instanceof Element) {
    for (const { name } of [...old.attributes]) if (!next.hasAttribute(name)) old.removeAttribute(name);
    for (const { name, value } of next.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
    patchChildren(old, next);
  }
}
