/* Calls that only looked at things, in one quiet line that opens. */
import { CircleAlert, ScanSearch } from "lucide-react";
import { memo } from "react";
import { t } from "@/i18n";
import { Spinner } from "@/shared/Spinner";
import { CallStatus, CallWords, ResultBody } from "./CallCard";
import { type CallEntry, callInWords, failedIn, looksInWords } from "./callFacts";
import { Disclosure } from "./Disclosure";

type Props = { calls: CallEntry[]; root: string };

export const LooksRow = memo(
  function LooksRow({ calls, root }: Props) {
    const [only] = calls;
    const running = calls.some((call) => call.state.type === "running");
    const failed = failedIn(calls);
    const icon = running ? <Spinner /> : <ScanSearch aria-hidden className="text-ink-3" />;
    return (
      <Disclosure
        icon={icon}
        summary={calls.length === 1 && only ? callInWords(only, root) : looksInWords(calls)}
        aside={
          failed > 0 ? (
            <span className="inline-flex items-center gap-1 text-xs font-semibold whitespace-nowrap text-danger">
              <CircleAlert aria-hidden className="size-3" />
              {t("chat.call.failed", { count: failed })}
            </span>
          ) : null
        }
      >
        <ul className="grid gap-1">
          {calls.map((call) => (
            <li key={call.callId} className="min-w-0">
              <Look call={call} root={root} />
            </li>
          ))}
        </ul>
      </Disclosure>
    );
  },
  (before, after) =>
    before.root === after.root &&
    before.calls.length === after.calls.length &&
    before.calls.every((call, at) => call === after.calls[at]),
);

function Look({ call, root }: { call: CallEntry; root: string }) {
  const title = callInWords(call, root);
  if (call.state.type !== "ended") {
    return (
      <p className="flex min-h-6 items-center gap-2">
        <CallWords call={call} root={root} />
        <CallStatus call={call} />
      </p>
    );
  }
  const failed = call.state.result.outcome !== "success";
  return (
    <Disclosure icon={null} summary={title} aside={failed ? <CallStatus call={call} /> : null}>
      <ResultBody result={call.state.result} root={root} title={title} />
    </Disclosure>
  );
}
