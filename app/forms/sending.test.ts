import { expect, it } from "vitest";
import { nextSending, type Sending } from "./sending";

const unsent: Sending = { pending: false, answer: undefined, done: false };
const [first, second] = [{}, {}];

it("is done once it is back without a refusal, with an answer of its own or led on, until it is sent again", () => {
  const away = nextSending(unsent, { pending: true, answer: undefined, refused: false });
  expect(away.done).toBe(false);
  for (const answer of [first, undefined]) {
    const back = nextSending(away, { pending: false, answer, refused: false });
    expect(back.done).toBe(true);
    expect(nextSending(back, { pending: false, answer, refused: false })).toBe(back);
    expect(nextSending(back, { pending: true, answer, refused: false }).done).toBe(false);
  }
  expect(nextSending(away, { pending: false, answer: first, refused: true }).done).toBe(false);
});

it("is done where it was sent and answered between two looks", () => {
  const taken = nextSending(unsent, { pending: false, answer: first, refused: false });
  expect(taken.done).toBe(true);
  expect(nextSending(taken, { pending: false, answer: second, refused: true }).done).toBe(false);
});

it("is not done by an answer that is let go", () => {
  const refused = nextSending(unsent, { pending: false, answer: first, refused: true });
  expect(nextSending(refused, { pending: false, answer: undefined, refused: false }).done).toBe(false);
});
