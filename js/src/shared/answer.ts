/** One question to the kernel and its answer, which comes among other messages; it keeps nothing. */

import { isObject } from "./events";
import type { Port, ToKernel } from "./protocol";

const PATIENCE_MS = 20_000;

/** Return what `read` makes of the first message it makes something of; throws what it throws, or when none comes. */
export function answerTo<T>(
  port: Port,
  question: ToKernel,
  read: (message: { [key: string]: unknown }) => T | undefined,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void): void => {
      clearTimeout(timer);
      stop();
      settle();
    };
    const timer = setTimeout(() => end(() => reject(new Error())), PATIENCE_MS);
    const stop = port.onMessage((message) => {
      if (!isObject(message)) return;
      try {
        const found = read(message);
        if (found !== undefined) end(() => resolve(found));
      } catch (error) {
        // What reads the answer says why there is none.
        end(() => reject(error));
      }
    });
    try {
      port.send(question);
    } catch {
      // The edge to the kernel: there is none, or no Nephele in it.
      end(() => reject(new Error()));
    }
  });
}
