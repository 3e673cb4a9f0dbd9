import type { Handler, Reply } from '@receipts/kernel';
import { idempotent } from '@receipts/storage';

type Idempotent = typeof idempotent;
type Arguments = Parameters<Idempotent>;

/**
 * `idempotent` for answers that carry a `secret`, which is shown once: a repeated request finds null in its place, and
 * nothing that could be shown again is kept.
 */
export function shownOnce<C extends Arguments[1]>(
  records: Arguments[0],
  contract: C,
  handler: Handler<C>,
  options: Arguments[3],
): Handler<C> {
  return async (input, call) => {
    let first: Reply<C> | undefined;
    const remembered = idempotent(
      records,
      contract,
      async (again, sameCall) => {
        first = await handler(again, sameCall);
        return { ...first, body: { ...(first.body as object), secret: null } } as unknown as Reply<C>;
      },
      options,
    );
    const reply = await remembered(input, call);
    return first ?? reply;
  };
}
