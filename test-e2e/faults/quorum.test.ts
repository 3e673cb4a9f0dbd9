import { quorumDrill } from '../drills/quorum';

/** Three nodes start, and two of them a second time. */
const boundMs = 900_000;

it(
  'a service at the one node that is left of three waits, and everything is there when the others are back',
  async () => {
    const said: string[] = [];
    await quorumDrill((line) => said.push(line));
    expect(said.at(-1)).toBe('200 of 200 commands kept, 10 of 10 dead letters still there');
  },
  boundMs,
);
