import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** If this fails, check whether `fixDriverDrain` is still needed, and still works. */
it('destroys a socket without notifying writes that wait for it to drain', () => {
  const file = createRequire(__filename).resolve('mongodb/lib/cmap/connection');
  const source = readFileSync(file, 'utf8');
  const [, cleanup = ''] = /\n {4}cleanup\(error\) \{\n([\s\S]*?)\n {4}\}\n/.exec(source) ?? [];
  expect(cleanup).toContain('this.socket.destroy();');
  expect(source).toContain("once)(this.socket, 'drain', options)");
});
