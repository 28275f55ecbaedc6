/** What the scripted sessions are told with: words in two languages, tool calls, approvals. */

import type { ApprovalResolved, Event, JsonObject, Outcome, Output } from "../../src/shared/events";
import type { KernelState } from "../../src/shared/protocol";
import type { Script } from "../building";

export interface Session {
  events: Event[];
  state: Partial<KernelState>;
  /** What stands in the field, and what its last word may become. */
  typed?: string;
  choices?: readonly object[];
  pictures?: number;
  /** What is opened over the conversation. */
  page?: object;
  /** How far files are being taken in. */
  intake?: object;
  /** What stands in the code editor of the card that asks. */
  edited?: string;
  /** What the kernel says to a decision. */
  decided?: object;
  /** What is pressed before the camera looks, as selectors. */
  press?: readonly string[];
}

export type Words = (en: string, zh: string) => string;

export const rich = (data: { [mime: string]: string }): Output => ({ output_type: "display_data", data, metadata: {} });

export function tool(
  script: Script,
  call_id: string,
  name: string,
  args: JsonObject,
  result: string,
  ok = true,
): Event[] {
  return [
    script.event("ToolStart", { call_id, tool: name, arguments: args }),
    script.event("ToolFinish", { call_id, tool: name, ok, result, elapsed_s: 0.18 }),
  ];
}

export function request(
  script: Script,
  call_id: string,
  name: string,
  code: string | null,
  description: string,
  more: { for_round?: boolean; left?: number; effects?: string[] } = {},
): Event {
  const always = code === null ? [] : ["Runs in the live kernel and can read and change anything there"];
  const { for_round = true, left = 97, effects = always } = more;
  const approval = { approval_id: `a-${call_id}`, call_id, tool: name, code, description, effects, for_round };
  return script.event("ApprovalRequest", { ...approval, expires_at: Date.now() / 1000 + left });
}

export function resolved(
  script: Script,
  call_id: string,
  outcome: Outcome,
  code: string | null = null,
  more: Partial<ApprovalResolved> = {},
): Event {
  const by = outcome === "expired" || outcome === "cancelled" ? "nobody" : "user";
  const plain = { approval_id: `a-${call_id}`, outcome, code, diff: "", by, for_round: false } as const;
  return script.event("ApprovalResolved", { ...plain, ...more });
}
