import type { Handler, Reply } from '@receipts/kernel';
import { idempotent } from '@receipts/storage';

type Idempotent = typeof idempotent;
type Arguments = Parameters<Idempotent>;

/**
 * `idempotent` for answers that carry a secret: what is remembered for the next day is the sealed answer.
 */
export function idempotentSecret<C extends Arguments[1]>(
  records: Arguments[0],
  contract: C,
  handler: Handler<C>,
  options: {
    readonly sealer: { seal(text: string): string; open(sealed: string): string };
    readonly log: NonNullable<Arguments[3]>['log'];
  },
): Handler<C> {
  const { sealer } = options;
  const withBody = (reply: Reply<C>, body: string) => ({ ...reply, body: Buffer.from(body) }) as Reply<C>;
  const remembered = idempotent(
    records,
    contract,
    async (input, call) => {
      const reply = await handler(input, call);
      return withBody(reply, sealer.seal(JSON.stringify(reply.body)));
    },
    options.log && { log: options.log },
  );
  return async (input, call) => {
    const reply = await remembered(input, call);
    return withBody(reply, sealer.open(String(reply.body)));
  };
}
