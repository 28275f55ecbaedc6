import { describe, expect, it } from "vitest";
import { speaker } from "../src/shared/strings";
import en from "../src/shared/strings/en.json";
import zh from "../src/shared/strings/zh.json";

const holes = (text: string): string[] => [...text.matchAll(/\{\w+\}/g)].map(String).sort();

describe("the two languages", () => {
  it("have the same words", () => {
    expect(Object.keys(zh)).toEqual(Object.keys(en));
  });

  it.each(Object.keys(en) as (keyof typeof en)[])("take the same values in %s", (word) => {
    expect(holes(zh[word])).toEqual(holes(en[word]));
  });

  it("put values in as they are", () => {
    expect(speaker("en")("tier.host", { host: "$& {host}" })).toBe("Messages go to $& {host}");
  });
});
