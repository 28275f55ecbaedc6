/** What browsers have and jsdom lacks. */

globalThis.DragEvent ??= class extends MouseEvent {} as unknown as typeof DragEvent;
