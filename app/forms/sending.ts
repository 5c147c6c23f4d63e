/** How a form's sending stands, as it was last seen: on its way, the last answer, and whether what was sent was taken. */
export type Sending = { pending: boolean; answer: object | undefined; done: boolean };

/**
 * Done is what was sent and came back without a refusal: accepted over the websocket, or led on by the server. On a busy machine a form is sent and
 * answered between two looks at it: then its answer alone tells that it was.
 * @returns the same where nothing has changed
 */
export function nextSending(before: Sending, { pending, answer, refused }: Omit<Sending, "done"> & { refused: boolean }): Sending {
  if (pending === before.pending && answer === before.answer) return before;
  if (pending) return { pending, answer, done: false };
  const isBack = before.pending || answer !== undefined;
  return { pending, answer, done: isBack ? !refused : before.done };
}
