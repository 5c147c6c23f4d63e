import { clsx } from "clsx";
import { Button } from "~/lib/ui/inputs/button";
import { LastUsed } from "./last-used";

type Provider = {
  id: string;
  name: string;
  icon: string;
};

type SocialButtonsProps = {
  providers: Provider[];
  redirectTo: string;
  invitation?: string | null;
  last?: string | null;
  after: "forms" | "scripts" | "nothing";
};

const GRID_FROM = 4;

export function SocialButtons({ providers, redirectTo, invitation = null, last = null, after }: SocialButtonsProps) {
  if (providers.length === 0) return null;
  const compact = providers.length >= GRID_FROM;
  return (
    <form method="post" action="/sign-in/social" className="grid gap-3">
      {after === "nothing" ? null : (
        <p
          className={clsx(
            "flex items-center gap-3 text-sm text-faint before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line",
            after === "scripts" && "noscript:hidden",
          )}
        >
          or
        </p>
      )}
      <input type="hidden" name="redirectTo" value={redirectTo} />
      {invitation === null ? null : <input type="hidden" name="invitation" value={invitation} />}
      <div className={clsx("grid gap-3", compact && "grid-cols-2")}>
        {providers.map((provider) => (
          <LastUsed key={provider.id} id={`last-used-${provider.id}`} is={provider.id === last}>
            {(describedBy) => (
              <Button type="submit" name="provider" value={provider.id} aria-describedby={describedBy}>
                <ProviderIcon path={provider.icon} />
                <span>
                  <span className={compact ? "sr-only" : undefined}>Continue with </span>
                  {provider.name}
                </span>
              </Button>
            )}
          </LastUsed>
        ))}
      </div>
    </form>
  );
}

function ProviderIcon({ path }: { path: string }) {
  return (
    <svg viewBox="0 0 24 24" fill="currentColor" aria-hidden className="size-4 shrink-0">
      <path d={path} />
    </svg>
  );
}
