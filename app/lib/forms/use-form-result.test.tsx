import { getFormProps, getInputProps, type SubmissionResult, useForm } from "@conform-to/react";
import { getZodConstraint } from "@conform-to/zod/v4";
import { array, assert, constantFrom, dictionary, option, property, record, string } from "fast-check";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import * as z from "zod";
import { formProps, useAnsweredForm } from "./use-form-result";
import { checkboxProps, inputProps } from "./fields/field-props";

const constraint = getZodConstraint(
  z.object({ name: z.string().min(2), email: z.email().optional(), code: z.string().regex(/^\d{6}$/), stay: z.literal("on").optional() }),
);
const NAMES = ["name", "email", "code"] as const;

type Case = { answer: SubmissionResult | undefined; defaultValue: Record<string, string> };

const sortAttributes = (html: string) =>
  html.replaceAll(/<(\w+)((?: [\w-]+="[^"]*")*)/g, (_, tag: string, all: string) =>
    [tag, ...all.split(/ (?=[\w-]+=")/).toSorted()].join(" "),
  );

function defined<Field>(field: Field | undefined): Field {
  if (field === undefined) throw new Error("There is no such field.");
  return field;
}

function Conforms({ answer, defaultValue }: Case) {
  const [form, fields] = useForm<Record<string, string>>({ id: "form", lastResult: answer, constraint, defaultValue });
  return (
    <form {...getFormProps(form)}>
      <p id={form.errorId}>{form.errors}</p>
      {NAMES.map((name) => {
        const { maxLength: _, key: __, ...props } = getInputProps(defined(fields[name]), { type: "text" });
        return <input key={name} {...props} data-error={fields[name]?.errorId} data-errors={fields[name]?.errors?.join()} />;
      })}
      <input {...getInputProps(defined(fields["stay"]), { type: "checkbox" })} required={false} key="stay" />
    </form>
  );
}

function Ours({ answer, defaultValue }: Case) {
  const [form, fields] = useAnsweredForm({ id: "form", answer, constraint, defaultValue });
  return (
    <form {...formProps(form)}>
      <p id={form.errorId}>{form.errors}</p>
      {NAMES.map((name) => (
        <input
          key={name}
          type="text"
          {...inputProps(defined(fields[name]))}
          data-error={fields[name]?.errorId}
          data-errors={fields[name]?.errors?.join()}
        />
      ))}
      <input {...checkboxProps(defined(fields["stay"]))} />
    </form>
  );
}

it("renders an answer as conform does", () => {
  const values = dictionary(constantFrom(...NAMES, "stay"), option(string(), { nil: "on" }), { noNullPrototype: true });
  const error = dictionary(constantFrom(...NAMES, ""), array(string({ minLength: 1 }), { minLength: 1 }), { noNullPrototype: true });
  const answers = option(record({ status: constantFrom("error" as const, "success" as const), initialValue: values, error }), {
    nil: undefined,
  });
  assert(
    property(answers, values, (answer, defaultValue) => {
      expect(sortAttributes(renderToStaticMarkup(<Ours answer={answer} defaultValue={defaultValue} />))).toBe(
        sortAttributes(renderToStaticMarkup(<Conforms answer={answer} defaultValue={defaultValue} />)),
      );
    }),
  );
});
