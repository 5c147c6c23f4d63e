import { z } from "zod";
import { refusalOf } from "~/lib/data/error-responses";
import { clientNetwork } from "~/lib/http/client-network.server";
import { configContext } from "~/lib/http/context";
import { api } from "#convex/_generated/api";
import type { Refusal } from "#convex/model/errors";
import { accountAction, accountIntent } from "../account-action.server";
import { Rejection } from "../rejection.server";
import { serviceConvex } from "../session/convex/service-client.server";
import { redirectToSignIn } from "../session/session.server";
import { requireRecentSignIn } from "../settings/require-recent-sign-in.server";
import { OFFER_TRANSFER } from "./transfer-intents";

const offerFields = z.object({ userId: z.string("Choose a member of the project.").min(1, "Choose a member of the project.") });

export const offerTransfer = (projectId: string) =>
  accountAction({
    [OFFER_TRANSFER]: accountIntent({
      schema: offerFields,
      fieldOf: { "*": "userId" },
      async run({ userId }, request) {
        const { session } = await requireRecentSignIn(request);
        const config = request.context.get(configContext);
        try {
          const offer = { sessionId: session.id, projectId, userId, ...clientNetwork(request.context) };
          await serviceConvex(config).mutation(api.transfers.offer, offer, { skipQueue: true });
          return { done: "transfer-offered" };
        } catch (error) {
          const refusal = refusalOf(error);
          if (refusal?.code === "unauthenticated") throw redirectToSignIn(request.request);
          if (!refusal) throw error;
          throw new Rejection(messageOf(refusal), { status: 422, code: "NOT_OFFERED" });
        }
      },
    }),
  });

function messageOf({ code, message }: Refusal): string {
  if (code === "not_found") return "Only the owner can offer a transfer.";
  return (code === "conflict" ? message : undefined) ?? "Choose a member of the project.";
}
