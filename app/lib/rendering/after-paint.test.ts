import { expect, it } from "vitest";
import { afterPaint } from "./after-paint";

const script = `;
import "/assets/manifest.js";
import * as route0 from "/assets/root.js";
import * as route1_clientAction from "/assets/action.js";
import * as route1_main from "/assets/design.js";
const route1 = {...route1_clientAction,...route1_main};
window.__reactRouterRouteModules = {"root":route0,"routes/design":route1};
import("/assets/entry.js");`;

it("defers all imports until the first paint and keeps their order", () => {
  const late = afterPaint(script, ["/assets/entry.js", "/assets/root.js"]);
  expect(late).not.toMatch(/^import /m);
  expect(late).toContain('await import("/assets/manifest.js");');
  expect(late).toContain('const route0 = await import("/assets/root.js");\nconst route1_clientAction = await import("/assets/action.js");');
  expect(late.indexOf("requestAnimationFrame")).toBeLessThan(late.indexOf("import("));
  expect(late).toContain('await import("/assets/entry.js");}catch(error){');
});

it("leaves other code unchanged", () => {
  const other = 'import { a } from "/a.js";\nconst text = "import * as b from c";';
  expect(afterPaint(other, [])).toContain(`try{${other}}catch(error){`);
});
