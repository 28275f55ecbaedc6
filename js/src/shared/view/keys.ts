/** Which key events mean what; it handles none of them itself. */

/** Is this key press part of choosing a word in an input method? Safari reports its last one as key code 229 only. */
export function isComposing(event: KeyboardEvent): boolean {
  return event.isComposing || event.keyCode === 229;
}

/** Is this a plain Enter that means "send"? A held key doesn't send again. */
export function isSubmit(event: KeyboardEvent): boolean {
  const plain = !event.shiftKey && !event.altKey && !event.ctrlKey && !event.metaKey;
  return event.key === "Enter" && plain && !event.repeat && !isComposing(event);
}

export const isMac = (): boolean => /Mac|iP(hone|ad)/.test(navigator.platform);
