/* Says, quietly and from the start, that the user's rule for keeping no longer keeps something, and leads to where it can
   be looked at and cleared. Nothing goes by itself. */
import { Archive } from "lucide-react";
import { useEffect, useState } from "react";
import { t } from "@/i18n";
import { useHost } from "@/ipc/host";
import { useApp } from "@/state/store";

export function DueNotice() {
  const host = useHost();
  const keepDays = useApp((store) => store.settings?.keepDays ?? null);
  const keepMib = useApp((store) => store.settings?.keepMib ?? null);
  const page = useApp((store) => store.page);
  const showSettings = useApp((store) => store.showSettings);
  const [due, setDue] = useState(0);
  const isRuled = keepDays !== null || keepMib !== null;
  // At the start, after another rule, and on the way back from where it is cleared.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rule and the page are why to look again
  useEffect(() => {
    if (!isRuled) return setDue(0);
    let closed = false;
    host.storage().then(
      (storage) => closed || setDue(storage.due.length),
      // Whoever looks at the storage is told what is wrong; a notice is not worth an error.
      () => closed || setDue(0),
    );
    return () => {
      closed = true;
    };
  }, [host, isRuled, keepDays, keepMib, page]);
  if (due === 0) return null;
  return (
    <button
      type="button"
      className="inline-flex items-center gap-1.5 rounded-sm tabular-nums underline-offset-2 hover:text-ink hover:underline focus-visible:outline-2"
      title={t("storage.dueNotice.hint")}
      onClick={() => showSettings("storage")}
    >
      <Archive aria-hidden />
      {t("storage.dueNotice.text", { count: due })}
    </button>
  );
}
