import type { AppConfig } from "~/config";
import { api } from "#convex/_generated/api";
import { serviceConvex } from "../service.server";
import { accountChanges } from "./account-changes.server";
import { errorPage } from "./error-page.server";
import { linkedAccounts } from "./linked-accounts.server";
import { passwordReset } from "./password-reset.server";
import { providerTokens } from "./provider-tokens.server";
import { refusals } from "./refusals.server";

/** What the specification's API has and today's Better Auth has moved, renamed or said otherwise (`docs/upgrading-better-auth.md`). */
export const specification = (config: AppConfig) => [
  passwordReset(),
  linkedAccounts((sessionId, id, lastToo) =>
    serviceConvex(config).mutation(api.accounts.linked.unlink, { sessionId, id, lastToo }, { skipQueue: true }),
  ),
  providerTokens(),
  accountChanges(),
  errorPage(),
  // Last, so that it has the last word.
  refusals(),
];
