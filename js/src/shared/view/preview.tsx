/** A text that would be written, shown as it will read, and as it is. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useSurroundings } from "./context";
import { Markdown } from "./markdown";

export function Preview({ text }: { text: string }): JSX.Element {
  const { say } = useSurroundings();
  const [source, setSource] = useState(false);
  return (
    <div class="nph-preview">
      <div class="nph-tabs">
        <button type="button" class="nph-link" aria-pressed={!source} onClick={() => setSource(false)}>
          {say("approval.preview")}
        </button>
        <button type="button" class="nph-link" aria-pressed={source} onClick={() => setSource(true)}>
          {say("approval.source")}
        </button>
      </div>
      <div class="nph-preview-body">{source ? <pre class="nph-text">{text}</pre> : <Markdown text={text} />}</div>
    </div>
  );
}
