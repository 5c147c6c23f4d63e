import type { AppConfig } from "~/config";
import { issuersOf } from "~/features/accounts/auth-api/issuers/issuer.server";
import type { IssuerState } from "./mail-view";

const REASON_LENGTH = 200;

export function checkIssuers(config: AppConfig): Promise<IssuerState[]> {
  return Promise.all(
    [...issuersOf(config).values()].map(async ({ settings: { label, issuer }, checkMetadata }) => {
      const problem = await checkMetadata().then(
        () => null,
        (error: unknown) => (error instanceof Error ? error.message : String(error)).slice(0, REASON_LENGTH),
      );
      return { label, issuer, problem };
    }),
  );
}
