// A model server with a script, in the OpenAI dialect: it reads each conversation that it is sent, refuses one that a real
// provider would refuse, and answers as the test says. Connections are kept, as real ones are.
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

/** An answer in words; in a list, a function among them is called and waited for. `more`: see `Answer` below. */
export const say = (text, more) => ({ text, ...more });

/** An answer that calls tools: each call is `[name, arguments]`, the arguments a value or any text. */
export const call = (...calls) => ({ calls });

/** An answer of the brain. */
export const correction = (value) => say(JSON.stringify(value));

/** A place in an answer where it waits until `open` is called: `say(["The first part. ", door.wait, "The rest."])`. */
export function door() {
  let open;
  const opened = new Promise((resolve) => {
    open = resolve;
  });
  return { open, wait: () => opened };
}

/** Whether a question is one for a plan: it offers no tools and wants JSON. */
export const wantsPlan = ({ tools = [], response_format: format }) => tools.length === 0 && Boolean(format);

/** The words that a question ends with. */
export const lastWords = ({ messages }) => messages.at(-1).content;

/** An error in the words of the dialect. */
export const refusal = (status, message) => ({
  status,
  raw: JSON.stringify({ error: { message, type: "invalid_request_error" } }),
});

/*
 * Answer: { text, calls, pace, status, type, raw }
 *   pace    milliseconds between two words of the text
 *   raw     the body as it is, instead of a stream of the dialect; with `status` and `type` (the content type)
 */

/** One server with one script; `script(number, body)` gets the number of the question, from 0, and its body. */
export class ModelServer {
  #server;
  #calls = 0;

  /** The bodies of all questions so far. */
  bodies = [];
  /** Why conversations were refused; a provider would have refused them too. */
  refused = [];
  /** Of each question, in ms since 1970: when its answer was about to be whole, and when its asker hung up before. */
  sent = [];
  left = [];

  static async start(script) {
    const model = new ModelServer();
    /** May be changed while it runs. */
    model.script = script;
    model.#server = createServer((request, response) => {
      // An asker that hangs up is what some tests want.
      model.#serve(request, response).catch(() => response.destroy());
    });
    model.#server.keepAliveTimeout = 120_000;
    await new Promise((done) => model.#server.listen(0, "127.0.0.1", done));
    return model;
  }

  url() {
    return `http://127.0.0.1:${this.#server.address().port}/v1`;
  }

  /** What makes the program use this server. */
  variables() {
    return {
      PLANWRIGHT_PROVIDER: "local",
      PLANWRIGHT_BASE_URL: this.url(),
      PLANWRIGHT_MODEL: "scripted",
      PLANWRIGHT_API_KEY: "key-of-the-tests",
      // No proxy of the tester's stands between the two.
      NO_PROXY: "127.0.0.1",
    };
  }

  /** All that was said in a question, in one text. */
  question(number) {
    return (this.bodies[number]?.messages ?? []).map((message) => message.content ?? "").join("\n");
  }

  close() {
    this.#server.closeAllConnections();
    return new Promise((done) => this.#server.close(done));
  }

  async #serve(request, response) {
    const body = await whole(request);
    if (request.method !== "POST" || !request.url.endsWith("/chat/completions")) {
      about(request, response);
      return;
    }
    const number = this.bodies.push(body) - 1;
    response.once("close", () => {
      if (!response.writableFinished) this.left[number] = Date.now();
    });
    const problem = problemOf(body);
    if (problem) this.refused.push(problem);
    const answer = problem ? refusal(400, problem) : await this.script(number, body);
    if (answer.raw !== undefined) {
      response.writeHead(answer.status ?? 200, { "content-type": answer.type ?? "application/json" });
      response.end(answer.raw);
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    for await (const piece of this.#pieces(answer)) {
      if (response.destroyed) return;
      response.write(piece);
    }
    this.sent[number] = Date.now();
    response.end("data: [DONE]\n\n");
  }

  async *#pieces({ text = "", calls = [], pace = 0 }) {
    for (const part of [text].flat()) {
      if (typeof part === "function") {
        await part();
        continue;
      }
      for (const word of pace > 0 ? part.split(/(?<= )/) : [part]) {
        yield event({ content: word });
        if (pace > 0) await sleep(pace);
      }
    }
    for (const [index, [name, given]] of calls.entries()) {
      const id = `call_${this.#calls++}`;
      const args = typeof given === "string" ? given : JSON.stringify(given);
      yield event({ tool_calls: [{ index, id, type: "function", function: { name, arguments: args } }] });
    }
    yield event({}, calls.length > 0 ? "tool_calls" : "stop");
    yield line({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 5 } });
  }
}

const line = (value) => `data: ${JSON.stringify(value)}\n\n`;
const event = (delta, reason = null) => line({ choices: [{ index: 0, delta, finish_reason: reason }] });

async function whole(request) {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk;
  return text === "" ? null : JSON.parse(text);
}

/** What a server says of itself, in llama.cpp's way, so that nothing has to be tried out. */
function about(request, response) {
  const known = {
    "/props": {
      chat_template_caps: { supports_tools: true, supports_tool_calls: true },
      default_generation_settings: { n_ctx: 32_768 },
    },
    "/v1/models": { data: [{ id: "scripted" }] },
  }[request.url];
  response.writeHead(known ? 200 : 404, { "content-type": "application/json" });
  response.end(JSON.stringify(known ?? { error: { message: "There is nothing here." } }));
}

/** What a provider would say against the conversation: every call is followed at once by its results, in order. */
function problemOf({ messages = [] }) {
  let wanted = [];
  let before = "";
  for (const [at, { role, content, tool_call_id: id, tool_calls: calls = [] }] of messages.entries()) {
    if (role === "tool") {
      if (wanted[0] !== id) return `message ${at}: a result for ${id}, wanted ${wanted}`;
      wanted.shift();
    } else if (wanted.length > 0) {
      return `message ${at}: no result for ${wanted}`;
    } else if (role === "assistant") {
      if (before === "assistant") return `message ${at}: two answers in a row`;
      if (calls.length === 0 && !content) return `message ${at}: an empty answer`;
      if (!calls.every((one) => isJson(one.function.arguments)))
        return `message ${at}: arguments that are no JSON`;
      wanted = calls.map((one) => one.id);
    } else if (role !== "user" && !(role === "system" && at === 0)) {
      return `message ${at}: role ${role}`;
    }
    before = role;
  }
  if (wanted.length > 0) return `no result for ${wanted} at the end`;
  return before === "assistant" ? "the last word is the assistant's" : null;
}

function isJson(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
