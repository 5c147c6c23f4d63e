import { expect, it } from "vitest";
import { answerOf } from "../testing";
import { limitRedirectLength, MAX_LOCATION_LENGTH } from "./redirect-length.server";

const long = "x".repeat(MAX_LOCATION_LENGTH);

it.each([
  ["/projects?tab=1", "/projects?tab=1"],
  [`/search?q=${long}`, "/search"],
  [`/${long}`, "/"],
  [`/api/auth/callback/apple?code=${long}`, `/api/auth/callback/apple?code=${long}`],
  [`https://provider.example/?state=${long}`, `https://provider.example/?state=${long}`],
])("removes the query only of long redirects to pages", async (location, sent) => {
  const inner = () => new Response(null, { status: 303, headers: { Location: location } });
  const response = await answerOf(limitRedirectLength, new Request("https://atelier.example/search"), { inner });
  expect(response.headers.get("Location")).toBe(sent);
});
