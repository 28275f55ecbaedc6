/** The code editor as a component: mounted once with the proposal, it tells of each change. */

import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { type CodeEditor, mountEditor } from "./code_editor";

export interface EditorProps {
  proposal: string;
  /** What should stand in the editor; setting it to something else than was told replaces the text. */
  code: string;
  label: string;
  locked: boolean;
  onChange(code: string): void;
  onApprove(): void;
  onLeave(): void;
}

export function Editor(props: EditorProps): JSX.Element {
  const parent = useRef<HTMLDivElement>(null);
  const editor = useRef<CodeEditor | null>(null);
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    if (!parent.current) return;
    const mounted = mountEditor(parent.current, latest.current.proposal, {
      label: latest.current.label,
      onChange: (code) => latest.current.onChange(code),
      onApprove: () => latest.current.onApprove(),
      onLeave: () => latest.current.onLeave(),
    });
    editor.current = mounted;
    return () => mounted.dispose();
  }, []);
  useEffect(() => {
    if (editor.current && editor.current.code() !== props.code) editor.current.replace(props.code);
  }, [props.code]);
  useEffect(() => editor.current?.lock(props.locked), [props.locked]);
  return <div class="nph-editor" ref={parent} />;
}
