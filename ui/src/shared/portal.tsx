/**
 * Where floating parts (menus, popovers, notes) are put: at the end of the page, or inside the modal dialog that they are
 * opened from, since everything outside of it is inert.
 */
import { createContext, useContext } from "react";

export const PortalContainer = createContext<HTMLElement | null>(null);

/** For a portal's `container`. */
export const usePortalContainer = () => useContext(PortalContainer);
