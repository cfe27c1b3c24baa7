// The program's item on the desk's session bus, as a desktop's tray reads and clicks it. It is there without a tray, too.
import { spawnSync } from "node:child_process";

const ITEM = "/StatusNotifierItem";
const MENU = "/MenuBar";

/** The item of one run of the program. */
export class Tray {
  #environment;
  #name;

  /** The desk has a bus. */
  constructor(desk, pid) {
    this.#environment = { PATH: process.env.PATH, ...desk.environment("") };
    this.#name = `org.kde.StatusNotifierItem-${pid}-`;
  }

  /** The item's name on the bus; undefined: there is none now. */
  name() {
    const names = this.#call("org.freedesktop.DBus", "/", "org.freedesktop.DBus.ListNames");
    return names?.match(new RegExp(`"(${this.#name}\\d+)"`))?.[1];
  }

  title() {
    return this.#property("Title");
  }

  /** "Active" or "NeedsAttention". */
  status() {
    return this.#property("Status");
  }

  /** What the menu offers, from the top, with each entry's number. */
  entries() {
    const ask = ["int32:0", "int32:-1", "array:string:label"];
    const layout = this.#call(this.name(), MENU, "com.canonical.dbusmenu.GetLayout", ...ask) ?? "";
    const entry = /int32 (\d+)\s+array \[\s+dict entry\(\s+string "label"\s+variant\s+string "([^"]*)"/g;
    return [...layout.matchAll(entry)].map(([, id, label]) => ({ id, label }));
  }

  choose(label) {
    const entry = this.entries().find((each) => each.label === label);
    if (!entry) throw new Error(`The tray's menu has no "${label}".`);
    const click = [`int32:${entry.id}`, "string:clicked", "variant:int32:0", "uint32:0"];
    this.#call(this.name(), MENU, "com.canonical.dbusmenu.Event", ...click);
  }

  #property(name) {
    const item = this.name();
    if (!item) return undefined;
    const get = ["string:org.kde.StatusNotifierItem", `string:${name}`];
    const answer = this.#call(item, ITEM, "org.freedesktop.DBus.Properties.Get", ...get);
    return answer?.match(/string "([^"]*)"/)?.[1];
  }

  #call(to, path, method, ...values) {
    const words = [
      "--session",
      "--print-reply",
      "--reply-timeout=5000",
      `--dest=${to}`,
      path,
      method,
      ...values,
    ];
    const { status, stdout } = spawnSync("dbus-send", words, { env: this.#environment, encoding: "utf8" });
    return status === 0 ? stdout : undefined;
  }
}
