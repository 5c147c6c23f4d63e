import { Button } from "~/ui/button";
import { providerName } from "./providers";

type SocialButtonsProps = {
  /** The ids of the providers that are configured. */
  providers: string[];
  /** Where to go once signed in. */
  redirectTo: string;
};

/** Signing in, or up, by a provider: a form of its own that leaves the app, with scripts and without. */
export function SocialButtons({ providers, redirectTo }: SocialButtonsProps) {
  if (providers.length === 0) return null;
  return (
    <form method="post" action="/sign-in/social" className="grid gap-3">
      <p className="flex items-center gap-3 text-sm text-faint before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
        or
      </p>
      <input type="hidden" name="redirectTo" value={redirectTo} />
      {providers.map((id) => (
        <Button key={id} type="submit" name="provider" value={id}>
          Continue with {providerName(id)}
        </Button>
      ))}
    </form>
  );
}
