/** The anywidget module: carries the protocol over the widget's custom messages; it keeps no state. */

import "../../style/chat.css";
import "../../style/markdown.css";
import "../../style/pages.css";
import "../../style/rounds.css";
import "../../style/tools.css";
import "../../style/approval.css";
import "../../style/messages.css";
import { hostOf } from "../shared/host";
import type { Port, ToKernel } from "../shared/protocol";
import { mount } from "../shared/view/mount";
import { modulesOver } from "./modules";

/** What anywidget hands to a view, as far as it is used here. */
interface Model {
  send(content: ToKernel): void;
  on(name: "msg:custom", listen: (content: unknown) => void): void;
  off(name: "msg:custom", listen: (content: unknown) => void): void;
}

function portOf(model: Model): Port {
  return {
    send: (message) => model.send(message),
    onMessage(listen) {
      const hear = (content: unknown): void => listen(content);
      model.on("msg:custom", hear);
      return () => model.off("msg:custom", hear);
    },
  };
}

function render({ model, el }: { model: Model; el: HTMLElement }): () => void {
  const port = portOf(model);
  return mount(el, port, modulesOver(port), { host: hostOf(el) });
}

export default { render };
