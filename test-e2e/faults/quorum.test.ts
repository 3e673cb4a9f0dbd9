import { quorum } from '../chaos/quorum';

/** Three nodes start, and two of them a second time. */
const boundMs = 900_000;

it(
  'a service on the only remaining node of three waits, and nothing is lost when the others are back',
  async () => {
    const lines: string[] = [];
    await quorum((line) => lines.push(line));
    expect(lines.at(-1)).toBe('200 of 200 commands kept, 10 of 10 dead letters still there');
  },
  boundMs,
);
