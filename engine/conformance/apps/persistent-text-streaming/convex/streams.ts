import { PersistentTextStreaming, StreamIdValidator, type StreamId } from "@convex-dev/persistent-text-streaming";
import { components } from "./_generated/api";
import { httpAction, mutation, query } from "./_generated/server";

const streaming = new PersistentTextStreaming(components.persistentTextStreaming);

export const create = mutation({ args: {}, handler: async (ctx) => await streaming.createStream(ctx) });

export const body = query({
  args: { id: StreamIdValidator },
  handler: async (ctx, { id }) => await streaming.getStreamBody(ctx, id as StreamId),
});

export const generate = httpAction(async (ctx, request) => {
  const { id }: { id: StreamId } = await request.json();
  return await streaming.stream(ctx, request, id, async (_ctx, _request, _id, append) => {
    for (const sentence of ["One. ", "Two. ", "Three."]) await append(sentence);
  });
});
