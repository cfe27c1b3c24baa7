/** On or off. Its state is told by place and word as well as by colour. */
import { Switch as Radix } from "radix-ui";

type Props = { label: string; checked: boolean; onChange: (checked: boolean) => void };

export function Switch({ label, checked, onChange }: Props) {
  return (
    <Radix.Root
      aria-label={label}
      checked={checked}
      onCheckedChange={onChange}
      className="inline-flex h-[22px] w-10 shrink-0 items-center rounded-full border border-line-strong bg-sunken px-0.5 transition-colors data-[state=checked]:border-transparent data-[state=checked]:bg-ink"
    >
      <Radix.Thumb className="size-4 rounded-full bg-ink-3 transition-transform data-[state=checked]:translate-x-[18px] data-[state=checked]:bg-ink-inverse" />
    </Radix.Root>
  );
}
