/** A menu that opens from a button. */
import { DropdownMenu } from "radix-ui";
import { type ReactElement, type ReactNode, useRef } from "react";
import { cx } from "./cx";
import { usePortalContainer } from "./portal";

export type MenuItem =
  | {
      type?: "item";
      id: string;
      label: ReactNode;
      icon?: ReactNode;
      /** Right-aligned, as a shortcut or a time. */
      aside?: ReactNode;
      onSelect: () => void;
      disabled?: boolean;
      /** Under the label: why it is disabled. */
      hint?: string | undefined;
      danger?: boolean;
    }
  | { type: "separator"; id: string }
  | { type: "heading"; id: string; label: string };

type Props = {
  trigger: ReactElement;
  /** Asked for where the menu is open: what it takes to make them is not spent whenever its button is drawn. */
  items: () => MenuItem[];
  align?: "start" | "end";
  wide?: boolean;
};

export function Menu({ trigger, items, align = "start", wide = false }: Props) {
  // Carried out once the menu has given the focus back, so that an item may take the focus elsewhere.
  const chosen = useRef<(() => void) | null>(null);
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal container={usePortalContainer()}>
        <DropdownMenu.Content
          align={align}
          sideOffset={4}
          collisionPadding={8}
          onCloseAutoFocus={() => {
            const act = chosen.current;
            chosen.current = null;
            if (act) queueMicrotask(act);
          }}
          className={cx(
            "z-50 max-h-(--radix-dropdown-menu-content-available-height) overflow-auto rounded-md border border-line bg-raised p-1 shadow-3",
            wide ? "w-88 max-w-[calc(100vw-1rem)]" : "min-w-44",
          )}
        >
          <Items
            items={items}
            onChoose={(act) => {
              chosen.current = act;
            }}
          />
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

/** Drawn only while the menu is open. */
function Items({ items, onChoose }: Pick<Props, "items"> & { onChoose: (act: () => void) => void }) {
  return items().map((item) => {
    if (item.type === "separator")
      return <DropdownMenu.Separator key={item.id} className="mx-2 my-1 h-px bg-line" />;
    if (item.type === "heading")
      return (
        <DropdownMenu.Label key={item.id} className="px-2 py-1 text-xs font-medium text-ink-3">
          {item.label}
        </DropdownMenu.Label>
      );
    return (
      <DropdownMenu.Item
        key={item.id}
        disabled={item.disabled ?? false}
        onSelect={() => onChoose(item.onSelect)}
        className={cx(
          "flex min-h-7 items-center gap-2.5 rounded-sm px-2 py-1 text-md outline-none select-none data-[disabled]:opacity-45 data-[highlighted]:bg-sunken [&>svg]:size-3.5 [&>svg]:shrink-0",
          item.danger ? "text-danger" : "text-ink",
        )}
      >
        {item.icon}
        <span className="min-w-0 flex-1">
          {item.label}
          {item.hint ? <span className="block max-w-60 text-xs">{item.hint}</span> : null}
        </span>
        {item.aside ? <span className="text-xs text-ink-3">{item.aside}</span> : null}
      </DropdownMenu.Item>
    );
  });
}
