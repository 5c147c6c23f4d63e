import { KeyRound } from "lucide-react";
import { useEffect, useState } from "react";
import { Button } from "~/ui/button";
import { Icon } from "~/ui/icon";
import { LastUsed } from "./last-used";
import { hasPasskeys } from "./has-passkeys";

/** Signs in with a passkey, where there are scripts and the browser has them; elsewhere there is no button. It stands in the first paint: most have them. */
export function PasskeySignIn({ redirectTo, last }: { redirectTo: string; last: boolean }) {
  const [can, setCan] = useState(true);
  useEffect(() => setCan(hasPasskeys()), []);
  const [problem, setProblem] = useState<string | null>(null);
  const [working, setWorking] = useState(false);
  if (!can) return null;

  async function go() {
    setWorking(true);
    setProblem(null);
    // Wanted by few, and so no part of the page's first load.
    const passkeys = await import("./passkeys").catch(() => null);
    if (!passkeys) {
      setProblem("The server does not answer. Nothing was changed: try again in a moment.");
      setWorking(false);
      return;
    }
    const { PasskeyProblem, signInWithPasskey } = passkeys;
    try {
      await signInWithPasskey();
      // Whose pages they are has changed: a new document.
      location.assign(redirectTo);
    } catch (error) {
      if (!(error instanceof PasskeyProblem)) throw error;
      setProblem(error.kind === "cancelled" ? null : error.message);
      setWorking(false);
    }
  }

  return (
    <div className="grid gap-2 noscript:hidden">
      <LastUsed id="last-used-passkey" is={last}>
        {(describedBy) => (
          <Button aria-disabled={working} aria-describedby={describedBy} onClick={() => !working && void go()}>
            <Icon of={KeyRound} />
            Use a passkey
          </Button>
        )}
      </LastUsed>
      <p role="alert" className="text-sm text-danger-text empty:hidden">
        {problem}
      </p>
    </div>
  );
}
