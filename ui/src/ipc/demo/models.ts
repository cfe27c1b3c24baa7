/* Models, keys and servers of the host in memory: enough of each kind to show every state of the settings. It asks nobody. */
import type {
  ConnectionReport,
  EngineError,
  FoundServer,
  KeyPlace,
  KeyStatus,
  ModelChoice,
  ModelInfo,
  ModelStatus,
  Price,
  ProviderKind,
  QuestionEstimate,
  Settings,
} from "../bindings";

export type FakeModelsOptions = {
  keys?: Partial<Record<ProviderKind, KeyPlace>>;
  /** Why keys stay in memory; null: there is a keyring. */
  keyringProblem?: string | null;
  servers?: FoundServer[];
  /** Set by the environment, whatever the settings say. */
  environment?: ModelInfo | null;
};

/** What the fake providers take for a wrong key. */
export const WRONG_KEY = "wrong";

const DEFAULT_SERVERS: FoundServer[] = [
  { baseUrl: "http://127.0.0.1:11434/v1", models: ["qwen3-coder:30b", "llama3.3:8b"] },
];

type Known = { name: string; baseUrl: string; model: string; contextTokens: number; price: Price | null };

const KNOWN: Record<Exclude<ProviderKind, "local">, Known> = {
  openai: {
    name: "OpenAI",
    baseUrl: "https://api.openai.com/v1",
    model: "gpt-5.2",
    contextTokens: 400_000,
    price: { inputCents: 125, outputCents: 1000, cachedCents: 13 },
  },
  anthropic: {
    name: "Anthropic",
    baseUrl: "https://api.anthropic.com",
    model: "claude-opus-4-6",
    contextTokens: 200_000,
    price: { inputCents: 500, outputCents: 2500, cachedCents: 50 },
  },
  moonshot: {
    name: "Moonshot",
    baseUrl: "https://api.moonshot.ai/v1",
    model: "kimi-k2.5",
    contextTokens: 256_000,
    price: { inputCents: 60, outputCents: 300, cachedCents: 10 },
  },
};

const ESTIMATE = { inputTokens: 3_100, outputTokens: 800 };

export class FakeModels {
  readonly #pace: number;
  readonly #keys = new Map<ProviderKind, KeyPlace>();
  readonly #keyringProblem: string | null;
  readonly #servers: FoundServer[];
  readonly #environment: ModelInfo | null;
  /** What was tested, for tests to read. */
  readonly tested: { choice: ModelChoice; key: string | undefined }[] = [];
  /** What the next key that is handed over meets. */
  nextKeyError: EngineError | null = null;

  constructor(pace: number, options: FakeModelsOptions = {}) {
    this.#pace = pace;
    for (const [provider, place] of Object.entries(options.keys ?? {})) {
      this.#keys.set(provider as ProviderKind, place);
    }
    this.#keyringProblem = options.keyringProblem ?? null;
    this.#servers = options.servers ?? DEFAULT_SERVERS;
    this.#environment = options.environment ?? null;
  }

  status({ mainModel, strongerModel }: Settings): ModelStatus {
    const chosen = [mainModel, strongerModel].filter((choice) => choice !== null && choice !== undefined);
    const keyless = chosen.find((choice) => choice.provider !== "local" && !this.#hasKey(choice.provider));
    return {
      main: this.#environment ?? this.#info(mainModel ?? null),
      stronger: this.#info(strongerModel ?? null),
      problem:
        keyless && keyless.provider !== "local"
          ? `There is no key for ${KNOWN[keyless.provider].name}. Enter it in Settings, under Models.`
          : null,
      fromEnvironment: this.#environment !== null,
    };
  }

  #hasKey(provider: ProviderKind): boolean {
    return (this.#keys.get(provider) ?? "none") !== "none";
  }

  #info(choice: ModelChoice | null): ModelInfo | null {
    if (!choice) return null;
    if (choice.provider === "local") {
      const server = this.#server(choice);
      const model = choice.model ?? server?.models[0];
      const baseUrl = choice.baseUrl ?? server?.baseUrl;
      if (!model || !baseUrl) return null;
      return { provider: "local", model, baseUrl, tools: "envelope", contextTokens: 32_768, price: null };
    }
    if (!this.#hasKey(choice.provider)) return null;
    const { baseUrl, model, contextTokens, price } = KNOWN[choice.provider];
    return {
      provider: choice.provider,
      model: choice.model ?? model,
      baseUrl: choice.baseUrl ?? baseUrl,
      tools: "native",
      contextTokens,
      price,
    };
  }

  #server(choice: ModelChoice): FoundServer | undefined {
    return choice.baseUrl === null
      ? this.#servers[0]
      : this.#servers.find((server) => server.baseUrl === choice.baseUrl);
  }

  async test(choice: ModelChoice, key: string | undefined): Promise<ConnectionReport> {
    this.tested.push({ choice, key });
    await new Promise((done) => setTimeout(done, 900 / this.#pace));
    if (choice.provider === "local") {
      const server = this.#server(choice);
      return server
        ? worked(choice.model ?? server.models[0] ?? "", server.models, "envelope", 32_768)
        : failed(
            "network",
            `Nobody answers at ${choice.baseUrl ?? "the usual ports"}. Start the server, or correct the address.`,
          );
    }
    const { name, model, contextTokens } = KNOWN[choice.provider];
    if (!key && !this.#hasKey(choice.provider))
      return failed("no-key", `There is no key for ${name}. Enter it above, then test again.`);
    if (key === WRONG_KEY)
      return failed("rejected-key", `${name} does not accept this key. Copy it again from your account.`);
    return worked(choice.model ?? model, [model, `${model}-mini`], "native", contextTokens);
  }

  keep(provider: ProviderKind, _key: string): void {
    const error = this.nextKeyError;
    this.nextKeyError = null;
    if (error) throw error;
    this.#keys.set(provider, this.#keyringProblem === null ? "keyring" : "memory");
  }

  forget(provider: ProviderKind): void {
    this.#keys.delete(provider);
  }

  keyStatuses(): KeyStatus[] {
    const providers: ProviderKind[] = ["openai", "anthropic", "moonshot", "local"];
    return providers.map((provider) => {
      const place = this.#keys.get(provider) ?? "none";
      return { provider, place, note: place === "memory" ? this.#keyringProblem : null };
    });
  }

  async servers(): Promise<FoundServer[]> {
    await new Promise((done) => setTimeout(done, 300 / this.#pace));
    return this.#servers;
  }

  estimate({ strongerModel }: Settings): QuestionEstimate | null {
    const stronger = this.#info(strongerModel ?? null);
    if (!stronger) return null;
    const { model, price } = stronger;
    const { inputTokens, outputTokens } = ESTIMATE;
    // Cents for a million tokens are hundredths of a millionth of a dollar for one.
    const hundredths = price && inputTokens * price.inputCents + outputTokens * price.outputCents;
    return { model, ...ESTIMATE, costMicros: hundredths === null ? null : Math.round(hundredths / 100) };
  }
}

function worked(
  model: string,
  models: string[],
  tools: "native" | "envelope",
  contextTokens: number,
): ConnectionReport {
  return {
    ok: true,
    code: null,
    message: `${model} answered.`,
    models,
    model,
    tools,
    schema: true,
    contextTokens,
    firstTokenMillis: 420,
  };
}

function failed(code: string, message: string): ConnectionReport {
  return {
    ok: false,
    code,
    message,
    models: [],
    model: null,
    tools: null,
    schema: null,
    contextTokens: null,
    firstTokenMillis: null,
  };
}
