/** Scripted sessions of what is done with whole rounds, and of who answers. */

import type { Event } from "../../src/shared/events";
import type { KernelState } from "../../src/shared/protocol";
import { Script } from "../building";
import type { Session, Words } from "./telling";

const TIERS: KernelState["tiers"] = [
  { tier: "lite", host: "", why: "" },
  {
    tier: "zephyr",
    host: "",
    why: 'Tier "zephyr" needs the platform endpoint: set platform_url (NEPHELE_PLATFORM_URL).',
  },
  { tier: "tempest", host: "platform.example.com", why: "" },
  { tier: "byok", host: "api.example.com", why: "" },
];

function told(id: string, question: string, answer: string, cost: { [unit: string]: number }): Event[] {
  const script = new Script(id);
  const usage = { input: 1200, output: 340, cached: 0, reasoning: 0, total: 1540, steps: cost["USD"] ? 1 : 2 };
  return [
    script.start(question),
    script.say(answer),
    script.event("LoopDone", { finish: "answer", usage, sources: [], numbers: [], cost }),
  ];
}

function rounds(say: Words): Event[] {
  const why = say("Why did sales fall in March?", "三月的销售额为什么下降了？");
  const oolong = say("East had **no oolong** for two weeks.", "东区有两周**没有乌龙茶**。");
  return [
    ...told("r-1", say("Hello", "你好"), say("Hello. What would you like to know?", "您好。您想了解什么？"), {}),
    ...told("r-2", why, say("I can't tell.", "我看不出来。"), { USD: 0.0021 }),
    ...told("r-3", why, oolong, { USD: 0.00384 }),
    ...told("r-4", say("And in May?", "五月呢？"), say("There is no data for May.", "没有五月的数据。"), {}),
    ...told("r-5", say("And in April?", "四月呢？"), say("It rose again.", "又上升了。"), { USD: 0.0042 }),
  ];
}

const aside = { "r-1": "deleted", "r-2": "retried", "r-4": "edited" } as const;

const left = (say: Words): Session => ({ state: { aside }, events: rounds(say), press: [".nph-aside summary"] });

const actions = (say: Words): Session => ({
  state: { aside: { "r-1": "deleted" } },
  events: rounds(say),
  press: [".nph-aside summary", ".nph-round:last-of-type .nph-actions button:last-child"],
});

const editing = (say: Words): Session => ({
  state: { aside },
  events: rounds(say),
  press: [".nph-round:nth-of-type(3) .nph-actions button:nth-of-type(2)"],
});

const tiers = (say: Words): Session => ({
  state: { tiers: TIERS, model: "a-model" },
  events: rounds(say).slice(0, 3),
  press: [".nph-tiers > summary"],
});

export const talks = { left, actions, editing, tiers };
