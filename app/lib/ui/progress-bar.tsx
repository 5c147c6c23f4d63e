import { type ComponentType, lazy, Suspense, useEffect, useState } from "react";

const NavigationProgress = lazy(() => import("./navigation/navigation-progress").then(asModule, () => asModule({ default: () => null })));
const asModule = ({ default: component }: { default: ComponentType }) => ({ default: component });

export function ProgressBar() {
  const [mounted, setMounted] = useState(false);
  useEffect(() => setMounted(true), []);
  return mounted ? (
    <Suspense fallback={null}>
      <NavigationProgress />
    </Suspense>
  ) : null;
}
