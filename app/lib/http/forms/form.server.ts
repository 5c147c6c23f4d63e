import { data } from "react-router";
import { readBody } from "./body.server";
import { badForm } from "./field-names";
import { createFormParser } from "./form-parser.server";

export const FORM_BYTES = 1024 * 1024;

const FORM = /^(application\/x-www-form-urlencoded|multipart\/form-data)\s*(;|$)/i;

const forms = new WeakMap<Request, Promise<FormData>>();

/** Returns a form's text fields. Unlike `request.formData()` it limits size and names. Throws 400, also for files, 413 or 415. */
export function readFormData(request: Request): Promise<FormData> {
  const form = forms.get(request) ?? read(request);
  forms.set(request, form);
  return form;
}

async function read(request: Request): Promise<FormData> {
  const type = request.headers.get("Content-Type") ?? "";
  if (!FORM.test(type)) throw data(null, { status: 415, statusText: "Unsupported Media Type" });
  const body = await readBody(request, FORM_BYTES);
  if (!body) throw data(null, { status: 413, statusText: "Content Too Large" });
  try {
    return await parse(type, body);
  } catch {
    throw badForm();
  }
}

function parse(type: string, body: Uint8Array): Promise<FormData> {
  const { promise, resolve, reject } = Promise.withResolvers<FormData>();
  const form = new FormData();
  const parser = createFormParser(type);
  parser
    .on("field", (name, value) => form.append(name, value))
    .on("file", (_name, file) => {
      file.resume();
      reject(badForm());
    })
    .on("error", reject)
    .on("finish", () => (parser.errored ? reject(parser.errored) : resolve(form)))
    .end(body);
  return promise;
}
