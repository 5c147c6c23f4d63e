import { buttonClass } from "~/lib/ui/inputs/button";

/** Redirects to a provider by meta refresh, because the CSP's `form-action` blocks a redirect of the form submission to another origin. */
export function ProviderRedirect({ url, name }: { url: string; name: string }) {
  return (
    <>
      <meta httpEquiv="refresh" content={`0;url=${url}`} />
      <a href={url} className={buttonClass({ variant: "primary" })}>
        Continue to {name}
      </a>
    </>
  );
}
