import { makeFunctionReference } from "convex/server";
import * as fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { intent, intentWith, readForm } from "./intents";

const rename = makeFunctionReference<"mutation", { id: string; name: string }, string>("things:rename");

const intents = {
  renameProject: intent({
    mutation: rename,
    fields: ["id", "name"],
    args: ({ id, name }) => ({ id, name }),
    then: (result, { id }) => `/things/${id}?${result}`,
  }),
  stay: intent({ mutation: rename, fields: ["id"], args: ({ id }) => ({ id, name: "fixed" }) }),
  all: intent({ mutation: rename, lists: ["ids"], args: ({ ids }) => ({ id: ids.join("+"), name: "fixed" }) }),
};
const badRequest = expect.objectContaining({ init: expect.objectContaining({ status: 400 }) });
function isRejected(form: FormData): boolean {
  try {
    readForm(intents, form, ["back"]);
    return false;
  } catch (error) {
    return JSON.stringify(error).includes('"status":400');
  }
}

function sent(fields: Record<string, string>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return form;
}

describe("readForm", () => {
  it("returns the intent, the form's name and the intent's fields", () => {
    const { intent, form, values } = readForm(intents, sent({ intent: "renameProject", form: "f1", id: "7", name: " Dawn ", back: "/" }), [
      "back",
    ]);
    expect(intent).toBe(intents.renameProject);
    expect(form).toBe("f1");
    expect(values).toEqual({ id: "7", name: " Dawn " });
  });
  it("reads a missing field, or a file instead of text, as empty", () => {
    const form = sent({ intent: "renameProject", id: "7" });
    form.append("name", new File(["x"], "x.txt"));
    expect(readForm(intents, form).values).toEqual({ id: "7", name: "" });
  });
  it.each(["", "nothing", "constructor", "__proto__", "toString"])("answers 400 to the intent %j", (name) => {
    expect(() => readForm(intents, sent({ intent: name }))).toThrow(badRequest);
  });

  it("accepts fields of the route's other intents, because forms can share them", () => {
    expect(readForm(intents, sent({ intent: "stay", id: "7", name: "Dawn" })).values).toEqual({ id: "7" });
  });

  it("rejects every field that is not listed, also in a button's value", { tags: "@rejects-every-field-not-listed-also" }, () => {
    const names = ["intent", "form", "id", "ids", "name", "back"];
    const suffix = fc.constantFrom("", "[]", "[0]", "[4294967294]", ".length", ".a", "]", "[", "[__proto__]", "[constructor]", " ");
    const prefix = fc.constantFrom(...names, "", "ownerId", "__proto__", "constructor", "toString", "__intent__", "__state__");
    const name = fc.oneof(
      fc.tuple(prefix, suffix, suffix).map((parts) => parts.join("")),
      fc.string({ unit: "binary-ascii" }),
    );
    fc.assert(
      fc.property(
        name.filter((each) => !names.includes(each)),
        fc.string(),
        (odd, value) => {
          const form = sent({ intent: "renameProject", id: "7", name: "Dawn" });
          form.append(odd, value);
          const pressed = sent({ intent: intentWith("renameProject", { [odd]: value }) });
          expect([isRejected(form), isRejected(pressed)]).toEqual([true, true]);
        },
      ),
    );
  });

  it("rejects a second value of a field, except of a list of ids", { tags: "@rejects-second-value-field-except-list" }, () => {
    for (const name of ["intent", "form", "id", "name", "back"]) {
      const form = sent({ intent: "renameProject", form: "f1", id: "7", name: "Dawn", back: "/" });
      form.append(name, "again");
      expect(() => readForm(intents, form, ["back"]), name).toThrow(badRequest);
    }
    const form = sent({ intent: "all", ids: "1" });
    form.append("ids", "2");
    expect(readForm(intents, form).values).toEqual({ ids: ["1", "2"] });
  });
});

describe("run", () => {
  it("calls the mutation with the arguments, and returns the redirect target", async () => {
    const run = vi.fn<() => Promise<string>>(async () => "done");
    expect(await intents.renameProject.run(run, { id: "7", name: "Dawn" })).toBe("/things/7?done");
    expect(run).toHaveBeenCalledWith(rename, { id: "7", name: "Dawn" }, undefined);
    expect(await intents.stay.run(run, { id: "7" })).toBeNull();
  });
});

it("does not compile with a misspelt intent", () => {
  // @ts-expect-error No table of intents has it.
  expect(intentWith("renameProjekt", { id: "7" })).toBe("renameProjekt?id=7");
});
