import { expect, it } from "vitest";
import { ConcurrencyLimitError } from "~/lib/http/concurrency-limit.server";
import { DiskFull } from "~/lib/http/disk-full.server";
import { InvalidForm } from "~/lib/http/forms/form-parser.server";
import { UploadAborted } from "~/lib/http/forms/receive-multipart.server";
import { Unavailable } from "~/lib/http/unavailable.server";
import { NotSent, remedyFor } from "./client/transfer/transport";
import { ChecksumMismatch, OffsetMismatch } from "./server/partial-uploads/append.server";
import { answerFor } from "./server/upload-answers.server";

const errors = [
  new InvalidForm("x"),
  new OffsetMismatch("x"),
  new UploadAborted("x"),
  new ChecksumMismatch("x"),
  new DiskFull("x"),
  new ConcurrencyLimitError("x"),
  new Unavailable("x"),
  new Error("x"),
];

it.each(errors.map((error) => [error.name, error] as const))("offers to try again after %s only if the user must", async (_, error) => {
  const answer = answerFor(error);
  expectAdvice(new NotSent(answer.status, await answer.json()));
});

it.each([400, 403, 405, 408, 413, 429, 500, 502, 504])("offers to try again after a proxy's %d only if the user must", (status) =>
  expectAdvice(new NotSent(status, null)),
);

function expectAdvice(error: NotSent): void {
  const { kind, problem, canRetry } = remedyFor(error);
  expect(/try again/i.test(problem), problem).toBe(kind === "fail" && canRetry);
}
