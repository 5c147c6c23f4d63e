import { expect, it } from "vitest";
import { answerOf } from "../testing";
import { allowedMethods } from "./allowed-methods.server";

it.each([
  [405, null, "GET, HEAD"],
  [405, "POST", "POST"],
  [404, null, null],
])("lists the allowed methods in a response with status %i and Allow %j", async (status, allow, sent) => {
  const inner = () => new Response(null, { status, ...(allow && { headers: { Allow: allow } }) });
  const response = await answerOf(allowedMethods, new Request("https://atelier.example/error", { method: "POST" }), { inner });
  expect(response.headers.get("Allow")).toBe(sent);
});
