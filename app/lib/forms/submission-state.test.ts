import { expect, it } from "vitest";
import { nextSubmissionState, type SubmissionState } from "./submission-state";

const unsent: SubmissionState = { pending: false, answer: undefined, done: false };
const [first, second] = [{}, {}];

it("marks a form as done after a success or redirect, until it is sent again", () => {
  const away = nextSubmissionState(unsent, { pending: true, answer: undefined, refused: false });
  expect(away.done).toBe(false);
  for (const answer of [first, undefined]) {
    const back = nextSubmissionState(away, { pending: false, answer, refused: false });
    expect(back.done).toBe(true);
    expect(nextSubmissionState(back, { pending: false, answer, refused: false })).toBe(back);
    expect(nextSubmissionState(back, { pending: true, answer, refused: false }).done).toBe(false);
  }
  expect(nextSubmissionState(away, { pending: false, answer: first, refused: true }).done).toBe(false);
});

it("marks a form as done when sent and answered between two renders", () => {
  const taken = nextSubmissionState(unsent, { pending: false, answer: first, refused: false });
  expect(taken.done).toBe(true);
  expect(nextSubmissionState(taken, { pending: false, answer: second, refused: true }).done).toBe(false);
});

it("does not mark a form as done when its answer is discarded", () => {
  const refused = nextSubmissionState(unsent, { pending: false, answer: first, refused: true });
  expect(nextSubmissionState(refused, { pending: false, answer: undefined, refused: false }).done).toBe(false);
});
