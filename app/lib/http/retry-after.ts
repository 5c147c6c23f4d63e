/** Seconds; about the restart time of a deployment. */
export const RETRY_AFTER_SECONDS = 5;
