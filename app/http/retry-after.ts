/** How long to wait before asking again, in seconds: about as long as a deployment takes to come back. */
export const RETRY_AFTER_SECONDS = 5;
