/** Complete bodies are measured, so that a response that is too large is refused before its headers are sent. */
import { Buffer } from "node:buffer";

type Body = ConstructorParameters<typeof Response>[0];
type Init = ConstructorParameters<typeof Response>[1];

const isResponseClass = (value: unknown): value is typeof Response => typeof value === "function";

/** Replaces the global `Response`. The returned function gives undefined for a stream. */
export function measureResponses(): (response: Response) => number | undefined {
  const sizes = new WeakMap<object, number>();
  const original = Object.getOwnPropertyDescriptor(globalThis, "Response");

  const measured = (target: typeof Response): typeof Response => {
    const construct = (args: unknown[], newTarget: Function = target): Response => {
      const response: Response = Reflect.construct(target, args, newTarget);
      const size = sizeOf(args[0] as Body);
      if (size !== undefined) sizes.set(response, size);
      return response;
    };
    const json = (data: unknown, init?: Init): Response => {
      const text = JSON.stringify(data);
      if (text === undefined) throw new TypeError("Value is not JSON serializable");
      const headers = new Headers(init?.headers);
      if (!headers.has("content-type")) headers.set("content-type", "application/json");
      return construct([text, { ...init, headers }]);
    };
    return new Proxy(target, {
      construct: (_target, args, newTarget) => construct(args, newTarget),
      get: (_target, key) => (key === "json" ? json : Reflect.get(target, key)),
    });
  };

  const define = (value: unknown): void => {
    Object.defineProperty(globalThis, "Response", { value, writable: true, configurable: true, enumerable: false });
  };
  const get = (): unknown => {
    const target: unknown = original?.get ? original.get.call(globalThis) : original?.value;
    const value = isResponseClass(target) ? measured(target) : target;
    define(value);
    return value;
  };
  Object.defineProperty(globalThis, "Response", { get, set: define, configurable: true, enumerable: false });
  return (response) => sizes.get(response);
}

function sizeOf(body: Body): number | undefined {
  if (body === null || body === undefined) return 0;
  if (typeof body === "string") return Buffer.byteLength(body);
  if (body instanceof ArrayBuffer || ArrayBuffer.isView(body)) return body.byteLength;
  if (body instanceof Blob) return body.size;
  if (body instanceof FormData) return formSize(body);
  return body instanceof URLSearchParams ? Buffer.byteLength(body.toString()) : undefined;
}

function formSize(form: FormData): number {
  let size = 0;
  for (const value of form.values()) size += typeof value === "string" ? Buffer.byteLength(value) : value.size;
  return size;
}
