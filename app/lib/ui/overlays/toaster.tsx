import { type ComponentType, type FocusEvent, lazy, Suspense, useEffect, useState } from "react";
import type { ToasterProps } from "sonner";
import { isMirrored } from "../is-mirrored";
import { TOASTS, markToasterReady } from "./toasts";

// Offline, the import fails; the page must still work without toasts.
const Sonner = lazy(() => import("sonner").then(asModule, () => asModule({ Toaster: () => null })));
const asModule = ({ Toaster }: { Toaster: ComponentType<ToasterProps> }) => ({ default: Toaster });

/** Mounted for signed-in users, after hydration, to keep it out of the first load. */
export function Toaster({ theme }: { theme: "dark" | "light" | "system" }) {
  const [mounted, setMounted] = useState(false);
  useEffect(() => setMounted(true), []);
  if (!mounted) return null;
  return (
    <Suspense fallback={null}>
      <div onFocusCapture={stopToastFocus}>
        <Sonner
          theme={theme}
          position={isMirrored() ? TOASTS.mirroredPosition : TOASTS.position}
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
              width: `min(${TOASTS.width}px, calc(100vw - 2rem))`,
            },
          }}
        />
      </div>
      <ToasterReady />
    </Suspense>
  );
}

/** Lets Tab leave the toasts: sonner returns the focus, which traps keyboard users (WCAG 2.1.2). */
function stopToastFocus(event: FocusEvent<HTMLElement>): void {
  if (!event.target.matches("[data-sonner-toaster]")) event.stopPropagation();
}

/** Rendered after the toaster, so that the toaster's effects run first. */
function ToasterReady() {
  useEffect(markToasterReady, []);
  return null;
}
