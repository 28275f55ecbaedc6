/** Pictures that go with the next message: taken from a paste or a drop, made small enough, shown, removed. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useSurroundings } from "./context";

export const MOST_PICTURES = 6;
/** One message to the kernel may hold 10 MB. */
const MOST_CHARACTERS = 7_000_000;
const KEPT_BYTES = 1_000_000;
const LONGEST_SIDE = 2048;
const TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"];

export interface Picture {
  name: string;
  url: string;
}

export interface Pictures {
  list: readonly Picture[];
  /** Why the last one could not be taken. */
  fault: "picture.kind" | "picture.large" | "picture.many" | "";
  /** Take the pictures of a paste or a drop; false if there are none. */
  take(data: DataTransfer | null): boolean;
  remove(picture: Picture): void;
  clear(): void;
}

export function usePictures(): Pictures {
  const [list, setList] = useState<readonly Picture[]>([]);
  const [fault, setFault] = useState<Pictures["fault"]>("");
  const add = async (file: File): Promise<void> => {
    const url = await small(file).catch(() => "");
    setFault(url === "" ? "picture.kind" : "");
    if (url === "") return;
    setList((held) => {
      const size = held.reduce((sum, picture) => sum + picture.url.length, url.length);
      if (held.length >= MOST_PICTURES) setFault("picture.many");
      else if (size > MOST_CHARACTERS) setFault("picture.large");
      else return [...held, { name: file.name, url }];
      return held;
    });
  };
  return {
    list,
    fault,
    take(data) {
      const files = [...(data?.files ?? [])].filter((file) => file.type.startsWith("image/"));
      for (const file of files) void add(file);
      return files.length > 0;
    },
    remove: (picture) => setList((held) => held.filter((each) => each !== picture)),
    clear: () => {
      setList([]);
      setFault("");
    },
  };
}

/** Return a file as a data URL; a large one is drawn smaller. Throws for what is no picture the browser knows. */
async function small(file: File): Promise<string> {
  if (TYPES.includes(file.type) && file.size <= KEPT_BYTES) return dataUrl(file);
  const bitmap = await createImageBitmap(file);
  const scale = Math.min(1, LONGEST_SIDE / Math.max(bitmap.width, bitmap.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(bitmap.width * scale));
  canvas.height = Math.max(1, Math.round(bitmap.height * scale));
  canvas.getContext("2d")?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  const png = canvas.toDataURL("image/png");
  return png.length * 0.75 <= KEPT_BYTES ? png : canvas.toDataURL("image/jpeg", 0.9);
}

function dataUrl(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error ?? new Error("unreadable"));
    reader.readAsDataURL(file);
  });
}

export function PictureChips({ pictures }: { pictures: Pictures }): JSX.Element | null {
  const { say } = useSurroundings();
  const { list, fault } = pictures;
  if (list.length === 0 && fault === "") return null;
  return (
    <div class="nph-attached">
      {list.map((picture, index) => (
        <span key={picture.url} class="nph-attachment">
          <img src={picture.url} alt={picture.name || say("picture")} />
          <button
            type="button"
            aria-label={say("picture.remove", { name: picture.name || index + 1 })}
            title={say("picture.remove", { name: picture.name || index + 1 })}
            onClick={() => pictures.remove(picture)}
          >
            ×
          </button>
        </span>
      ))}
      {fault ? (
        <p class="nph-error" role="status">
          {say(fault, { most: MOST_PICTURES })}
        </p>
      ) : null}
    </div>
  );
}
