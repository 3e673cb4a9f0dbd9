import {
  causesOfTypeMax,
  noAlerts,
  withCauses,
  withCheckFigures,
  withReportedCauses,
  withoutRound,
  withRound,
  type AlertCause,
  type Alerts,
} from './alerts';

const minuteMs = 60_000;
const pauses = { delayMs: minuteMs, intervalMs: 60 * minuteMs };
const at = (minutes: number) => new Date(Date.UTC(2026, 4, 17) + minutes * minuteMs);
const packet = (key: string): AlertCause => ({ type: 'failed_packets', key, store: null });
const add = (alerts: Alerts, keys: readonly string[], minutes: number) =>
  withCauses(alerts, keys.map(packet), at(minutes), pauses);

it('waits a moment for further causes, counted from the first', () => {
  const first = add(noAlerts, ['a'], 0);
  const second = add(first, ['b'], 0.5);
  expect(second).toMatchObject({ causes: [{ key: 'a' }, { key: 'b' }], dueAt: at(1) });
  expect(withRound(second, 7, at(0.9))).toBe(second);
  expect(withRound(second, 7, at(1))).toMatchObject({
    causes: [],
    round: { number: 7, causes: [{ key: 'a' }, { key: 'b' }] },
  });
});

it('counts a repeated cause once', () => {
  const once = add(noAlerts, ['a'], 0);
  expect(add(once, ['a'], 0.5)).toBe(once);
});

it('keeps a bounded number of causes in a storm, and counts the others', () => {
  const keys = Array.from({ length: 5_000 }, (_, n) => String(n));
  const full = add(noAlerts, keys, 0);
  expect(full.causes).toHaveLength(causesOfTypeMax);
  const count = keys.length - causesOfTypeMax;
  expect(full.further).toEqual([{ type: 'failed_packets', store: null, count }]);
  const more = add(full, ['0', 'more'], 0.5);
  expect(more.causes).toEqual(full.causes);
  expect(more.further).toEqual([{ type: 'failed_packets', store: null, count: count + 1 }]);
  const begun = withRound(more, 1, at(1));
  expect(begun).not.toHaveProperty('further');
  expect(begun.round?.further).toBe(more.further);
});

it('bounds the stores whose further causes are counted', () => {
  const causes = Array.from({ length: 20_000 }, (_, n) => ({ ...packet(String(n)), store: String(n) }));
  const { further = [] } = withCauses(noAlerts, causes as AlertCause[], at(0), pauses);
  expect(further).toHaveLength(300);
});

describe('an event that arrives again', () => {
  const report = (alerts: Alerts, events: readonly string[], minutes: number) => {
    const reported = events.map((event) => ({ event, cause: packet(event) }));
    return withReportedCauses(alerts, reported, at(minutes), pauses);
  };

  it('causes no second round', () => {
    const told = withoutRound(withRound(report(noAlerts, ['a', 'b'], 0), 1, at(1)), 1, true, at(1), pauses);
    expect(report(told, ['b', 'a'], 2)).toBe(told);
    expect(report(told, ['b', 'c'], 2).causes).toEqual([packet('c')]);
  });

  it('is not counted twice in a storm, and a bounded number is remembered', () => {
    const events = Array.from({ length: 5_000 }, (_, n) => String(n));
    const full = report(noAlerts, events, 0);
    expect(report(full, events.slice(-1_000), 0.5)).toBe(full);
    expect(full.handled?.length).toBeLessThanOrEqual(2_000);
  });

  it('is remembered after its round only if it was one of the last', () => {
    const events = Array.from({ length: 2_000 }, (_, n) => String(n));
    const full = report(noAlerts, events, 0);
    const told = withoutRound(withRound(full, 1, at(1)), 1, true, at(1), pauses);
    expect(report(told, events.slice(-256), 2)).toBe(told);
    expect(told.handled?.length).toBeLessThanOrEqual(600);
  });
});

it('starts the next round no sooner than the interval allows', () => {
  const told = withoutRound(withRound(add(noAlerts, ['a'], 0), 1, at(1)), 1, true, at(1), pauses);
  expect(told).toEqual({ causes: [], above: [], sentAt: at(1) });
  expect(add(told, ['b'], 2).dueAt).toEqual(at(61));
  expect(add(told, ['b'], 100).dueAt).toEqual(at(101));
});

it('does not wait after a round of which nobody was told', () => {
  const untold = withoutRound(withRound(add(noAlerts, ['a'], 0), 1, at(1)), 1, false, at(1), pauses);
  expect(add(untold, ['b'], 2).dueAt).toEqual(at(3));
});

it('keeps causes that arrive while a round is being told', () => {
  const running = add(withRound(add(noAlerts, ['a'], 0), 1, at(1)), ['b'], 1);
  expect(withRound(running, 2, at(5))).toBe(running);
  const ended = withoutRound(running, 1, true, at(1), pauses);
  expect(ended).toMatchObject({ causes: [{ key: 'b' }], dueAt: at(61) });
  expect(withoutRound(ended, 1, true, at(9), pauses)).toBe(ended);
});

describe('failing checks', () => {
  const measured = (alerts: Alerts, failed: number, receipts = 100) =>
    withCheckFigures(alerts, [{ user: 3, failed, receipts, percentMax: 5 }], at(0), pauses);

  it.each([
    ['at the limit', 5, 100, 0],
    ['above the limit', 6, 100, 1],
    ['with too few failures', 2, 2, 0],
    ['without receipts', 0, 0, 0],
  ])('%s', (_when, failed, receipts, causes) => {
    expect(measured(noAlerts, failed, receipts).causes).toHaveLength(causes);
  });

  it('are told once, until the share has fallen below the limit again', () => {
    const risen = measured(noAlerts, 6);
    expect(risen.above).toEqual([3]);
    const told = withoutRound(withRound(risen, 1, at(1)), 1, true, at(1), pauses);
    expect(measured(told, 50)).toBe(told);
    const fallen = measured(told, 1);
    expect(fallen).toMatchObject({ causes: [], above: [] });
    expect(measured(fallen, 6).causes).toHaveLength(1);
  });

  it('are told to every user', () => {
    const figures = Array.from({ length: 150 }, (_, user) => ({
      user,
      failed: 9,
      receipts: 9,
      percentMax: 5,
    }));
    expect(withCheckFigures(noAlerts, figures, at(0), pauses).causes).toHaveLength(150);
  });

  it('of one user leave those of others as they were', () => {
    const other = withCheckFigures(
      measured(noAlerts, 6),
      [{ user: 4, failed: 9, receipts: 9, percentMax: 5 }],
      at(0),
      pauses,
    );
    expect(other.above).toEqual([3, 4]);
  });
});
