import { boundedBytes } from './bounded-bytes';

const chunks = [Buffer.from('ab'), Buffer.from('c')];

it('joins the chunks of a body, up to a limit', async () => {
  expect((await boundedBytes(chunks, 3)).toString()).toBe('abc');
  expect(await boundedBytes([], 0)).toHaveLength(0);
  await expect(boundedBytes(chunks, 2)).rejects.toThrow('longer than 2 bytes');
});

it('stops reading a body that is too long', async () => {
  let isClosed = false;
  async function* endless() {
    try {
      for (;;) yield Buffer.alloc(10);
    } finally {
      isClosed = true;
    }
  }
  await expect(boundedBytes(endless(), 25)).rejects.toThrow('longer');
  expect(isClosed).toBe(true);
});
