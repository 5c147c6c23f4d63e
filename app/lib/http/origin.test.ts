import { expect, it } from "vitest";
import { originOf } from "./origin.server";
import { testConfig } from "./testing";

it("returns one of APP_URL's origins, or the request's without APP_URL", () => {
  const [here, there] = [new Request("http://localhost:3000/projects"), new Request("http://127.0.0.1:3000/projects")];
  const [known, other, none] = [testConfig, { ...testConfig, origins: ["https://other.example"] }, { ...testConfig, origins: [] }];
  for (let times = 0; times < 2; times++) {
    expect([originOf(known, here), originOf(other, here)]).toEqual(["https://atelier.example", "https://other.example"]);
    const several = { ...testConfig, origins: ["https://atelier.example", "http://nas:3000"] };
    expect([originOf(several, new Request("http://nas:3000/")), originOf(several, here)]).toEqual([
      "http://nas:3000",
      "https://atelier.example",
    ]);
    expect([originOf(none, here), originOf(none, there)]).toEqual(["http://localhost:3000", "http://127.0.0.1:3000"]);
  }
});
