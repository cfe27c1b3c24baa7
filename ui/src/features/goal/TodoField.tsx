/* Writes a to-do's words. Enter takes them, Escape leaves them as they were. */
import { useLayoutEffect, useRef, useState } from "react";

type Props = {
  label: string;
  initial: string;
  /** Null: it was left as it was. */
  onDone: (title: string | null) => void;
};

export function TodoField({ label, initial, onDone }: Props) {
  const [text, setText] = useState(initial);
  const field = useRef<HTMLInputElement>(null);
  const left = useRef(false);
  useLayoutEffect(() => field.current?.select(), []);
  const done = (title: string | null) => {
    // Leaving the field by a key takes the focus from it as well.
    if (left.current) return;
    left.current = true;
    onDone(title);
  };
  return (
    <input
      ref={field}
      type="text"
      aria-label={label}
      value={text}
      maxLength={200}
      onChange={(event) => setText(event.target.value)}
      onBlur={() => done(text.trim() || null)}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing) return;
        event.stopPropagation();
        if (event.key === "Enter") done(text.trim() || null);
        else if (event.key === "Escape") done(null);
        else return;
        event.preventDefault();
      }}
      className="h-[26px] w-full rounded-sm border border-line-strong bg-raised px-2 text-md text-ink"
    />
  );
}
