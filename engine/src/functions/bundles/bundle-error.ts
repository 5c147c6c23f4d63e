export class BundleError extends Error {}
