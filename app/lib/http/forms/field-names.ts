import { data } from "react-router";

export type FieldNames = {
  once: Iterable<string>;
  repeated?: Iterable<string>;
};

export function checkFieldNames(sent: Iterable<[string, unknown]>, { once, repeated = [] }: FieldNames): void {
  const allowed = new Set([...once, ...repeated]);
  const repeatable = new Set(repeated);
  for (const [name] of sent) {
    if (!allowed.has(name)) throw badForm();
    if (!repeatable.has(name)) allowed.delete(name);
  }
}

export const badForm = () => data(null, { status: 400, statusText: "Bad Request" });
