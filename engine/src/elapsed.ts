/** Returns the milliseconds since the start. Saved before functions on this thread freeze or replace `performance.now`. */
export const elapsed: () => number = performance.now.bind(performance);
