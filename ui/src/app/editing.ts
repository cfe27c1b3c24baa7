/* Cut, copy and select all from the menus. Opening a menu takes the focus, so the field that had it is remembered. */
let field: HTMLElement | null = null;

function isField(target: EventTarget | null): target is HTMLElement {
  return target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
}

/** Remembers the text field used last; returns the way to stop. */
export function rememberField(): () => void {
  const onFocus = (event: FocusEvent) => {
    if (isField(event.target)) field = event.target;
  };
  // A selection made elsewhere is what the user means from then on.
  const onPointer = (event: PointerEvent) => {
    if (event.target instanceof Element && event.target.closest("main, section") && !isField(event.target)) {
      field = null;
    }
  };
  document.addEventListener("focusin", onFocus);
  document.addEventListener("pointerdown", onPointer);
  return () => {
    document.removeEventListener("focusin", onFocus);
    document.removeEventListener("pointerdown", onPointer);
  };
}

/** Acts on the remembered field, or on what is selected in the page. */
export function edit(command: "copy" | "cut" | "selectAll"): void {
  // The closing menu gives the focus back first.
  setTimeout(() => {
    if (field?.isConnected) field.focus();
    // Deprecated, and the only way to cut and copy a selection that works in every engine this runs in.
    document.execCommand(command);
  }, 60);
}
