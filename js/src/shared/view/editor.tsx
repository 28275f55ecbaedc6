/** The code editor as a component: mounted once with the proposal, it tells of each change; its text is its own. */

import type { JSX, RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { type CodeEditor, mountEditor } from "./code_editor";

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
  const parent = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  latest.current = props;
  const { handle, locked } = props;
  useEffect(() => {
    if (!parent.current) return;
    const mounted = mountEditor(parent.current, latest.current.proposal, {
      label: latest.current.label,
      onChange: (code) => latest.current.onChange(code),
      onApprove: () => latest.current.onApprove(),
      onLeave: () => latest.current.onLeave(),
    });
    handle.current = mounted;
    return () => {
      handle.current = null;
      mounted.dispose();
    };
  }, [handle]);
  useEffect(() => handle.current?.lock(locked), [handle, locked]);
  return <div class="nph-editor" ref={parent} />;
}
