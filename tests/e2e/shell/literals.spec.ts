import { expect, test } from "../../harness/test.ts";
import { pageActions } from "../support/page-actions.ts";

/** Specification 1 and 2 fix these texts. app/lib/ui/errors/literals.test.tsx has the texts of the fallback views. */
const PAGES: { address: string; signedIn: boolean; literals: string[] }[] = [
  { address: "/error", signedIn: false, literals: ["Authentication Error", "Return to Application", "Unknown"] },
  { address: "/no-such-page", signedIn: false, literals: ["Page not found"] },
  {
    address: "/projects/none",
    signedIn: true,
    literals: ["The page you are looking for does not exist.", "Go back", "Start Over"],
  },
  {
    address: "/projects",
    signedIn: true,
    literals: ["Projects", "Upgrade to Pro", "Account", "Billing", "Notifications", "Log out"],
  },
];

test.describe("the specification's literals", () => {
  test.use({ javaScriptEnabled: false });
  for (const { address, signedIn, literals } of PAGES) {
    test(`${address} shows each of its literals`, async ({ page, person }) => {
      if (signedIn) await pageActions(page, false).makeProject("Nightfall");
      else await page.context().clearCookies();
      await page.goto(address);
      expect(person.id).toBeTruthy();
      const texts = await page
        .locator("body *:not(script, style)")
        .evaluateAll((elements) =>
          elements.flatMap(({ childNodes }) =>
            [...childNodes].filter((node) => node.nodeType === 3).map((node) => node.textContent?.trim()),
          ),
        );
      for (const literal of literals) expect(texts).toContain(literal);
    });
  }
});
