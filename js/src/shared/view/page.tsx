/** What is open: its head with the ways back and on, and below it the view of its kind; it leads on by messages. */

import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Intake, Page } from "../pages";
import { isWord } from "../strings";
import { useSurroundings } from "./context";
import { Detach } from "./detach";
import { Graph } from "./pages/graph";
import { Journal } from "./pages/journal";
import { Card, Cards } from "./pages/memory";
import { Note } from "./pages/note";
import { Notes } from "./pages/notes";
import { Table } from "./pages/table";

interface Props {
  page: Page;
  /** What is shown is not yet what was asked for last. */
  loading?: boolean;
  /** There is something to go back to before the conversation. */
  further?: boolean;
  intake?: Intake | null;
}

export function PageView({ page, loading = false, further = false, intake = null }: Props): JSX.Element {
  const { say, send, close, back } = useSurroundings();
  const title = page.title || viewName(page.view, say);
  const section = useFocus(page);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Escape") close();
  };
  const middle = page.view === "table" ? `table:${page.target}` : page.target;
  const linked = (page.view === "note" || page.view === "table") && !page.fault;
  return (
    <section class="nph-page" aria-label={title} aria-busy={loading} ref={section} onKeyDown={onKeyDown}>
      <header class="nph-page-head">
        <button type="button" class="nph-page-close" onClick={close}>
          ← {say("page.back")}
        </button>
        {further ? (
          <button type="button" class="nph-link" onClick={back}>
            {say("page.before")}
          </button>
        ) : null}
        <h3>{title}</h3>
        {page.about ? <span class="nph-muted">{page.about}</span> : null}
        <span class="nph-space" />
        {linked ? (
          <button type="button" class="nph-link" onClick={() => send({ type: "open", view: "graph", target: middle })}>
            {say("page.links")}
          </button>
        ) : null}
        <Detach />
      </header>
      <div class="nph-page-wait" data-on={loading ? "" : undefined} />
      {page.fault ? (
        <p class="nph-error" role="alert">
          {page.fault}
        </p>
      ) : null}
      <Body page={page} loading={loading} intake={intake} />
    </section>
  );
}

function Body({ page, loading, intake }: { page: Page; loading: boolean; intake: Intake | null }): JSX.Element | null {
  const { say } = useSurroundings();
  const empty = page.text === null && page.items.length === 0 && page.rounds.length === 0 && page.columns.length === 0;
  const key = `${page.view} ${page.target}`;
  if (page.view === "notes") return <Notes page={page} loading={loading} intake={intake} />;
  if (page.columns.length > 0) return <Table key={key} page={page} />;
  if (page.fault) return <div class="nph-page-body" />;
  if (loading && empty) return <p class="nph-page-body nph-muted">{say("page.opening")}</p>;
  if (page.view === "note") return <Note key={key} page={page} />;
  if (page.view === "graph") return <Graph key={key} page={page} />;
  if (page.view === "journal") return <Journal page={page} />;
  return page.text === null ? <Cards page={page} /> : <Card key={key} page={page} />;
}

/** Take the focus where it would be lost, and give it back at the end; what is typed in keeps it. */
function useFocus(page: Page): { current: HTMLElement | null } {
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    const from = document.activeElement;
    return () => {
      if (from instanceof HTMLElement && from.isConnected) from.focus();
    };
  }, []);
  useEffect(() => {
    const box = section.current;
    if (box?.contains(box.ownerDocument.activeElement)) return;
    box?.querySelector<HTMLElement>(".nph-page-close")?.focus({ preventScroll: true });
  }, [page.view, page.target]);
  return section;
}

function viewName(view: string, say: ReturnType<typeof useSurroundings>["say"]): string {
  const word = `page.view.${view}`;
  return isWord(word) ? say(word) : view;
}
