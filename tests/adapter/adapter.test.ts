import {
  authFlowTestSuite,
  caseInsensitiveTestSuite,
  joinsTestSuite,
  normalTestSuite,
  testAdapter,
  transactionsTestSuite,
  uuidTestSuite,
} from "@better-auth/test-utils/adapter";
import { ConvexHttpClient } from "convex/browser";
import { convexAdapter } from "../../app/accounts/adapter.server";
import { startTestDeployment } from "../convex/deployment.ts";

/** Better Auth's own suites for adapters, over HTTP against the embedded deployment with the functions of this folder's `convex/`. */
const deployment = await startTestDeployment("tests/adapter/convex");
const auth = await deployment.token({ sub: "app-server", aud: "atelier-service", service: true });
const client = new ConvexHttpClient(deployment.url, { skipConvexDeploymentUrlCheck: true, logger: false, auth });

// The suites tell each clean-up and some results; what fails is told by its test.
console.log = () => {};

const { execute } = await testAdapter({
  adapter: () => convexAdapter(client),
  // The suites' tables stand in the schema that was pushed.
  runMigrations: async () => {},
  tests: [
    normalTestSuite(),
    authFlowTestSuite(),
    joinsTestSuite(),
    caseInsensitiveTestSuite(),
    uuidTestSuite(),
    // Convex has no transactions over several calls: the one test of this suite says so and is skipped.
    transactionsTestSuite(),
  ],
  onFinish: () => deployment.close(),
});

execute();
