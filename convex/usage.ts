import { userQuery } from "./model/access";
import { type Usage, usageFor, usageShape } from "./model/limits/usage";

export const getUsage = userQuery({
  args: {},
  returns: usageShape,
  handler: (ctx): Promise<Usage> => usageFor(ctx, ctx.user.id),
});

export { count } from "./jobs/countUsage";
