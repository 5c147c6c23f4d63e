/** Pushed code that cannot be deployed. */
export class BundleError extends Error {}
