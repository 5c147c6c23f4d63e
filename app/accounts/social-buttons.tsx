import { Button } from "~/ui/button";
import { LastUsed } from "./last-used";

type SocialButtonsProps = {
  /** The providers that are configured. */
  providers: { id: string; name: string }[];
  /** Where to go once signed in. */
  redirectTo: string;
  /** By which of them somebody came last. */
  last?: string | null;
};

/** Signing in, or up, by a provider: a form of its own that leaves the app, with scripts and without. */
export function SocialButtons({ providers, redirectTo, last = null }: SocialButtonsProps) {
  if (providers.length === 0) return null;
  return (
    <form method="post" action="/sign-in/social" className="grid gap-3">
      <p className="flex items-center gap-3 text-sm text-faint before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
        or
      </p>
      <input type="hidden" name="redirectTo" value={redirectTo} />
      {providers.map(({ id, name }) => (
        <LastUsed key={id} id={`last-used-${id}`} is={id === last}>
          {(describedBy) => (
            <Button type="submit" name="provider" value={id} aria-describedby={describedBy}>
              Continue with {name}
            </Button>
          )}
        </LastUsed>
      ))}
    </form>
  );
}
