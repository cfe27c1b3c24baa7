/** Buttons. A button says what it does; one without words has a name. */
import type { ComponentProps, ReactNode } from "react";
import { cx } from "./cx";
import { Tooltip } from "./Tooltip";

export type ButtonVariant =
  | "primary"
  | "outline"
  | "ghost"
  | "danger"
  | "dangerText"
  | "agentic"
  | "planner"
  | "teacher"
  | "agenticText";

const VARIANTS: Record<ButtonVariant, string> = {
  primary: "bg-ink text-ink-inverse border-transparent hover:opacity-90",
  outline: "bg-raised text-ink border-line-strong shadow-1 hover:bg-sunken",
  ghost: "bg-transparent text-ink-2 border-transparent hover:bg-sunken hover:text-ink",
  danger: "bg-danger-fill text-on-fill border-transparent hover:brightness-110",
  dangerText: "bg-transparent text-danger border-transparent hover:bg-danger-tint",
  agentic: "bg-agentic-fill text-on-fill border-transparent hover:brightness-110",
  planner: "bg-planner-fill text-on-fill border-transparent hover:brightness-110",
  teacher: "bg-teacher-fill text-on-fill border-transparent hover:brightness-110",
  agenticText: "bg-transparent text-agentic-ink border-transparent hover:bg-agentic-tint",
};

const SIZES = {
  sm: "h-[26px] gap-1.5 px-2.5 text-sm",
  md: "h-8 gap-2 px-3 text-md",
};

export type ButtonProps = ComponentProps<"button"> & {
  variant?: ButtonVariant;
  size?: keyof typeof SIZES;
  /** A lucide icon element, drawn before the words. */
  icon?: ReactNode;
};

export function Button({
  variant = "outline",
  size = "md",
  icon,
  className,
  children,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      className={cx(
        "inline-flex shrink-0 items-center justify-center rounded-sm border font-semibold whitespace-nowrap transition-[background-color,filter,opacity]",
        "disabled:pointer-events-none disabled:opacity-45 [&>svg]:size-3.5 [&>svg]:shrink-0",
        SIZES[size],
        VARIANTS[variant],
        className,
      )}
      {...rest}
    >
      {icon}
      {children}
    </button>
  );
}

export type IconButtonProps = Omit<ComponentProps<"button">, "aria-label"> & {
  /** The button's name, shown as its tooltip too. */
  label: string;
  /** On the dark output block the usual ink would not be seen. */
  onTerminal?: boolean;
};

export function IconButton({ label, onTerminal = false, className, children, ...rest }: IconButtonProps) {
  return (
    <Tooltip content={label}>
      <button
        type="button"
        aria-label={label}
        className={cx(
          "inline-flex size-7 shrink-0 items-center justify-center rounded-sm transition-colors [&>svg]:size-3.5",
          "disabled:pointer-events-none disabled:opacity-45",
          onTerminal
            ? "text-term-dim hover:bg-term-ink/10 hover:text-term-ink"
            : "text-ink-3 hover:bg-sunken hover:text-ink",
          className,
        )}
        {...rest}
      >
        {children}
      </button>
    </Tooltip>
  );
}
