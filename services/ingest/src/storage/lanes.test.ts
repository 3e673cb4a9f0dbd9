import { Lanes, laneUsedMsMax } from './lanes';

function world() {
  const opened: string[] = [];
  const clock = { ms: 1_000_000 };
  const lanes = new Lanes(
    (lane) => {
      opened.push(lane);
      return Promise.resolve();
    },
    () => clock.ms,
  );
  return { opened, clock, lanes };
}

test('a lane is opened once, and counts', async () => {
  const { lanes, opened } = world();
  const lane = await lanes.take();
  expect([lane.next().number, lane.next().number]).toEqual([1, 2]);
  lanes.giveBack(lane);
  expect(await lanes.take()).toBe(lane);
  expect(lane.next()).toEqual({ lane: lane.id, number: 3 });
  expect(opened).toEqual([lane.id]);
});

test('nobody shares a lane, and one that is not given back is not used again', async () => {
  const { lanes, opened } = world();
  const [one, two] = [await lanes.take(), await lanes.take()];
  expect(one.id).not.toBe(two.id);
  lanes.giveBack(two);
  expect(await lanes.take()).toBe(two);
  expect((await lanes.take()).id).not.toBe(one.id);
  expect(opened).toHaveLength(3);
});

test('an old lane is left', async () => {
  const { lanes, clock } = world();
  const lane = await lanes.take();
  lanes.giveBack(lane);
  clock.ms += laneUsedMsMax;
  expect((await lanes.take()).id).not.toBe(lane.id);
});

test('a lane that cannot be opened is nobody’s', async () => {
  const lanes = new Lanes(
    () => Promise.reject(new Error('away')),
    () => 0,
  );
  await expect(lanes.take()).rejects.toThrow('away');
});
