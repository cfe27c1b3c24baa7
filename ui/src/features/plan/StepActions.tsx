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
  Undo2,
} from "lucide-react";
import type { ReactNode } from "react";
import { t } from "@/i18n";
import type { StepId, StepState, UndoTarget } from "@/ipc/bindings";
import { IconButton } from "@/shared/Button";
import { modifierName } from "@/shared/hooks";
import { Menu, type MenuItem } from "@/shared/Menu";
import { isManual } from "@/shared/steps";
import type { Undoable } from "@/shared/undo";
import type { StepRowProps } from "./StepRow";

type Props = Pick<StepRowProps, "step" | "editable" | "draft" | "before" | "count" | "actions"> & {
  command: string;
  /** Null while there is nothing to be taken back. */
  undoable: Undoable | null;
};

export function StepActions(props: Props) {
  return (
    <Menu
      align="end"
      items={() => itemsOf(props)}
      trigger={
        <IconButton
          label={t("plan.actions", { title: props.step.title })}
          className="-my-1 opacity-0 group-focus-within/row:opacity-100 group-hover/row:opacity-100 data-[state=open]:opacity-100"
        >
          <MoreHorizontal aria-hidden />
        </IconButton>
      }
    />
  );
}

function itemsOf(props: Props): MenuItem[] {
  const { step, editable, draft, actions, command } = props;
  const manual = isManual(step);
  const can = editable ? possible(step.state.type).filter((action) => !(manual && action === "run")) : [];
  const items: MenuItem[] = [
    ...can.map(
      (action): MenuItem => ({
        id: action,
        label: manual && action === "edit" ? t("plan.manual.edit") : LABELS[action](),
        icon: ICONS[action],
        onSelect: () => actions[action](step.id),
      }),
    ),
    {
      id: "copy",
      label: t(manual ? "plan.manual.copy" : "plan.action.copy"),
      icon: <Copy aria-hidden />,
      onSelect: () => void navigator.clipboard.writeText(command).catch(() => undefined),
    },
  ];
  const { explain } = actions;
  if (explain && !manual)
    items.push({
      id: "explain",
      label: t("plan.action.explain"),
      icon: <GraduationCap aria-hidden />,
      onSelect: () => explain(command),
    });
  items.push(...undoItems(props));
  if (draft) items.push(...draftItems(props));
  return items;
}

/** Taking back what the step did, or why that cannot be. */
function undoItems({ step, undoable, actions: { undo } }: Props): MenuItem[] {
  if (!undoable || !undo) return [];
  const target = targetOf(step.id, undoable);
  return [
    { type: "separator", id: "undo-line" },
    {
      id: "undo",
      label: target?.type === "undo" ? t("undo.putBack") : t("undo.thisStepMenu"),
      icon: <Undo2 aria-hidden />,
      aside: target ? `${modifierName()} Z` : undefined,
      hint: undoable.type === "cannot" ? undoable.why : undefined,
      disabled: target === null,
      onSelect: () => target && undo(target),
    },
  ];
}

/** What undoing means for a step now: itself, what is left of it, or its undo. */
export function targetOf(stepId: StepId, undoable: Undoable): UndoTarget | null {
  switch (undoable.type) {
    case "can":
      return { type: "step", stepId };
    case "undone": {
      const { undo } = undoable;
      if (undo.skipped.length > 0) return { type: "step", stepId };
      return undo.undoneBy === null ? { type: "undo", undoId: undo.id } : null;
    }
    case "cannot":
      return null;
  }
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
