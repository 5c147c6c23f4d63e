import { randomUUID } from "node:crypto";
import type { ApiCall } from "./endpoints.server";
import { receiveUpload } from "~/features/uploads/server/handle-multipart-upload.server";
import type { z } from "zod";
import { ApiError } from "./api-error.server";
import { keyOf } from "./idempotency-key.server";
import type { uploadSchema } from "./shapes";
import { userOfToken } from "./user-of-token.server";

/** Adds the files of a multipart form to a design. With `Idempotency-Key`, a repeated form adds nothing twice. */
export async function uploadImages({ request, context, tokenHash, id }: ApiCall): Promise<Response> {
  const key = keyOf(request);
  const { results, problem } = await receiveUpload(request, context, {
    tokenHash,
    userId: await userOfToken(context, tokenHash, "write"),
    designId: id,
    sending: `api-${key ?? randomUUID()}`,
  });
  if (problem !== undefined && results.length === 0) throw new ApiError(422, "no_files", "Send one or more files in a multipart form.");
  const answer: z.infer<typeof uploadSchema> = {
    results: results.map((result) =>
      result.ok
        ? { name: result.name, ok: true, imageId: result.imageId }
        : { name: result.name, ok: false, message: result.problem, isRetryable: result.again },
    ),
  };
  return Response.json(answer, { status: results.some(({ ok }) => ok) ? 201 : 422 });
}
