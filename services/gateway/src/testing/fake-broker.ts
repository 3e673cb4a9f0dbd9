import type { Call, Contract } from '@receipts/kernel';
import type { BrokerPort, RawReply, RawRequest } from '../broker-port';

export interface Received {
  readonly kind: 'asked' | 'sent';
  readonly name: string;
  readonly request: RawRequest;
  readonly call: Call;
}

type Answer = (contract: Contract, request: RawRequest, call: Call) => RawReply | Promise<RawReply>;

/** Keeps what it was asked, and answers as the test says. */
export class FakeBroker implements BrokerPort {
  state: 'up' | 'blocked' | 'down' = 'up';
  readonly received: Received[] = [];
  answer: Answer = () => ({
    meta: { id: '1', version: 3, contentType: 'text/csv' },
    body: Buffer.from('{"id":"1"}'),
  });

  async askRaw(contract: Contract, request: RawRequest, call: Call): Promise<RawReply> {
    this.received.push({ kind: 'asked', name: contract.name, request, call });
    return this.answer(contract, request, call);
  }

  sendRaw(contract: Contract, request: RawRequest, call: Call): Promise<void> {
    this.received.push({ kind: 'sent', name: contract.name, request, call });
    return Promise.resolve();
  }

  get last(): Received {
    const last = this.received.at(-1);
    if (!last) throw new Error('nothing reached the broker');
    return last;
  }
}
