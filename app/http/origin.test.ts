import { expect, it } from "vitest";
import { originOf } from "./origin.server";
import { testConfig } from "./testing";

it("is the app's own address where there is one, and the request's where there is none", () => {
  const [here, there] = [new Request("http://localhost:3000/projects"), new Request("http://127.0.0.1:3000/projects")];
  const [known, other, none] = [testConfig, { ...testConfig, appUrl: "https://other.example/" }, { ...testConfig, appUrl: null }];
  // Asked again, they say the same.
  for (let times = 0; times < 2; times++) {
    expect([originOf(known, here), originOf(other, here)]).toEqual(["https://atelier.example", "https://other.example"]);
    expect([originOf(none, here), originOf(none, there)]).toEqual(["http://localhost:3000", "http://127.0.0.1:3000"]);
  }
});
