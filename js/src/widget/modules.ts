/** Fetches from the kernel what is too large to come with each view, when it is first needed. */

import { answerTo } from "../shared/answer";
import type { ModuleName, Port } from "../shared/protocol";
import type { Modules } from "../shared/view/mount";

/** All views of a page share what one of them has fetched. */
const loading = new Map<ModuleName, Promise<unknown>>();

/** Return the loaders of a view. */
export function modulesOver(port: Port): Modules {
  return {
    editor: () => fetched<ReturnType<Modules["editor"]>>(port, "editor"),
    math: () => fetched<ReturnType<Modules["math"]>>(port, "math"),
  };
}

function fetched<Loading extends Promise<unknown>>(port: Port, name: ModuleName): Loading {
  const begun =
    loading.get(name) ??
    fetchModule(port, name).catch((error: unknown) => {
      loading.delete(name);
      throw error;
    });
  loading.set(name, begun);
  return begun as Loading;
}

async function fetchModule(port: Port, name: ModuleName): Promise<unknown> {
  const url = URL.createObjectURL(new Blob([await sourceFrom(port, name)], { type: "text/javascript" }));
  try {
    return await import(url);
  } finally {
    URL.revokeObjectURL(url);
  }
}

function sourceFrom(port: Port, name: ModuleName): Promise<string> {
  return answerTo(port, { type: "module", name }, (message) => {
    if (message["type"] !== "module" || message["name"] !== name) return undefined;
    if (typeof message["source"] === "string") return message["source"];
    throw new Error(`the kernel has no module ${name}`);
  });
}
