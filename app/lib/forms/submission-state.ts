export type SubmissionState = { pending: boolean; answer: object | undefined; done: boolean };

/** Returns the next state. On a busy machine a form can be sent and answered between two renders, so the answer alone marks it done. */
export function nextSubmissionState(
  before: SubmissionState,
  { pending, answer, refused }: Omit<SubmissionState, "done"> & { refused: boolean },
): SubmissionState {
  if (pending === before.pending && answer === before.answer) return before;
  if (pending) return { pending, answer, done: false };
  const isAnswered = before.pending || answer !== undefined;
  return { pending, answer, done: isAnswered ? !refused : before.done };
}
