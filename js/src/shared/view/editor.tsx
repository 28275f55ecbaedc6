/** The code editor as a component: mounted once with the proposal, it tells of each change; its text is its own. */

import type { JSX, RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { CodeEditor, EditorOptions } from "./code_editor";
import { useSurroundings } from "./context";
import { mountPlain } from "./plain_editor";

export interface EditorProps {
  proposal: string;
  label: string;
  locked: boolean;
  /** Where the editor is left for its owner, to be written to by hand: a text kept in step would undo fast typing. */
  handle: RefObject<CodeEditor>;
  onChange(code: string): void;
  onApprove(): void;
  onLeave(): void;
}

export function Editor(props: EditorProps): JSX.Element {
  const { editor } = useSurroundings();
  const parent = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  latest.current = props;
  const { handle, locked } = props;
  useEffect(() => {
    const box = parent.current;
    if (!box) return;
    const { proposal } = latest.current;
    const options = optionsOf(latest);
    handle.current = mountPlain(box, proposal, options);
    let gone = false;
    const upgrade = (mount: typeof mountPlain): void => {
      // What was typed meanwhile stays where it is.
      if (gone || handle.current?.code() !== proposal) return;
      const focused = box.querySelector(":focus") !== null;
      handle.current.dispose();
      handle.current = mount(box, proposal, options);
      handle.current.lock(latest.current.locked);
      if (focused) box.querySelector<HTMLElement>("[contenteditable]")?.focus();
    };
    editor().then(
      ({ mountEditor }) => upgrade(mountEditor),
      () => undefined, // the host lets no more code in, or the kernel is silent: the bare field does
    );
    return () => {
      gone = true;
      handle.current?.dispose();
      handle.current = null;
    };
  }, [handle, editor]);
  useEffect(() => handle.current?.lock(locked), [handle, locked]);
  return <div class="nph-editor" ref={parent} />;
}

function optionsOf(latest: { current: EditorProps }): EditorOptions {
  return {
    label: latest.current.label,
    onChange: (code) => latest.current.onChange(code),
    onApprove: () => latest.current.onApprove(),
    onLeave: () => latest.current.onLeave(),
  };
}
