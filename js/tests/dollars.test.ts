import { expect, it } from "vitest";
import { literalDollars } from "../src/lab/dollars";

it.each([
  ["It costs $5 and $10.", "It costs \\$5 and \\$10."],
  ["`echo $HOME` and US$ 680", "`echo $HOME` and US\\$ 680"],
  ["``a ` $x`` $1", "``a ` $x`` \\$1"],
  ["$1\n\n```sh\necho $HOME\n```\n\n$2", "\\$1\n\n```sh\necho $HOME\n```\n\n\\$2"],
  ["~~~\n$a", "~~~\n$a"],
  ["\\$5 already", "\\$5 already"],
])("%j", (given, expected) => {
  expect(literalDollars(given)).toBe(expected);
});
