import { Section } from "~/features/accounts/settings/section";
import { bytesText } from "~/lib/ui/bytes-text";
import { RelativeTime } from "~/lib/ui/time/relative-time";
import { Fact, Facts } from "../facts";
import { SampleChart } from "./sample-chart";
import type { Health } from "./read-health.server";

type HealthProps = { health: Health };

const PARTS: Record<string, { name: string; ok: string }> = {
  deployment: { name: "Database", ok: "Responds" },
  tokens: { name: "Database access", ok: "Accepted" },
  disk: { name: "Data disk", ok: "Has free space" },
  server: { name: "App server", ok: "Accepts requests" },
  files: { name: "Image bucket", ok: "Works" },
  backups: { name: "Backups", ok: "Up to date" },
};

export function HealthState({ health: { parts, version } }: HealthProps) {
  const isHealthy = parts !== null && parts.every(({ problem }) => problem === null);
  return (
    <Section title="State" about={parts === null ? "Only a production server checks its state." : stateText(isHealthy)}>
      <Facts>
        {parts?.map(({ name, problem, isWarning }) => (
          <Fact key={name} name={PARTS[name]?.name ?? name}>
            {problem === null ? (
              (PARTS[name]?.ok ?? "OK")
            ) : (
              <span className="text-danger-text">
                {isWarning ? "Warning: " : "Problem: "}
                {problem}
              </span>
            )}
          </Fact>
        ))}
        {version === null ? null : <Fact name="Version">{version}</Fact>}
      </Facts>
    </Section>
  );
}

const stateText = (isHealthy: boolean): string =>
  isHealthy
    ? "Everything works. /readyz reports the same to monitoring."
    : "Something needs attention. /readyz reports the same to monitoring.";

export function HealthProblems({ health: { problems } }: HealthProps) {
  return (
    <Section title="Network and proxy" about="Problems detected in requests since this server started.">
      {problems.length === 0 ? (
        <p className="text-soft">No problems detected.</p>
      ) : (
        <ul className="grid list-disc gap-2 ps-5">
          {problems.map((problem) => (
            <li key={problem} className="wrap-anywhere">
              {capitalised(problem)}.
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

export function HealthBackups({ health: { backups } }: HealthProps) {
  if (backups === null)
    return (
      <Section title="Backups" about="Scheduled backups are not set up. Set BACKUP_TO, or run npm run backup.">
        {null}
      </Section>
    );
  const { provenAt, isProven, warning } = backups;
  return (
    <Section title="Backups" about="Each scheduled backup is restored at once into a second deployment, and compared.">
      <Facts>
        <Fact name="Last tested backup">
          {provenAt === null ? (
            "None"
          ) : (
            <>
              Taken <RelativeTime at={provenAt} />
            </>
          )}
        </Fact>
        <Fact name="Newest backup">{isProven ? "Passed its test" : "Test not passed"}</Fact>
        {warning === null ? null : (
          <Fact name="Warning">
            <span className="text-danger-text">{capitalised(warning)}.</span>
          </Fact>
        )}
      </Facts>
    </Section>
  );
}

const number = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const countText = (value: number) => number.format(value);
const latencyText = (ms: number) => `${number.format(ms)} ms`;
const MEGABYTE = 1_000_000;

export function HealthHistory({ health: { samples, now } }: HealthProps) {
  const pointsOf = (value: (sample: Health["samples"][number]) => number | null) =>
    samples.map((sample) => ({ at: sample.at, value: value(sample) }));
  return (
    <Section
      title="Last 24 hours"
      about="Figures of this server since its start, every five minutes. Latency: 95% of the responses began within this time."
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-3 sm:grid-cols-2">
        <SampleChart title="Requests in five minutes" points={pointsOf(({ requests }) => requests)} now={now} format={countText} />
        <SampleChart title="Errors in five minutes" points={pointsOf(({ errors }) => errors)} now={now} format={countText} />
        <SampleChart title="Latency" points={pointsOf(({ latency }) => latency)} now={now} minTop={100} format={latencyText} />
        <SampleChart title="Memory" points={pointsOf(({ memory }) => memory)} now={now} minTop={100 * MEGABYTE} format={bytesText} />
        <SampleChart title="Open websockets" points={pointsOf(({ websockets }) => websockets)} now={now} format={countText} />
      </div>
    </Section>
  );
}

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
