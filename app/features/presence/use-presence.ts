import { useEffect, useState } from "react";
import { useIsSharing } from "~/features/projects/use-members-of-own-projects";
import { loadModule } from "~/lib/data/connection/load-module";

type Code = Awaited<ReturnType<typeof load>>;

const load = () => import("./presence");

let loaded: Code | null = null;

export function usePresence(isMember: boolean): Code | null {
  const [code, setCode] = useState(loaded);
  const isSharing = useIsSharing() || isMember;
  useEffect(() => {
    if (!isSharing || code) return;
    loadModule(load).then(
      (module) => setCode((loaded = module)),
      () => {},
    );
  }, [isSharing, code]);
  return isSharing ? code : null;
}
