/** A conversation over which something is opened. */

import { Script } from "../building";
import type { Session, Words } from "./telling";

export const conversation = (say: Words): Session["events"] => {
  const script = new Script("r-1");
  return [script.start(say("Why did sales fall?", "销售额为什么下降？")), script.say("…"), script.done()];
};

export const opened =
  (page: (say: Words) => object, more: Partial<Session> = {}) =>
  (say: Words): Session => ({
    state: {},
    events: conversation(say),
    ...more,
    page: {
      target: "",
      about: "",
      fault: "",
      ...page(say),
    },
  });
