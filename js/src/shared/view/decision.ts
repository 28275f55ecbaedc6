/** What the user has entered into an approval card so far, and the ways to send it; it draws nothing. */

import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Approval } from "../round";
import type { CodeEditor } from "./code_editor";
import { useSurroundings } from "./context";

/** After this long without an answer the buttons work again: the first decision wins, so a second does no harm. */
const ANSWER_MS = 6000;

export type Sent = "no" | "waiting" | "unanswered";

export interface Decision {
  code: string;
  edited: boolean;
  reason: string;
  sent: Sent;
  setCode(code: string): void;
  setReason(reason: string): void;
  approve(forRound?: boolean): void;
  reject(): void;
}

export function useDecision(approval: Approval, editor: RefObject<CodeEditor>): Decision {
  const { send } = useSurroundings();
  const [code, setCode] = useState(approval.code ?? "");
  const [reason, setReason] = useState("");
  const [sent, setSent] = useState<Sent>("no");
  useEffect(() => {
    if (sent !== "waiting") return;
    const timer = setTimeout(() => setSent("unanswered"), ANSWER_MS);
    return () => clearTimeout(timer);
  }, [sent]);
  const edited = approval.code !== null && code !== approval.code;
  const decide = (action: "approve" | "reject", for_round: boolean): void => {
    // What stands in the editor at this moment: the last key may not have been drawn yet.
    const stands = editor.current?.code() ?? approval.code;
    const changed = action === "approve" && stands !== approval.code ? stands : null;
    const why = action === "reject" ? reason.trim() : "";
    if (send({ type: "decide", approval_id: approval.id, action, code: changed, reason: why, for_round })) {
      setSent("waiting");
    }
  };
  return {
    ...{ code, edited, reason, sent, setCode, setReason },
    approve: (forRound = false) => decide("approve", forRound),
    reject: () => decide("reject", false),
  };
}
