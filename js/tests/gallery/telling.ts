/** What the scripted sessions are told with: words in two languages, tool calls, approvals. */

import type { Event, JsonObject, Outcome, Output } from "../../src/shared/events";
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
): Event {
  const effects = code === null ? [] : ["Runs in the live kernel and can read and change anything there"];
  const approval = { approval_id: `a-${call_id}`, call_id, tool: name, code, description, effects };
  return script.event("ApprovalRequest", { ...approval, expires_at: Date.now() / 1000 + 97 });
}

export const resolved = (script: Script, call_id: string, outcome: Outcome, code: string | null = null): Event =>
  script.event("ApprovalResolved", { approval_id: `a-${call_id}`, outcome, code, diff: "" });
