import { type ComponentType, type FocusEvent, lazy, Suspense, useEffect, useState } from "react";
import type { ToasterProps } from "sonner";
import { TOASTS, toasterStands } from "./toasts";

// Without a network there are no toasts; the page must not fall for it.
const Sonner = lazy(() => import("sonner").then(asModule, () => asModule({ Toaster: () => null })));
const asModule = ({ Toaster }: { Toaster: ComponentType<ToasterProps> }) => ({ default: Toaster });

/** Where toasts appear. Mounted where somebody is signed in, and loaded once the page stands, so that it is no part of the first load. */
export function Toaster({ theme }: { theme: "dark" | "light" | "system" }) {
  const [mounted, setMounted] = useState(false);
  useEffect(() => setMounted(true), []);
  if (!mounted) return null;
  return (
    <Suspense fallback={null}>
      <div onFocusCapture={comesByTab}>
        <Sonner
          theme={theme}
          position={TOASTS.position}
          visibleToasts={TOASTS.visibleToasts}
          duration={TOASTS.duration}
          gap={TOASTS.gap}
          hotkey={[...TOASTS.hotkey]}
          toastOptions={{
            style: {
              background: "var(--raised)",
              border: "1px solid var(--line)",
              borderRadius: "var(--radius-lg)",
              boxShadow: "var(--shadow-lift)",
              color: "var(--ink)",
              fontFamily: "var(--font-sans)",
              fontSize: "var(--text-base)",
              // Narrow windows leave less room.
              width: `min(${TOASTS.width}px, calc(100vw - 2rem))`,
            },
          }}
        />
      </div>
      <Standing />
    </Suspense>
  );
}

/**
 * Who comes to a toast with Tab goes on with Tab. Sonner would lead them back to where they came from, and so around for as long as a toast stands
 * (WCAG 2.1.2); the way back is right only for those who came by the hotkey, to the list itself.
 */
function comesByTab(event: FocusEvent<HTMLElement>): void {
  if (!event.target.matches("[data-sonner-toaster]")) event.stopPropagation();
}

/** Stands after the toasts, whose effects therefore run before. */
function Standing() {
  useEffect(toasterStands, []);
  return null;
}
