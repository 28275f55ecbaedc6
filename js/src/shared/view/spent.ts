/** What rounds have used and cost, in numbers and in words; it asks nobody for a price. */

import type { Round } from "../round";
import type { Say } from "../strings";

export interface Spent {
  steps: number;
  tokens: number;
  /** By unit, `credits` or a currency. */
  cost: { [unit: string]: number };
  /** Something was paid for at a price that nobody knows. */
  unknown: boolean;
}

export function spentBy(rounds: readonly Round[]): Spent {
  // Without a prototype: a unit is called whatever a provider calls it.
  const spent: Spent = { steps: 0, tokens: 0, cost: Object.create(null), unknown: false };
  for (const { done, tier } of rounds) {
    if (!done) continue;
    spent.steps += done.usage.steps;
    spent.tokens += done.usage.total;
    const paid = Object.entries(done.cost ?? {});
    for (const [unit, amount] of paid) spent.cost[unit] = (spent.cost[unit] ?? 0) + amount;
    if (tier !== "lite" && done.usage.steps > 0 && done.cost && paid.length === 0) spent.unknown = true;
  }
  return spent;
}

/** Say it in words; nothing where no model was asked. */
export function spentWords({ steps, tokens, cost, unknown }: Spent, say: Say): string {
  if (tokens === 0) return "";
  const costs = Object.entries(cost).map(([unit, amount]) =>
    unit === "credits" ? say("cost.credits", { amount: short(amount) }) : `${short(amount)} ${unit}`,
  );
  if (unknown) costs.push(say(costs.length > 0 ? "cost.partly" : "cost.unknown"));
  return [say("finish.usage", { steps, total: tokens.toLocaleString("en") }), ...costs].join(" · ");
}

const short = (amount: number): string => String(Number(amount.toPrecision(3)));
