// Looks for a secret in everything that was written, in the forms that programs write it in.
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** As it is, in JSON, percent-encoded, and in the three ways that it can stand in base64, of both alphabets. */
export function formsOf(secret) {
  const forms = [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), encodeURI(secret)];
  for (const before of [0, 1, 2]) {
    const bytes = Buffer.concat([Buffer.alloc(before, "x"), Buffer.from(secret)]);
    // The signs at the edges hold bits of what stands beside it.
    const inner = bytes
      .toString("base64")
      .slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6));
    forms.push(inner, inner.replaceAll("+", "-").replaceAll("/", "_"));
  }
  return [...new Set(forms)].map((form) => Buffer.from(form));
}

export function holds(text, secret) {
  const bytes = Buffer.from(text);
  return formsOf(secret).some((form) => bytes.includes(form));
}

/** The files below the folder that hold it, and how many were looked at. */
export function holding(folder, secret) {
  const forms = formsOf(secret);
  const found = [];
  let looked = 0;
  const search = (path) => {
    const kind = lstatSync(path, { throwIfNoEntry: false });
    if (kind?.isDirectory()) for (const name of readdirSync(path)) search(join(path, name));
    if (!kind?.isFile()) return;
    looked += 1;
    const bytes = readFileSync(path);
    if (forms.some((form) => bytes.includes(form) || path.includes(form.toString()))) found.push(path);
  };
  search(folder);
  return { found, looked };
}
