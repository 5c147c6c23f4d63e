import type { FunctionArgs, FunctionReference, FunctionReturnType } from "convex/server";
import { href } from "react-router";
import { connectedConvex, inBackground } from "~/lib/data/connection/connection";
import { randomId } from "~/lib/random-id";
import { api } from "#convex/_generated/api";
import { PresenceRow } from "./presence-row";

/** Identifies this document's row in the table `presence`. */
const TAB = randomId(18);

type Mutation = FunctionReference<"mutation">;

async function run<M extends Mutation>(mutation: M, args: FunctionArgs<M>): Promise<FunctionReturnType<M>> {
  const convex = connectedConvex();
  if (!convex) throw new Error("The connection was lost");
  inBackground.mutations++;
  try {
    return await convex.mutation(mutation, args);
  } finally {
    inBackground.mutations--;
  }
}

export const ownRow = new PresenceRow({
  isConnected: () => connectedConvex() !== null,
  update: (state) => run(api.presence.update, { tab: TAB, ...state }),
  leave: () => run(api.presence.leave, { tab: TAB }),
});

export const sendPointer = (place: Omit<FunctionArgs<typeof api.presence.setPointer>, "tab">): Promise<null> =>
  run(api.presence.setPointer, { tab: TAB, ...place });

/** Removes the row with a beacon, because a closing page's connection ends before a mutation is sent. */
export function removeOwnRow(): void {
  if (ownRow.close()) navigator.sendBeacon(href("/presence/leave"), new URLSearchParams({ tab: TAB }));
}
