/** What can be done about one step, in a menu that shows itself on hover and on focus. */
import { Copy, GraduationCap, MoreHorizontal, Pencil, Play, RotateCcw, SkipForward } from "lucide-react";
import type { ReactNode } from "react";
import { t } from "@/i18n";
import type { StepState } from "@/ipc/bindings";
import { IconButton } from "@/shared/Button";
import { Menu, type MenuItem } from "@/shared/Menu";
import type { StepRowProps } from "./StepRow";

type Props = Pick<StepRowProps, "step" | "editable" | "actions"> & { command: string };

export function StepActions({ step, editable, actions, command }: Props) {
  const can = editable ? possible(step.state.type) : [];
  const items: MenuItem[] = [
    ...can.map(
      (action): MenuItem => ({
        id: action,
        label: LABELS[action](),
        icon: ICONS[action],
        onSelect: () => actions[action](step.id),
      }),
    ),
    {
      id: "copy",
      label: t("plan.action.copy"),
      icon: <Copy aria-hidden />,
      onSelect: () => void navigator.clipboard.writeText(command).catch(() => undefined),
    },
  ];
  const { explain } = actions;
  if (explain)
    items.push({
      id: "explain",
      label: t("plan.action.explain"),
      icon: <GraduationCap aria-hidden />,
      onSelect: () => explain(command),
    });
  return (
    <Menu
      align="end"
      items={items}
      trigger={
        <IconButton
          label={t("plan.actions", { title: step.title })}
          className="-my-1 opacity-0 group-focus-within/row:opacity-100 group-hover/row:opacity-100 data-[state=open]:opacity-100"
        >
          <MoreHorizontal aria-hidden />
        </IconButton>
      }
    />
  );
}

type Action = "run" | "retry" | "edit" | "skip";

const ICONS: Record<Action, ReactNode> = {
  run: <Play aria-hidden />,
  retry: <RotateCcw aria-hidden />,
  edit: <Pencil aria-hidden />,
  skip: <SkipForward aria-hidden />,
};

const LABELS: Record<Action, () => string> = {
  run: () => t("plan.action.runStep"),
  retry: () => t("plan.action.retry"),
  edit: () => t("plan.action.edit"),
  skip: () => t("plan.action.skip"),
};

function possible(state: StepState["type"]): Action[] {
  switch (state) {
    case "awaiting-run":
      return ["run", "edit", "skip"];
    case "pending":
      return ["edit", "skip"];
    case "failed":
    case "interrupted":
    case "recovering":
      return ["retry", "edit", "skip"];
    case "awaiting-approval":
    case "running":
    case "completed":
    case "skipped":
    case "cancelled":
      return [];
  }
}
