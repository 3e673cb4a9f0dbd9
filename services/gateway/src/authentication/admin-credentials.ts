import { adminContracts, type ClientCalls, type TokenUse } from '@receipts/contracts';
import { serviceCall } from '@receipts/kernel';
import type { Broker } from '@receipts/messaging';
import type { CredentialSource } from './credential-book';

const timeoutMs = 2_000;
const pageCredentialsMax = 500;
/** The limits of admin's contracts for one command. */
const usesMax = 1_000;
const clientsMax = 200;
const jtiCharactersMax = 64;

const callNow = () => serviceCall('gateway', Date.now(), '', timeoutMs);

export interface AdminCredentials extends CredentialSource {
  /** Reports to admin when tokens were last used. The time is for display only, so a report that fails is dropped. */
  recordTokenUses(uses: readonly TokenUse[]): Promise<void>;
  /** Reports the latest calls of clients, for display only. */
  recordCalls(clients: readonly ClientCalls[]): Promise<void>;
}

/** The credentials of admin, requested over the broker. */
export function adminCredentials(broker: Broker): AdminCredentials {
  const { listCredentials, findCredential, recordTokenUses, recordClientCalls } = adminContracts;
  return {
    async list(after) {
      const page = { count: pageCredentialsMax, ...(after !== undefined && { after }) };
      const { body } = await broker.ask(listCredentials, { body: page }, callNow());
      return body;
    },
    async find(key) {
      const { body } = await broker.ask(findCredential, { body: { key } }, callNow());
      return body.credential;
    },
    async recordTokenUses(uses) {
      const recorded = uses.filter(({ jti }) => jti.length <= jtiCharactersMax);
      for (let from = 0; from < recorded.length; from += usesMax) {
        const body = { uses: recorded.slice(from, from + usesMax) };
        await broker.ask(recordTokenUses, { body }, callNow());
      }
    },
    async recordCalls(clients) {
      for (let from = 0; from < clients.length; from += clientsMax) {
        const body = { clients: clients.slice(from, from + clientsMax) };
        await broker.ask(recordClientCalls, { body }, callNow());
      }
    },
  };
}
