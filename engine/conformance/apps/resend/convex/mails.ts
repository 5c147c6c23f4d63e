import { Resend, type EmailId } from "@convex-dev/resend";
import { v } from "convex/values";
import { components } from "./_generated/api";
import { httpAction, mutation, query } from "./_generated/server";

const resend = new Resend(components.resend, { apiKey: "re_not_a_key", webhookSecret: "whsec_dGVzdC1zZWNyZXQ=", testMode: true });

export const send = mutation({
  args: { to: v.string() },
  handler: async (ctx, { to }): Promise<string> =>
    await resend.sendEmail(ctx, { from: "a@example.com", to, subject: "Hello", text: "Text" }),
});

export const status = query({
  args: { id: v.string() },
  handler: async (ctx, { id }) => (await resend.status(ctx, id as EmailId))?.status ?? null,
});

export const cancel = mutation({
  args: { id: v.string() },
  handler: async (ctx, { id }) => {
    await resend.cancelEmail(ctx, id as EmailId);
  },
});

export const webhook = httpAction(async (ctx, request) => await resend.handleResendEventWebhook(ctx, request));
