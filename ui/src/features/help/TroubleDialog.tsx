/* What an error means and what to do: the section of the troubleshooting page that its code has, or the whole page. */
import { useRef } from "react";
import { t } from "@/i18n";
import { Button } from "@/shared/Button";
import { Dialog } from "@/shared/Dialog";
import { sectionOf, WHOLE } from "@/shared/troubleshooting";
import { Page } from "./Page";

type Props = { code: string | null; onClose: () => void; onWhole: () => void };

export function TroubleDialog({ code, onClose, onWhole }: Props) {
  const text = useRef<HTMLDivElement>(null);
  const section = code === null ? null : sectionOf(code);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={section === null ? t("help.title") : t("help.sectionTitle")}
      {...(code === null || section === null ? {} : { description: t("help.code", { code }) })}
      firstFocus={text}
      size={section === null ? "lg" : "md"}
      footer={section === null ? null : <Button onClick={onWhole}>{t("help.whole")}</Button>}
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable with the keyboard. */}
      <div ref={text} tabIndex={0} className="outline-none">
        <Page text={section ?? WHOLE} />
      </div>
    </Dialog>
  );
}
