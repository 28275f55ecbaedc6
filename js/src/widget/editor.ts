/** Fetches the code editor from the kernel when it is first needed; it is too large to come with each view. */

import { isObject } from "../shared/events";
import type { Port } from "../shared/protocol";
import type { EditorLoader, EditorModule } from "../shared/view/mount";

const PATIENCE_MS = 20_000;
let loading: Promise<EditorModule> | null = null;

/** Return the loader of a view; all views of a page share what one of them has fetched. */
export function editorOver(port: Port): EditorLoader {
  return () => {
    loading ??= fetchEditor(port).catch((error: unknown) => {
      loading = null;
      throw error;
    });
    return loading;
  };
}

async function fetchEditor(port: Port): Promise<EditorModule> {
  const url = URL.createObjectURL(new Blob([await sourceFrom(port)], { type: "text/javascript" }));
  try {
    return (await import(url)) as EditorModule;
  } finally {
    URL.revokeObjectURL(url);
  }
}

function sourceFrom(port: Port): Promise<string> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      stop();
    };
    const timer = setTimeout(() => {
      end();
      reject(new Error("the kernel did not send the editor"));
    }, PATIENCE_MS);
    const stop = port.onMessage((message) => {
      if (!isObject(message) || message["type"] !== "editor") return;
      end();
      if (typeof message["source"] === "string") resolve(message["source"]);
      else reject(new Error("the kernel has no editor"));
    });
    port.send({ type: "editor" });
  });
}
