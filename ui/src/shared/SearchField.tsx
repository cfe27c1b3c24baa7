/** A field that narrows the list below it as one types. */
import { Search } from "lucide-react";
import { cx } from "./cx";

const SIZES = {
  sm: { field: "h-7 px-2", text: "text-sm" },
  md: { field: "h-8 px-2.5", text: "text-md" },
};

type Props = {
  /** Its name, and what stands in it while it is empty. */
  label: string;
  value: string;
  onChange: (value: string) => void;
  size?: keyof typeof SIZES;
  className?: string;
};

export function SearchField({ label, value, onChange, size = "md", className }: Props) {
  return (
    <label
      className={cx(
        "flex items-center gap-2 rounded-sm bg-sunken text-ink-3 focus-within:outline-2 focus-within:outline-focus",
        SIZES[size].field,
        className,
      )}
    >
      <Search aria-hidden className="size-3.5 shrink-0" />
      <input
        type="search"
        aria-label={label}
        placeholder={label}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className={cx(
          "min-w-0 flex-1 bg-transparent text-ink outline-none placeholder:text-ink-3",
          SIZES[size].text,
        )}
      />
    </label>
  );
}
