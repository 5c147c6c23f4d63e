import { data } from "react-router";
import { bodyOf } from "./body.server";

/** What a form without files may have in bytes: it is read into memory as a whole. */
export const FORM_BYTES = 1024 * 1024;

/** The two ways in which browsers send forms. */
const FORM = /^(application\/x-www-form-urlencoded|multipart\/form-data)\s*(;|$)/i;

const forms = new WeakMap<Request, Promise<FormData>>();

/**
 * The form that a request brings, read once however often it is asked for. Throws what the page's boundary shows in its place: 413 for more than a
 * form holds, 415 for what is no form, 400 for one that is broken. For actions in place of `request.formData()`, which takes a body of any length
 * into memory, and fails as if the fault were ours.
 */
export function formOf(request: Request): Promise<FormData> {
  const form = forms.get(request) ?? read(request);
  forms.set(request, form);
  return form;
}

async function read(request: Request): Promise<FormData> {
  const type = request.headers.get("Content-Type") ?? "";
  if (!FORM.test(type)) throw data(null, { status: 415, statusText: "Unsupported Media Type" });
  const body = await bodyOf(request, FORM_BYTES);
  if (!body) throw data(null, { status: 413, statusText: "Content Too Large" });
  try {
    return await new Response(body, { headers: { "Content-Type": type } }).formData();
  } catch {
    throw data(null, { status: 400, statusText: "Bad Request" });
  }
}
