import { type ComponentType, lazy, Suspense, useEffect, useState } from "react";

// The page that is there needs no bar, so the bar is no part of its first load. Without a network there is none.
const NavigationProgress = lazy(() => import("./navigation-progress").then(asModule, () => asModule({ default: () => null })));
const asModule = ({ default: component }: { default: ComponentType }) => ({ default: component });

/** The bar at the top of the window while a route loads; itself loaded once the page stands. */
export function ProgressBar() {
  const [mounted, setMounted] = useState(false);
  useEffect(() => setMounted(true), []);
  return mounted ? (
    <Suspense fallback={null}>
      <NavigationProgress />
    </Suspense>
  ) : null;
}
