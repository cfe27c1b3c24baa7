// An ordinary user with a password who may use sudo, for as long as a test runs.
import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";

const succeeds = (program, args, input) => spawnSync(program, args, { input, stdio: "pipe" }).status === 0;

/** Null where this is not root, the machine has no sudo, or nobody else may read this checkout; it then says so. */
export function makeUser(password) {
  const tools = ["sudo", "runuser", "useradd", "chpasswd"];
  if (process.getuid() !== 0 || !tools.every((tool) => succeeds("which", [tool]))) {
    console.error("left out: only root, with a sudo on the machine, can make a user for this test");
    return null;
  }
  const name = `pwe2e${process.pid}`;
  const rule = `/etc/sudoers.d/${name}`;
  if (!succeeds("useradd", ["--no-create-home", "--shell", "/bin/bash", name]))
    throw new Error(`no user ${name}`);
  const remove = () => {
    rmSync(rule, { force: true });
    succeeds("userdel", ["--force", name]);
  };
  if (!succeeds("chpasswd", [], `${name}:${password}\n`)) {
    remove();
    throw new Error(`no password for ${name}`);
  }
  if (!succeeds("runuser", ["-u", name, "--", "test", "-r", import.meta.filename])) {
    remove();
    console.error("left out: another user may not come into this checkout's folder");
    return null;
  }
  writeFileSync(rule, `${name} ALL=(ALL) ALL\n`, { mode: 0o440 });
  return { name, remove };
}
