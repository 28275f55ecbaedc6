/** Puts a message into the input of a view for a person to read, change and send; it sends nothing. */

/** The input of a view that can be written in. */
export function fieldOf(view: HTMLElement): HTMLTextAreaElement | null {
  return view.inert ? null : view.querySelector("textarea.nph-field");
}

/** Write after what is being written there; what stands first of `text`, up to `selected`, is ready to be typed over. */
export function draft(view: HTMLElement, text: string, selected: number): boolean {
  const field = fieldOf(view);
  if (!field) return false;
  const before = field.value.trim() === "" ? "" : `${field.value.trimEnd()}\n\n`;
  field.value = before + text;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  field.focus();
  field.setSelectionRange(before.length, before.length + selected);
  field.scrollTop = 0;
  return true;
}
