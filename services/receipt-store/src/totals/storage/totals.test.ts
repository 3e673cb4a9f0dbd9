import { Totals, type TotalsDependencies } from './totals';
import type { ProgressDocument } from './totals-documents';

test('catches up again for a caller that has more time than the one that began the shared run', async () => {
  const totals = new Totals({} as TotalsDependencies);
  const done = { _id: 'demo' } as ProgressDocument;
  jest
    .spyOn(totals, 'advance')
    .mockImplementation((_retailer, _target, { deadline }) =>
      deadline === 0 ? Promise.reject(new Error('no time is left')) : Promise.resolve(done),
    );
  const patient = { deadline: Infinity };
  const runs = [patient, { deadline: 0 }, patient].map((limit) => totals.catchUp('demo', limit));
  await expect(runs[1]).rejects.toThrow('no time is left');
  expect([await runs[0], await runs[2]]).toEqual([done, done]);
});
