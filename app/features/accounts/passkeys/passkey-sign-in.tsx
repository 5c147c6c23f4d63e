import { KeyRound } from "lucide";
import { useEffect, useState } from "react";
import { loadModule } from "~/lib/data/connection/load-module";
import { Button } from "~/lib/ui/inputs/button";
import { Icon } from "~/lib/ui/icons/icon";
import { LastUsed } from "../last-used";
import { NO_PASSKEYS, type PasskeySupport, passkeySupport } from "./passkey-support";

export function PasskeySignIn({ redirectTo, last }: { redirectTo: string; last: boolean }) {
  const [support, setSupport] = useState<PasskeySupport>("available");
  useEffect(() => setSupport(passkeySupport()), []);
  const [problem, setProblem] = useState<string | null>(null);
  const [working, setWorking] = useState(false);
  if (support !== "available") return <p className="text-sm text-soft noscript:hidden">{NO_PASSKEYS[support]}</p>;

  async function startSignIn() {
    setWorking(true);
    setProblem(null);
    const passkeys = await loadModule(() => import("./passkeys")).catch(() => null);
    if (!passkeys) {
      setProblem("The server is not responding. Nothing was changed. Try again in a moment.");
      setWorking(false);
      return;
    }
    const { PasskeyError, signInWithPasskey } = passkeys;
    try {
      await signInWithPasskey();
      location.assign(redirectTo);
    } catch (error) {
      if (!(error instanceof PasskeyError)) throw error;
      setProblem(error.kind === "cancelled" ? null : error.message);
      setWorking(false);
    }
  }

  return (
    <div className="grid gap-2 noscript:hidden">
      <LastUsed id="last-used-passkey" is={last}>
        {(describedBy) => (
          <Button aria-disabled={working} aria-describedby={describedBy} onClick={() => !working && void startSignIn()}>
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
