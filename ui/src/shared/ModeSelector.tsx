/** Who leads the run. Each mode in its own colour, icon and word. */
import { GraduationCap, ListOrdered, Zap } from "lucide-react";
import { t } from "@/i18n";
import type { Mode } from "@/ipc/bindings";
import { type Segment, Segmented } from "./Segmented";
import { modeOf } from "./steps";

type Props = {
  mode: Mode;
  disabled: boolean;
  onChange: (mode: Mode) => void;
  /** Where there is little room: only the chosen one has its word, and in a narrow place not even that one. */
  tight?: boolean;
};

export function ModeSelector({ mode, disabled, onChange, tight = false }: Props) {
  const segments: Segment<Exclude<Mode, "fixer">>[] = [
    {
      value: "teacher",
      label: t("plan.mode.teacher"),
      icon: <GraduationCap aria-hidden />,
      chosen: "bg-teacher-fill font-semibold text-on-fill",
    },
    {
      value: "planner",
      label: t("plan.mode.planner"),
      icon: <ListOrdered aria-hidden />,
      chosen: "bg-planner-fill font-semibold text-on-fill",
    },
    {
      value: "agentic",
      label: t("plan.mode.agentic"),
      icon: <Zap aria-hidden />,
      chosen: "bg-agentic-fill font-semibold text-on-fill",
    },
  ];
  return (
    <Segmented
      room={tight ? "tight" : "compact"}
      label={t("plan.modeLabel")}
      value={modeOf(mode)}
      segments={segments}
      onChange={onChange}
      disabled={disabled}
      {...(disabled ? { title: t("plan.modeLocked") } : {})}
    />
  );
}
