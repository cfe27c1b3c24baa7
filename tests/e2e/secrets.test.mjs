// Real programs that ask for a password, answered in the card of the real window. Afterwards the password stands nowhere.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { call, say } from "./support/model.mjs";
import { holding, holds } from "./support/search.mjs";
import { story } from "./support/story.mjs";
import { until } from "./support/until.mjs";
import { makeUser } from "./support/user.mjs";

const PASSWORD = "c0rrect/horse+battery&staple";
const WRONG = "wr0ng&answer+entirely/bad";

const run = (program, args, options) => {
  const done = spawnSync(program, args, { encoding: "utf8", ...options });
  assert.equal(done.status, 0, `${program}: ${done.stderr}`);
};

function makeKey(desk) {
  run("ssh-keygen", ["-q", "-t", "ed25519", "-C", "test", "-N", PASSWORD, "-f", join(desk.work, "key")]);
}

/** A repository behind a name and a password, over TLS; its address, its authority, and the way to end it. */
async function gitServer(desk) {
  const script =
    "git init -q -b main w && cd w && echo from the server > file && git add file && " +
    "git -c user.name=a -c user.email=a@b commit -qm x && cd .. && git clone -q --bare w r.git && " +
    "git -C r.git update-server-info";
  const root = desk.make("repositories");
  run("sh", ["-c", script], { cwd: root });
  const make =
    "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=authority -keyout ca.key -out ca.pem && " +
    "openssl req -newkey rsa:2048 -nodes -subj /CN=server -keyout key.pem -out request.pem && " +
    "echo subjectAltName=IP:127.0.0.1 > names && openssl x509 -req -in request.pem -CA ca.pem " +
    "-CAkey ca.key -CAcreateserial -days 2 -extfile names -out certificate.pem";
  run("sh", ["-c", make], { cwd: root });
  const [cert, key] = ["certificate.pem", "key.pem"].map((name) => readFileSync(join(root, name)));
  const wanted = `Basic ${Buffer.from(`ada:${PASSWORD}`).toString("base64")}`;
  const server = createServer({ cert, key }, (request, response) => {
    if (request.headers.authorization !== wanted)
      return response.writeHead(401, { "WWW-Authenticate": 'Basic realm="test"' }).end();
    try {
      response.end(readFileSync(join(root, request.url.split("?")[0])));
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const url = `https://127.0.0.1:${server.address().port}/r.git`;
  return { url, authority: join(root, "ca.pem"), end: () => server.close() };
}

/** Waits for the card of a program's question; gives its words. */
async function card(window, title) {
  const words = await window.until(`the card “${title}”`, async () => {
    const dialog = await window.dialog();
    return dialog?.includes(title) ? dialog : null;
  });
  // Keys that were on their way count for nothing.
  await sleep(500);
  return words;
}

/** One key after the other: keys that are given together are held together. */
async function type(window, text) {
  for (const key of text) await window.keys(key);
}

/** Types an answer into the card as a person does. */
async function answer(window, text) {
  await type(window, text);
  await window.keys("Enter");
}

/** Answers questions about commands until a program's question is there. */
async function allowAll(window) {
  await window.until("a program's question", async () => {
    const dialog = await window.dialog();
    if (dialog?.includes("asks for a")) return true;
    if (await window.find("button", "Review")) await window.press("Review");
    else if (dialog && (await window.find("button", "Run once"))) {
      await sleep(500);
      await window.press("Run once");
    }
    return false;
  });
}

function standsNowhere(desk, secret) {
  const { found, looked } = holding(desk.folder, secret);
  assert.deepEqual(found, []);
  assert.ok(looked > 10, `${looked} files were looked at`);
}

story("passwords are typed into the card and stand nowhere afterwards", async ({ desk, open }) => {
  makeKey(desk);
  const server = await gitServer(desk);
  const user = makeUser(PASSWORD);
  try {
    const clone = `git -c http.sslCAInfo=${server.authority} clone -q ${server.url} copy`;
    const steps = ["ssh-keygen -y -f key", clone];
    if (user) steps.push(`runuser -u ${user.name} -- sudo -k id -u`);
    const page = ["# Passwords", ...steps.map((step) => `\`\`\`sh\n${step}\n\`\`\``)].join("\n\n");
    const { window } = await open();
    await window.drop(desk.write("work/PAGE.md", page));
    await window.press(`Run ${steps.length} steps`);

    await allowAll(window);
    const passphrase = await card(window, "ssh-keygen asks for a passphrase");
    assert.ok(passphrase.includes("ssh-keygen -y -f key"), passphrase);
    assert.ok(passphrase.includes("This goes straight to ssh-keygen and is not stored."), passphrase);
    await type(window, PASSWORD.slice(0, 4));
    await window.look("secret-passphrase");
    await type(window, PASSWORD.slice(4));
    await window.keys("Enter");

    await allowAll(window);
    const name = await card(window, "asks for a user name");
    assert.ok(name.includes("Username for") && name.includes("https://127.0.0.1"), name);
    await window.look("secret-username");
    await answer(window, "ada");
    await card(window, "asks for a password");
    await window.look("secret-git");
    await answer(window, PASSWORD);

    if (user) {
      await allowAll(window);
      const sudo = await card(window, "sudo asks for a password");
      assert.ok(sudo.includes(`[sudo] password for ${user.name}`), sudo);
      assert.ok(!sudo.includes("Look twice."), sudo);
      await answer(window, WRONG);
      await window.until("the second try", async () => (await window.dialog())?.includes("Try 2 of 3."));
      await sleep(500);
      await window.look("secret-sudo-again");
      await answer(window, PASSWORD);
    }
    await window.sees(`${steps.length} steps ran in`, 60_000);
    assert.equal(readFileSync(join(desk.work, "copy/file"), "utf8"), "from the server\n");
    assert.ok(!holds(await window.text(), PASSWORD));
  } finally {
    server.end();
    user?.remove();
  }
  standsNowhere(desk, PASSWORD);
  standsNowhere(desk, WRONG);
});

story("a script that asks like sudo is named, and Escape declines", async ({ desk, open }) => {
  const page =
    '# Spoof\n\n```sh\nbash -c \'"$SUDO_ASKPASS" "[sudo] password for you: "; echo $? > declined\'\n```\n';
  const { window } = await open();
  await window.drop(desk.write("work/PAGE.md", page));
  await window.press("Run 1 step");
  await allowAll(window);
  const words = await card(window, "bash asks for a password");
  assert.ok(words.includes("Look twice."), words);
  await window.look("secret-spoof");
  await window.keys("Escape");
  await window.until("the program to hear of it", () => desk.has("work/declined"));
  assert.equal(desk.read("work/declined"), "1\n");
});

story("closing the window while a password is asked for declines", async ({ desk, open }) => {
  const ask = '"$SSH_ASKPASS" "Password: " > given && touch answered';
  const first = await open();
  await first.window.drop(desk.write("work/PAGE.md", `# Ask\n\n## Ask for it\n\n\`\`\`sh\n${ask}\n\`\`\`\n`));
  await first.window.press("Run 1 step");
  await allowAll(first.window);
  await card(first.window, "asks for a password");
  await type(first.window, PASSWORD.slice(0, 20));
  await first.app.close();
  await until("every process to be gone", () => desk.processes().length === 0, 20_000);
  assert.ok(!desk.has("work/answered"));
  standsNowhere(desk, PASSWORD.slice(0, 20));

  const { window } = await open();
  await window.press("Ask");
  await window.stepIs("Ask for it", "interrupted");
  assert.equal(await window.dialog(), null);
  assert.equal(desk.read("work/given"), "");
});

story(
  "a model that runs a command learns nothing of the passphrase",
  async ({ desk, open, model }) => {
    makeKey(desk);
    const { window } = await open();
    await window.write(`Show the public key of ${desk.work}/key`);
    await allowAll(window);
    await card(window, "ssh-keygen asks for a passphrase");
    await answer(window, PASSWORD);
    await window.sees("It is an ed25519 key.");
    const told = JSON.stringify(model.bodies);
    assert.ok(told.includes("ssh-ed25519 "), told);
    assert.ok(!holds(told, PASSWORD));
    standsNowhere(desk, PASSWORD);
  },
  {
    script: (number, { messages }) =>
      number === 0
        ? call(["shell", { command: `ssh-keygen -y -f ${messages.at(-1).content.match(/\/\S+key/)[0]}` }])
        : say("It is an ed25519 key."),
  },
);
