/** The words a person reads, in two languages; it never decides which is shown. */

import en from "./strings/en.json";
import zh from "./strings/zh.json";

export type Word = keyof typeof en;
export type Language = "en" | "zh";
export type Say = (word: Word, values?: { [name: string]: string | number }) => string;

const TABLES: { [L in Language]: { [W in Word]: string } } = { en, zh };

/** Return the speaker of a language; `{name}` is replaced by that value, `{name|one|more}` by a word for its number. */
export function speaker(language: Language): Say {
  const table = TABLES[language];
  return (word, values = {}) =>
    table[word].replace(/\{(\w+)(?:\|([^|}]*)\|([^}]*))?\}/g, (whole, name: string, one?: string, more?: string) => {
      if (!Object.hasOwn(values, name)) return whole;
      const value = String(values[name]);
      return one === undefined ? value : ((value === "1" ? one : more) ?? value);
    });
}

export function isWord(word: string): word is Word {
  return Object.hasOwn(en, word);
}

/** The language of the page, which JupyterLab sets to its own: the view's until the kernel has said which. */
export function guessLanguage(): Language {
  const tag = document.documentElement.lang || navigator.language;
  return tag.toLowerCase().startsWith("zh") ? "zh" : "en";
}
