/** What an output in nbformat form holds; pure. */

import { isObject, type Output } from "./events";

/** The forms of a rich output, by their MIME type. */
export function dataOf(output: Output): { [mime: string]: unknown } {
  return isObject(output["data"]) ? output["data"] : {};
}

/** The plain form of a rich output, empty if it has none. */
export function plainOf(output: Output): string {
  return joined(dataOf(output)["text/plain"]);
}

/** nbformat allows a text to be one string or a list of them. */
export function joined(value: unknown, separator = ""): string {
  if (Array.isArray(value)) return value.map(String).join(separator);
  return typeof value === "string" ? value : "";
}

/** Text without terminal colours, and with carriage returns done as a terminal would. */
export function clean(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal colours are control characters
  const plain = text.replace(/\u001b\[[0-9;?]*[ -/]*[@-~]/g, "").replace(/\r+\n/g, "\n");
  return plain.includes("\r") ? plain.replace(/[^\n]*\r(?=[^\n])/g, "") : plain;
}
