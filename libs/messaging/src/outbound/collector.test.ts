import { Collector } from './collector';
import { bytesPerMessageMax, itemsPerMessageMax } from '../message/envelope';

interface Thing {
  readonly name: number;
  readonly bytes: number;
  settled: boolean;
}

const thing = (name: number, bytes = 10): Thing => ({ name, bytes, settled: false });
const turn = () => new Promise((resolve) => setImmediate(resolve));

function collecting(canSend = () => true) {
  const sent: number[][] = [];
  const collector = new Collector<Thing>((things) => sent.push(things.map(({ name }) => name)), canSend);
  return { sent, collector };
}

describe('a collector', () => {
  test('sends a lone item in the same turn', async () => {
    const { sent, collector } = collecting();
    collector.add(thing(1));
    await turn();
    expect(sent).toEqual([[1]]);
  });

  test('puts what arrives in one turn into one message', async () => {
    const { sent, collector } = collecting();
    for (let i = 0; i < 5; i++) collector.add(thing(i));
    await turn();
    expect(sent).toEqual([[0, 1, 2, 3, 4]]);
  });

  test('lets items collect while four messages are unanswered, and sends them with the next answer', async () => {
    const { sent, collector } = collecting();
    for (let i = 0; i < 4; i++) {
      collector.add(thing(i));
      await turn();
    }
    collector.add(thing(4));
    collector.add(thing(5));
    await turn();
    expect(sent).toHaveLength(4);
    collector.messageDone();
    await turn();
    expect(sent[4]).toEqual([4, 5]);
  });

  test('does not let slow answers hold up the rest', async () => {
    const { sent, collector } = collecting();
    for (let i = 0; i < 5; i++) {
      collector.add(thing(i));
      await turn();
    }
    const giveUpAt = Date.now() + 30_000;
    while (sent.length < 5 && Date.now() < giveUpAt) await turn();
    expect(sent[4]).toEqual([4]);
  });

  test('fills a message up to its bounds and no further', async () => {
    const { sent, collector } = collecting();
    for (let i = 0; i < itemsPerMessageMax + 1; i++) collector.add(thing(i));
    await turn();
    expect(sent.map((names) => names.length)).toEqual([itemsPerMessageMax, 1]);
    collector.add(thing(1, bytesPerMessageMax / 2));
    collector.add(thing(2, bytesPerMessageMax));
    collector.add(thing(3, 3 * bytesPerMessageMax));
    await turn();
    await turn();
    expect(sent.slice(2, 4)).toEqual([[1], [2]]);
  });

  test('keeps items while nothing can be sent, without those that nobody waits for', async () => {
    let isOpen = false;
    const { sent, collector } = collecting(() => isOpen);
    const dead = thing(1);
    collector.add(dead);
    collector.add(thing(2));
    await turn();
    expect(sent).toEqual([]);
    dead.settled = true;
    isOpen = true;
    collector.resume();
    await turn();
    expect(sent).toEqual([[2]]);
  });
});
