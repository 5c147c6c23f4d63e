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
import { convexAdapter } from "../../app/features/accounts/auth-api/adapter/adapter.server";
import { startTestDeployment } from "../convex/deployment.ts";

const deployment = await startTestDeployment("tests/adapter/convex");
const auth = await deployment.token({ sub: "app-server", aud: "atelier-service", service: true });
const client = new ConvexHttpClient(deployment.url, { skipConvexDeploymentUrlCheck: true, logger: false, auth });

console.log = () => {};

const { execute } = await testAdapter({
  adapter: () => convexAdapter(client),
  runMigrations: async () => {},
  tests: [normalTestSuite(), authFlowTestSuite(), joinsTestSuite(), caseInsensitiveTestSuite(), uuidTestSuite(), transactionsTestSuite()],
  onFinish: () => deployment.close(),
});

execute();
