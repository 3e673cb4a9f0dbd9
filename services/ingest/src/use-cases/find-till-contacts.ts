import type { findTillContacts as contract, TillContact } from '@receipts/contracts';
import { timestampOf, type Handler } from '@receipts/kernel';
import type { FailedOfTill } from '../storage/failed-packets';
import type { TillAgent, TillName } from '../storage/till-agents';
import type { Dependencies } from './dependencies';

const failuresMax = 10_000;

interface Contact extends TillName {
  lastReceived: Date;
  agent?: TillAgent;
  readonly failed: Date[];
}

function contactsOf(agents: readonly TillAgent[], failures: readonly FailedOfTill[]): TillContact[] {
  const contacts = new Map<string, Contact>();
  const contactOf = ({ store, till }: TillName, at: Date): Contact => {
    const key = JSON.stringify([store, till]);
    const known = contacts.get(key) ?? { store, till, lastReceived: at, failed: [] };
    if (at > known.lastReceived) known.lastReceived = at;
    contacts.set(key, known);
    return known;
  };
  for (const agent of agents) contactOf(agent, agent.at).agent = agent;
  for (const failure of failures) {
    if (failure.store === null && failure.till === null) continue;
    contactOf(failure, failure.receivedAt).failed.push(failure.receivedAt);
  }
  return [...contacts.values()].map(({ store, till, lastReceived, agent, failed }) => ({
    store_reference: store,
    till_uuid: till,
    last_received: timestampOf(lastReceived),
    failed: failed.map(timestampOf),
    agent: agent
      ? {
          version: agent.version,
          waiting: agent.waiting,
          clock_difference_s: agent.aheadMs === null ? null : agent.aheadMs / 1_000,
        }
      : null,
  }));
}

/** Finds the till agents of a retailer, and the tills whose packets failed. */
export function findTillContacts({
  failed,
  tillAgents,
}: Pick<Dependencies, 'failed' | 'tillAgents'>): Handler<typeof contract> {
  return async ({ body }, call) => {
    const [agents, failures] = await Promise.all([
      tillAgents.find(call.retailer, call),
      failed.ofTills(call.retailer, new Date(body.since), failuresMax, call),
    ]);
    return { body: { contacts: contactsOf(agents, failures) } };
  };
}
