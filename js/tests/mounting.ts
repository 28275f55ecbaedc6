/** Mounts the real view over a fake port and waits for it to draw. */

import { readFileSync } from "node:fs";
import type { Event } from "../src/shared/events";
import { typeset } from "../src/shared/math";
import type { KernelState } from "../src/shared/protocol";
import { mountEditor } from "../src/shared/view/code_editor";
import { mount } from "../src/shared/view/mount";
import { FakePort, kernelState } from "./building";

export interface Mounted {
  root: HTMLElement;
  port: FakePort;
  dispose(): void;
  snapshot(events: Event[], state?: Partial<KernelState>): Promise<void>;
  events(...events: Event[]): Promise<void>;
  find<T extends Element = HTMLElement>(selector: string): T;
  button(label: string): HTMLButtonElement;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Timers fire in the order they are due: the view's longest wait for a frame is over, then its effects have run. */
export async function drawn(): Promise<void> {
  await pause(105);
  await pause(45);
}

export async function mounted(): Promise<Mounted> {
  const root = document.createElement("div");
  document.body.append(root);
  const port = new FakePort();
  const dispose = mount(root, port, { editor: async () => ({ mountEditor }), math: async () => ({ typeset }) });
  await drawn();
  const find = <T extends Element = HTMLElement>(selector: string): T => {
    const found = root.querySelector<T>(selector);
    if (!found) throw new Error(`nothing matches ${selector} in ${root.innerHTML}`);
    return found;
  };
  return {
    root,
    port,
    dispose,
    find,
    async snapshot(events, state = {}) {
      port.deliver({ type: "snapshot", state: kernelState(state), events });
      await drawn();
    },
    async events(...events) {
      port.deliver({ type: "events", events });
      await drawn();
    },
    button(label) {
      const found = [...root.querySelectorAll("button")].find((each) => each.textContent === label);
      if (!found)
        throw new Error(`no button ${label} among ${[...root.querySelectorAll("button")].map((b) => b.textContent)}`);
      return found;
    },
  };
}

export const fixture = (name: string): string => readFileSync(`tests/fixtures/${name}`, "utf8");

export function type(field: HTMLInputElement | HTMLTextAreaElement, text: string): void {
  field.value = text;
  field.dispatchEvent(new Event("input", { bubbles: true }));
}
