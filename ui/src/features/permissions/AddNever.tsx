/** A rule that refuses, made without a question before it. What is wrong with it, the engine says; it is shown in place. */
import { ChevronDown, Plus } from "lucide-react";
import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import { toast } from "sonner";
import { t } from "@/i18n";
import type { GrantRule } from "@/ipc/bindings";
import { toEngineError, useHost } from "@/ipc/host";
import { AboutError } from "@/shared/AboutError";
import { Button } from "@/shared/Button";
import { Covered } from "@/shared/Covered";
import { useApp } from "@/state/store";

type Kind = "program" | "exact";

const FIELD =
  "h-8 min-w-0 rounded-sm border border-line-strong bg-raised px-2.5 text-md text-ink shadow-1 placeholder:text-ink-3 aria-invalid:border-danger";

/** For how long nothing is typed before the past commands are looked through. */
const PAUSE_MS = 500;

export function AddNever() {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(false);
  useEffect(() => {
    if (wasOpen.current && !open) button.current?.focus();
    wasOpen.current = open;
  }, [open]);
  if (open) return <NeverForm onClose={() => setOpen(false)} />;
  return (
    <Button ref={button} size="sm" icon={<Plus aria-hidden />} onClick={() => setOpen(true)}>
      {t("permissions.add.open")}
    </Button>
  );
}

function NeverForm({ onClose }: { onClose: () => void }) {
  const host = useHost();
  const refresh = useApp((store) => store.refreshGrants);
  const [kind, setKind] = useState<Kind>("program");
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<{ message: string; code: string | null } | null>(null);
  const [saving, setSaving] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const problemId = useId();
  const settled = useSettled(JSON.stringify(ruleOf(kind, text)));
  const preview = settled === "null" ? null : (JSON.parse(settled) as GrantRule);
  useEffect(() => field.current?.focus(), []);

  const save = async (event: FormEvent) => {
    event.preventDefault();
    const rule = ruleOf(kind, text);
    if (!rule) {
      const message = t(text.trim() === "" ? "permissions.add.empty" : "permissions.add.quotes");
      setProblem({ message, code: null });
      field.current?.focus();
      return;
    }
    setSaving(true);
    try {
      await host.addNever(rule);
      await refresh();
      toast.success(t("permissions.add.done"));
      onClose();
    } catch (thrown) {
      setProblem(toEngineError(thrown));
      setSaving(false);
      field.current?.focus();
    }
  };

  return (
    <form
      aria-label={t("permissions.add.title")}
      onSubmit={(event) => void save(event)}
      onKeyDown={(event) => event.key === "Escape" && onClose()}
      className="grid gap-2 rounded-md border border-line bg-bg p-3.5"
    >
      <div className="flex flex-wrap items-center gap-2">
        <span className="font-medium">{t("permissions.add.title")}</span>
        <span className="relative">
          <select
            aria-label={t("permissions.add.kind")}
            value={kind}
            onChange={(event) => {
              setKind(event.target.value === "exact" ? "exact" : "program");
              setProblem(null);
            }}
            className={`${FIELD} appearance-none pr-8`}
          >
            <option value="program">{t("permissions.add.program")}</option>
            <option value="exact">{t("permissions.add.exact")}</option>
          </select>
          <ChevronDown
            aria-hidden
            className="pointer-events-none absolute top-2.5 right-2.5 size-3.5 text-ink-3"
          />
        </span>
        <input
          ref={field}
          aria-label={t("permissions.add.text")}
          aria-invalid={problem !== null}
          aria-describedby={problem === null ? undefined : problemId}
          placeholder={t(`permissions.add.placeholder.${kind}`)}
          spellCheck={false}
          autoComplete="off"
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setProblem(null);
          }}
          className={`${FIELD} flex-1 basis-56 font-mono`}
        />
      </div>
      {problem === null ? null : (
        <p id={problemId} role="alert" className="text-sm text-danger">
          {problem.message} <AboutError code={problem.code} />
        </p>
      )}
      {preview ? <Covered never rule={preview} lifetime="always" sessionId={null} /> : null}
      <div className="flex justify-end gap-2">
        <Button size="sm" onClick={onClose}>
          {t("permissions.add.cancel")}
        </Button>
        <Button size="sm" type="submit" variant="primary" disabled={saving}>
          {t("permissions.add.save")}
        </Button>
      </div>
    </form>
  );
}

/** The rule that the words mean; null when they mean none. Only plain words can begin a command. */
function ruleOf(kind: Kind, text: string): GrantRule | null {
  const command = text.trim();
  if (command === "") return null;
  if (kind === "exact") return { type: "exact", command };
  return /["'`\\$;&|<>()]/.test(command) ? null : { type: "program", words: command.split(/\s+/) };
}

/** A value once it has not changed for a moment. */
function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
