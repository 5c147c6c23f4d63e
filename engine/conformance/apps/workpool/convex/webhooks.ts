"use node";

import { Buffer } from "node:buffer";
import { Webhook } from "svix";
import { v } from "convex/values";
import { internalAction } from "./_generated/server";

export const verify = internalAction({
  args: { name: v.string() },
  handler: async (_ctx, { name }): Promise<string> => {
    const webhook = new Webhook(`whsec_${Buffer.from("a secret of 24 characters").toString("base64")}`);
    const [id, sentAt, payload] = ["message", new Date(), JSON.stringify({ name })];
    const headers = {
      "svix-id": id,
      "svix-timestamp": `${Math.floor(sentAt.getTime() / 1_000)}`,
      "svix-signature": webhook.sign(id, sentAt, payload),
    };
    return JSON.stringify(webhook.verify(payload, headers));
  },
});
