/* Esc stops the turn under way, wherever the focus is, unless something nearer to it is to be closed first. */
import { useEffect } from "react";
import { useAppStore } from "@/state/store";

/** What Esc closes before it stops anything. */
const FLOATING = "[role=dialog], [role=alertdialog], [role=menu], [role=listbox]";

export function useInterruptKey(): void {
  const store = useAppStore();
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { session, editing, command } = store.getState();
      if (event.key !== "Escape" || event.repeat || event.isComposing) return;
      if (!session?.conversation?.turn || editing?.sessionId === session.id) return;
      if (document.querySelector(FLOATING) || leavesField(event.target)) return;
      event.preventDefault();
      void command({ type: "interrupt" });
    };
    // Before a tooltip that happens to be open takes the key for itself.
    window.addEventListener("keydown", onKey, true);
    return () => window.removeEventListener("keydown", onKey, true);
  }, [store]);
}

/** Esc in another text field than the composer leaves that field. */
function leavesField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement) || target.closest("[data-composer]")) return false;
  return (
    target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement || target.isContentEditable
  );
}
