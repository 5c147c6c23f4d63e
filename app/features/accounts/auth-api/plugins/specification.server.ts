import type { AppConfig } from "~/config";
import { api } from "#convex/_generated/api";
import { serviceConvex } from "../../session/convex/service-client.server";
import { callerNetwork } from "../auth-call.server";
import { accountChanges } from "./account-changes.server";
import { errorPage } from "./error-page.server";
import { linkedAccounts } from "./providers/linked-accounts.server";
import { passwordReset } from "./credentials/password-reset.server";
import { providerTokens } from "./providers/provider-tokens.server";
import { refusals } from "./refusals.server";

/** Plugins that restore the specification's API where Better Auth differs (`docs/upgrading-better-auth.md`). */
export const specification = (config: AppConfig) => [
  passwordReset(),
  linkedAccounts((sessionId, id, lastToo) =>
    serviceConvex(config).mutation(api.accounts.linked.unlink, { sessionId, id, lastToo, ...callerNetwork() }, { skipQueue: true }),
  ),
  providerTokens(),
  accountChanges(),
  errorPage(),
  refusals(),
];
