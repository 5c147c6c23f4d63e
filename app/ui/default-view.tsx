import { ButtonLink } from "./button";
import { faultText, isNotFound, passingText, refusedFormText } from "./faults";
import { Recovery } from "./recovery";
import { Screen } from "./screen";

/** The router's default views (specification 2), for what reaches the outermost boundary. */
export function DefaultView({ error }: { error: unknown }) {
  const passing = passingText(error);
  return (
    <main>
      {isNotFound(error) ? (
        <Screen title="Not Found">
          <ButtonLink to="/" reloadDocument>
            Start Over
          </ButtonLink>
        </Screen>
      ) : (
        <Screen
          frame="askew"
          title="Something went wrong!"
          text={passing === null ? refusedFormText(error) : `The server does not answer. ${passing}`}
        >
          <Recovery error={error} />
          <ErrorDetails error={error} />
        </Screen>
      )}
    </main>
  );
}

/** 'Show Error' and 'Hide Error', without a script. */
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
