import { expect, it } from "vitest";
import { answerOf } from "../testing";
import { describeErrors } from "./error-bodies.server";

const request = () => new Request("https://atelier.example/download/designs/old.zip");
const answer = (inner: () => Response) => answerOf(describeErrors, request(), { inner });

it.each([
  [404, "The page you are looking for does not exist.\n"],
  [400, "The form could not be read, so nothing was saved. Go back and send it again.\n"],
  [503, "The server is not responding. Your saved work is safe. Try again in a moment.\n"],
  [403, "403\n"],
])("sends a text instead of the JSON value null with status %i", async (status, text) => {
  const response = await answer(() => Response.json(null, { status, headers: { "Cache-Control": "no-store" } }));
  expect(response.status).toBe(status);
  expect(response.headers.get("Content-Type")).toBe("text/plain; charset=utf-8");
  expect(response.headers.get("Cache-Control")).toBe("no-store");
  expect(await response.text()).toBe(text);
});

it("leaves other responses as they are", async () => {
  for (const inner of [
    () => Response.json(null),
    () => Response.json({ code: "not_found" }, { status: 404 }),
    () => new Response("null", { status: 404, headers: { "Content-Type": "text/plain" } }),
  ]) {
    const response = await answer(inner);
    const expected = inner();
    expect([response.status, response.headers.get("Content-Type"), await response.text()]).toEqual([
      expected.status,
      expected.headers.get("Content-Type"),
      await expected.text(),
    ]);
  }
});
