/** The memory cards, and one of them with the way to forget it. */

import type { JSX } from "preact";
import type { Page } from "../../pages";
import { isWord } from "../../strings";
import { useSurroundings } from "../context";
import { Markdown } from "../markdown";
import { Confirmed } from "./confirm";
import { Items, PART, Scrolls, Steps } from "./list";

export function Cards({ page }: { page: Page }): JSX.Element {
  const { say, send } = useSurroundings();
  const groups = [...new Set(page.items.map(({ group }) => group))];
  const open = (offset: number): void => {
    send({ type: "open", view: page.view, target: "", offset });
  };
  if (page.items.length === 0) return <p class="nph-page-body nph-muted">{say("page.empty.memory")}</p>;
  return (
    <Scrolls>
      {groups.map((group) => {
        const word = `card.${group}`;
        return (
          <div key={group}>
            <h4>{isWord(word) ? say(word) : group}</h4>
            <Items items={page.items.filter((item) => item.group === group)} />
          </div>
        );
      })}
      <Steps page={page} shown={page.items.length} size={PART} open={open} />
    </Scrolls>
  );
}

export function Card({ page }: { page: Page }): JSX.Element {
  const { say, send } = useSurroundings();
  const forget = (): void => {
    send({ type: "forget", id: page.target, after: { view: "memory", target: "" } });
  };
  return (
    <Scrolls class="nph-page-text">
      <Markdown text={page.text ?? ""} />
      <div class="nph-page-tools">
        <Confirmed label={say("card.forget")} onConfirm={forget}>
          <p>{say("card.forget.sure")}</p>
        </Confirmed>
      </div>
    </Scrolls>
  );
}
