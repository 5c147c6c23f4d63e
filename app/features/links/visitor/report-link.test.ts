import { RouterContextProvider } from "react-router";
import { expect, it, onTestFinished, vi } from "vitest";
import type { AppConfig } from "~/config";
import { smtpTransport } from "~/features/accounts/mail/transport.server";
import { startMailWorker } from "~/features/accounts/mail/worker.server";
import { clientAddressContext, configContext } from "~/lib/http/context";
import { testConfig } from "~/lib/http/testing";
import { startTestDeployment } from "../../../../tests/convex/deployment.ts";
import { startMailbox } from "../../../../tests/harness/services/mailbox.ts";
import type { OpenedLink } from "../open-link.server";
import { reportLink } from "./report-link.server";

const OPERATOR = "operator@example.com";
const LINK = { linkId: "link1", target: { kind: "project", name: "Magazine" } } as OpenedLink;

it("emails reports of a link to the operator, at most three of a visitor per hour", { tags: "@mails-report-of-link" }, async () => {
  const [deployment, mailbox] = await Promise.all([startTestDeployment(), startMailbox()]);
  const { url: convexUrl, signingKey } = deployment;
  const publicLinks: AppConfig["publicLinks"] = { enabled: true, reportTo: OPERATOR };
  const config = { ...testConfig, convexUrl, signingKey, publicLinks, accounts: { ...testConfig.accounts, rateLimit: true } };
  const worker = startMailWorker(config, smtpTransport({ smtpUrl: mailbox.url, from: config.mailFrom }));
  onTestFinished(async () => {
    await worker.close();
    await mailbox.close();
    await deployment.close();
  });
  const report = (text: string, address = "192.0.2.1", settings = config) => {
    const context = new RouterContextProvider();
    context.set(configContext, settings);
    context.set(clientAddressContext, address);
    return reportLink(context, LINK, text);
  };

  for (const text of ["", " ", "x".repeat(2001)]) expect(await report(text)).toMatchObject({ status: 422 });
  expect(await report("Spam", "192.0.2.1", { ...config, publicLinks: { ...publicLinks, reportTo: null } })).toMatchObject({ status: 422 });
  for (const text of ["Not mine\n<b>Look</b>", "Second", "Third"]) expect(await report(text)).toBeNull();
  expect(await report("Fourth")).toMatchObject({ status: 429 });
  expect(await report("Someone else", "192.0.2.2")).toBeNull();

  await vi.waitFor(() => expect(mailbox.all()).toHaveLength(4), 30_000);
  const mail = mailbox.for(OPERATOR).find(({ text }) => text.includes("Not mine"));
  expect(mail?.subject).toContain("A public link was reported");
  expect(mail?.text).toMatch(/link1, which shows the project “\u2068?Magazine/);
  expect(mail?.text).toContain("npm run links -- revoke link1");
  expect(mail?.text).toContain("> <b>Look</b>");
  expect(mail?.html).toContain("&lt;b&gt;Look&lt;/b&gt;");
});
