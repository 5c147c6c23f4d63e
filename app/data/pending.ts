/** What an optimistic update puts in the place of an id that only the deployment can give. */
const PENDING = "pending:";

/** A fresh stand-in for an id. */
export const pendingId = () => PENDING + crypto.randomUUID();

/** Whether this is shown ahead of the deployment's answer, and has no address yet. */
export const isPending = (id: string) => id.startsWith(PENDING);
