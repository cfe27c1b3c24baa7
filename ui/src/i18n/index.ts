/* i18next, set up once. All text of the window lives in the catalogues under `en/`; import `t` from here. */
import i18next from "i18next";
import { en } from "./en";

const catalogue = i18next.createInstance();

void catalogue.init({
  lng: "en",
  fallbackLng: "en",
  resources: { en: { translation: en } },
  interpolation: { escapeValue: false },
  initAsync: false,
});

type Leaves<T, Prefix extends string = ""> = {
  [K in keyof T & string]: T[K] extends string ? `${Prefix}${K}` : Leaves<T[K], `${Prefix}${K}.`>;
}[keyof T & string];

type WithoutPlural<K extends string> = K extends `${infer Base}_${"one" | "other"}` ? Base : K;

/** A key of the catalogue; a plural is named without its `_one` or `_other`. */
export type TextKey = WithoutPlural<Leaves<typeof en>>;

export type TextValues = Record<string, string | number>;

/** The text for `key`, with `{{name}}` filled in; `count` chooses the plural. */
export function t(key: TextKey, values?: TextValues): string {
  if (values) return catalogue.t(key, values);
  const known = plain.get(key);
  if (known !== undefined) return known;
  const text = catalogue.t(key);
  plain.set(key, text);
  return text;
}

/** Texts without values: rows ask for the same ones over and over, and to look one up takes longer than to draw it. */
const plain = new Map<TextKey, string>();
