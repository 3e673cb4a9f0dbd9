import { countTurns } from '@receipts/testing';
import { brandedSettings, fullReceipt } from '../testing/rendered-samples';
import { mapped, rendered } from './in-steps';
import { pageInSteps } from './page/page';
import { plainTextInSteps } from './mail/plain-text';
import { viewInSteps } from './view/view';

const [item] = fullReceipt().items;
const items = Array.from({ length: 2_000 }, () => item as NonNullable<typeof item>);
const receipt = fullReceipt({ items });

it('maps a few items per turn, no matter how many receipts are rendered at the same time', async () => {
  const turns = countTurns();
  const inTurn = new Map<number, number>();
  const note = (one: number) => {
    inTurn.set(turns(), (inTurn.get(turns()) ?? 0) + 1);
    return one;
  };
  const all = Array.from({ length: 500 }, (_, at) => at);
  const results = await Promise.all([1, 2, 3, 4].map(() => rendered(mapped(all, note))));
  expect(results[3]).toEqual(all);
  expect(Math.max(...inTurn.values())).toBeLessThanOrEqual(200);
});

it.each([
  ['a view', () => viewInSteps(receipt, brandedSettings)],
  [
    'a page',
    function* () {
      const view = yield* viewInSteps(receipt, brandedSettings);
      return yield* pageInSteps(view, receipt, {
        page: '',
        proof: '',
        pdf: 'https://receipts.example/pdf',
        qrSvg: '',
      });
    },
  ],
  [
    'a text',
    function* () {
      return yield* plainTextInSteps(yield* viewInSteps(receipt, brandedSettings));
    },
  ],
])('yields to others while it renders %s of a long receipt', async (_what, steps) => {
  const turns = countTurns();
  await rendered<unknown>(steps());
  expect(turns()).toBeGreaterThanOrEqual(20);
});
