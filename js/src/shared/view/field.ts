/** Writes into the input as typing would; it sends nothing. */

export function write(field: HTMLTextAreaElement, text: string): void {
  field.value = text;
  field.dispatchEvent(new Event("input", { bubbles: true }));
}
