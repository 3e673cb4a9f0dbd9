import { RequestBatcher } from './request-batcher';
import { messageLimits } from '../message/envelope';

interface Thing {
  readonly name: number;
  readonly bytes: number;
  isSettled: boolean;
}

const thing = (name: number, bytes = 10): Thing => ({ name, bytes, isSettled: false });
const turn = () => new Promise((resolve) => setImmediate(resolve));

function batching(canSend = () => true) {
  const sent: number[][] = [];
  const responses: (() => void)[] = [];
  const send = (things: readonly Thing[]) => {
    sent.push(things.map(({ name }) => name));
    return new Promise<void>((resolve) => responses.push(resolve));
  };
  return { sent, responses, batcher: new RequestBatcher<Thing>(send, canSend) };
}

describe('a batcher', () => {
  test('sends a single item in the same turn', async () => {
    const { sent, batcher } = batching();
    batcher.add(thing(1));
    await turn();
    expect(sent).toEqual([[1]]);
  });

  test('combines items that arrive in one turn into one message', async () => {
    const { sent, batcher } = batching();
    for (let i = 0; i < 5; i++) batcher.add(thing(i));
    await turn();
    expect(sent).toEqual([[0, 1, 2, 3, 4]]);
  });

  test('collects items while four messages are unanswered, and sends them after the next response', async () => {
    const { sent, responses, batcher } = batching();
    for (let i = 0; i < 4; i++) {
      batcher.add(thing(i));
      await turn();
    }
    batcher.add(thing(4));
    batcher.add(thing(5));
    await turn();
    expect(sent).toHaveLength(4);
    responses[0]?.();
    await turn();
    await turn();
    expect(sent[4]).toEqual([4, 5]);
  });

  test('does not delay other responses when some are slow', async () => {
    const { sent, batcher } = batching();
    for (let i = 0; i < 5; i++) {
      batcher.add(thing(i));
      await turn();
    }
    const giveUpAt = Date.now() + 30_000;
    while (sent.length < 5 && Date.now() < giveUpAt) await turn();
    expect(sent[4]).toEqual([4]);
  });

  test('fills a message up to its limits and no further', async () => {
    const { sent, batcher } = batching();
    for (let i = 0; i < messageLimits.itemsMax + 1; i++) batcher.add(thing(i));
    await turn();
    expect(sent.map((names) => names.length)).toEqual([messageLimits.itemsMax, 1]);
    batcher.add(thing(1, messageLimits.bytesMax / 2));
    batcher.add(thing(2, messageLimits.bytesMax));
    batcher.add(thing(3, 3 * messageLimits.bytesMax));
    await turn();
    await turn();
    expect(sent.slice(2, 4)).toEqual([[1], [2]]);
  });

  test('keeps items while nothing can be sent, except those without a waiting caller', async () => {
    let isOpen = false;
    const { sent, batcher } = batching(() => isOpen);
    const dead = thing(1);
    batcher.add(dead);
    batcher.add(thing(2));
    await turn();
    expect(sent).toEqual([]);
    dead.isSettled = true;
    isOpen = true;
    batcher.resume();
    await turn();
    expect(sent).toEqual([[2]]);
  });
});
