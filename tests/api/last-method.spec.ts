import { expect, test } from "./support/mailed.ts";
import { signInAgain, Program, through } from "./support/program.ts";

test(
  "marks the last sign-in method without a script, and ignores a forged one",
  { tag: "@marks-last-sign-method-without-script" },
  async ({ social, app, ada, byLink }) => {
    const shown = async (program: Program) => {
      program.cookies.delete("atelier.session_token");
      const html = await (await fetch(`${app.url}/sign-in`, { headers: { Cookie: program.cookieHeader } })).text();
      return [...html.matchAll(/id="([\w-]*last-used[\w-]*)"/g)].map(([, id]) => id);
    };
    expect(await shown(new Program(app))).toEqual([]);
    expect(await shown(await signInAgain(ada))).toEqual(["sign-in-last-used"]);
    expect(await shown((await byLink(ada)).program)).toEqual(["last-used-link"]);
    const grace = new Program(app);
    await through(grace, social, social.identity());
    expect(grace.cookies.get("atelier.last_method")).toBe("google");
    expect(await shown(grace)).toEqual(["last-used-google"]);
    grace.cookies.set("atelier.last_method", "<script>");
    expect(await shown(grace)).toEqual([]);
  },
);
