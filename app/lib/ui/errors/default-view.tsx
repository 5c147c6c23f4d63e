import { ButtonLink } from "../inputs/button";
import { faultText, isNotFound, passingText, refusedText } from "./error-messages";
import { Recovery } from "./recovery";
import { CenteredScreen } from "../centered-screen";

export function DefaultView({ error }: { error: unknown }) {
  const passing = passingText(error);
  return (
    <main>
      {isNotFound(error) ? (
        <CenteredScreen title="Not Found">
          <ButtonLink to="/" reloadDocument>
            Start Over
          </ButtonLink>
        </CenteredScreen>
      ) : (
        <CenteredScreen
          frame="askew"
          title="Something went wrong!"
          text={passing === null ? refusedText(error) : `The server is not responding. ${passing}`}
        >
          <Recovery error={error} />
          <ErrorDetails error={error} />
        </CenteredScreen>
      )}
    </main>
  );
}

export function ErrorDetails({ error }: { error: unknown }) {
  return (
    <details className="group w-full">
      <summary className="w-fit cursor-pointer list-none rounded-sm text-sm text-soft underline underline-offset-4 hover:text-ink">
        <span className="group-open:hidden">Show Error</span>
        <span className="hidden group-open:inline">Hide Error</span>
      </summary>
      <pre className="mt-3 overflow-auto rounded-md border border-line bg-panel p-3 font-mono text-xs text-danger-text">
        {faultText(error)}
      </pre>
    </details>
  );
}
