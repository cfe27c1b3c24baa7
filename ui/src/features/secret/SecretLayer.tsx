/**
 * What running programs ask of the user, one at a time: as a dialog with a masked field, or, while the user is typing and
 * for a session that is not shown, as a card that takes nothing. What is typed goes to the host and nowhere else.
 */
import { KeyRound } from "lucide-react";
import { useLayoutEffect, useState } from "react";
import { t } from "@/i18n";
import type { SecretRequest, SecretRequestId, SessionState } from "@/ipc/bindings";
import { useHost } from "@/ipc/host";
import { Button } from "@/shared/Button";
import { useTyping } from "@/shared/useTyping";
import { SecretDialog } from "./SecretDialog";
import { programOf } from "./words";

export type SecretLayerProps = {
  /** The one that is shown. */
  session: SessionState | null;
  /** Others that ask something. */
  waiting?: SessionState[];
};

export type Asked = { request: SecretRequest; session: SessionState };

type Shown = { id: SecretRequestId; as: "modal" | "card" };

const NONE: SessionState[] = [];

export function SecretLayer({ session, waiting = NONE }: SecretLayerProps) {
  const isTyping = useTyping();
  const [shown, setShown] = useState<Shown | null>(null);
  const all = [...(session ? askedBy(session) : []), ...waiting.flatMap(askedBy)];
  // Whoever is at a question stays at it.
  const present = all.find(({ request }) => request.id === shown?.id) ?? all[0];
  const id = present?.request.id;
  const elsewhere = present !== undefined && present.session.id !== session?.id;

  useLayoutEffect(() => {
    setShown((before) => {
      if (id === undefined) return null;
      if (before?.id === id) return before;
      return { id, as: elsewhere || isTyping() ? "card" : "modal" };
    });
  }, [id, elsewhere, isTyping]);

  if (!present || shown?.id !== present.request.id) return null;
  return shown.as === "card" ? (
    <WaitingCard asked={present} onAnswer={() => setShown({ id: present.request.id, as: "modal" })} />
  ) : (
    <SecretDialog key={present.request.id} asked={present} named={elsewhere} others={all.length - 1} />
  );
}

function askedBy(session: SessionState): Asked[] {
  return (session.secrets ?? []).map((request) => ({ request, session }));
}

function WaitingCard({ asked, onAnswer }: { asked: Asked; onAnswer: () => void }) {
  const host = useHost();
  const { request, session } = asked;
  const program = programOf(request);
  return (
    <section
      aria-label={t("secret.card.label")}
      className="fixed right-4 bottom-12 z-40 grid w-100 max-w-[calc(100vw-2rem)] gap-2.5 rounded-lg border border-line-strong bg-raised p-4 shadow-3"
    >
      <div role="alert" className="sr-only">
        {t("secret.card.announce", { program })}
      </div>
      <p className="flex min-w-0 items-center gap-2 font-semibold text-ink">
        <KeyRound aria-hidden className="size-4 shrink-0 text-caution" />
        <span className="min-w-0 wrap-anywhere">{t(`secret.title.${request.kind}`, { program })}</span>
      </p>
      <div className="flex items-center justify-end gap-2">
        <span className="mr-auto min-w-0 truncate text-xs text-ink-3" title={session.title}>
          {t("secret.session", { title: session.title })}
        </span>
        {/* A question that is over by now needs no declining. */}
        <Button
          size="sm"
          onClick={() => void host.answerSecret(session.id, request.id, null).catch(() => undefined)}
        >
          {t("secret.decline")}
        </Button>
        <Button size="sm" variant="primary" onClick={onAnswer}>
          {t("secret.card.answer")}
        </Button>
      </div>
    </section>
  );
}
