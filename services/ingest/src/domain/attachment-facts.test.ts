import { newId } from '@receipts/kernel';
import { attachmentId } from './attachment-facts';

const secret = 'a secret of sixteen or more';

describe('the id of an attachment', () => {
  test('is the same for the same message and label, and differs otherwise', () => {
    const owner = newId();
    expect(attachmentId(secret, owner)).toBe(attachmentId(secret, owner));
    const others = [attachmentId(secret, newId()), attachmentId(secret, owner, 'slip')];
    expect(new Set([attachmentId(secret, owner), ...others]).size).toBe(3);
    for (const id of others) expect(id).toMatch(/^[0-9a-f]{24}$/);
  });

  test('cannot be derived from the message without the secret', () => {
    const owner = newId();
    expect(attachmentId('another secret of sixteen', owner)).not.toBe(attachmentId(secret, owner));
  });

  test('shares nothing with the ids of other labels', () => {
    const ids = Array.from({ length: 200 }, () => attachmentId(secret, newId()));
    // If ids contained a time or a counter, they would have a common prefix.
    expect(new Set(ids.map((id) => id.slice(0, 6))).size).toBeGreaterThan(190);
  });
});
