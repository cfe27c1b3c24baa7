/** What can be done about one step, in a menu that shows itself on hover and on focus. */
import {
  ArrowDown,
  ArrowUp,
  BetweenHorizontalEnd,
  BetweenHorizontalStart,
  Copy,
  GraduationCap,
  MoreHorizontal,
  Pencil,
  Play,
  RotateCcw,
  SkipForward,
  Trash2,
} from "lucide-react";
import type { ReactNode } from "react";
import { t } from "@/i18n";
import type { StepState } from "@/ipc/bindings";
import { IconButton } from "@/shared/Button";
import { Menu, type MenuItem } from "@/shared/Menu";
import type { StepRowProps } from "./StepRow";

type Props = Pick<StepRowProps, "step" | "editable" | "draft" | "before" | "count" | "actions"> & {
  command: string;
};

export function StepActions(props: Props) {
  const { step, editable, draft, actions, command } = props;
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
  if (draft) items.push(...draftItems(props));
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

/** What a draft allows besides: another order, more steps, fewer steps. */
function draftItems({ step, before, count, actions }: Props): MenuItem[] {
  const { id, index } = step;
  return [
    { type: "separator", id: "draft" },
    {
      id: "up",
      label: t("plan.draft.up"),
      icon: <ArrowUp aria-hidden />,
      aside: t("plan.draft.upKeys"),
      disabled: index === 0,
      onSelect: () => actions.move(id, index - 1),
    },
    {
      id: "down",
      label: t("plan.draft.down"),
      icon: <ArrowDown aria-hidden />,
      aside: t("plan.draft.downKeys"),
      disabled: index === count - 1,
      onSelect: () => actions.move(id, index + 1),
    },
    {
      id: "above",
      label: t("plan.draft.addAbove"),
      icon: <BetweenHorizontalStart aria-hidden />,
      onSelect: () => actions.startAdding(before),
    },
    {
      id: "below",
      label: t("plan.draft.addBelow"),
      icon: <BetweenHorizontalEnd aria-hidden />,
      onSelect: () => actions.startAdding(id),
    },
    { type: "separator", id: "end" },
    {
      id: "remove",
      // A plan without steps is none; then the whole plan is rejected instead.
      label: count === 1 ? t("plan.draft.removeLast") : t("plan.draft.remove"),
      icon: <Trash2 aria-hidden />,
      danger: true,
      disabled: count === 1,
      onSelect: () => actions.remove(id),
    },
  ];
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
