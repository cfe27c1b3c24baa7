/** The way from an error or an end to what is known about it. What shows it is the window's, so it is handed down. */
import { createContext, useContext } from "react";
import { t } from "@/i18n";
import { Button } from "./Button";
import { sectionOf } from "./troubleshooting";

export const HelpContext = createContext<(code: string) => void>(() => undefined);

/** Nothing where nothing more is known. */
export function AboutError({ code }: { code: string | null }) {
  const help = useContext(HelpContext);
  if (code === null || sectionOf(code) === null) return null;
  return (
    <Button size="sm" variant="ghost" onClick={() => help(code)}>
      {t("shared.aboutError")}
    </Button>
  );
}
