import { makeFunctionReference } from "convex/server";
import { describe, expect, it, vi } from "vitest";
import { intent, readForm } from "./intents";

const rename = makeFunctionReference<"mutation", { id: string; name: string }, string>("things:rename");

const intents = {
  rename: intent({
    mutation: rename,
    fields: ["id", "name"],
    args: (of) => ({ id: of("id"), name: of("name") }),
    then: (result, { id }) => `/things/${id}?${result}`,
  }),
  stay: intent({ mutation: rename, fields: ["id"], args: (of) => ({ id: of("id"), name: "fixed" }) }),
};

function sent(fields: Record<string, string>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return form;
}

describe("readForm", () => {
  it("reads the intent, the form's name, and the fields that the intent asks for alone", () => {
    const { intent, form, values } = readForm(
      intents,
      sent({ intent: "rename", form: "f1", id: "7", name: " Dawn ", ownerId: "somebody" }),
    );
    expect(intent).toBe(intents.rename);
    expect(form).toBe("f1");
    expect(values).toEqual({ id: "7", name: " Dawn " });
  });
  it("reads a missing field, and a file in the place of one, as empty", () => {
    const form = sent({ intent: "rename", id: "7" });
    form.append("name", new File(["x"], "x.txt"));
    expect(readForm(intents, form).values).toEqual({ id: "7", name: "" });
  });
  it.each(["", "nothing", "constructor", "__proto__", "toString"])("answers 400 to the intent %j", (name) => {
    expect(() => readForm(intents, sent({ intent: name }))).toThrow(
      expect.objectContaining({ init: expect.objectContaining({ status: 400 }) }),
    );
  });
});

describe("run", () => {
  it("calls the mutation with the arguments, and answers where to go", async () => {
    const run = vi.fn<() => Promise<string>>(async () => "done");
    expect(await intents.rename.run(run, { id: "7", name: "Dawn" })).toBe("/things/7?done");
    expect(run).toHaveBeenCalledWith(rename, { id: "7", name: "Dawn" }, undefined);
    expect(await intents.stay.run(run, { id: "7" })).toBeNull();
  });
});
