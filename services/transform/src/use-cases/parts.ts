import type { Broker } from '@receipts/messaging';
import type { Sandbox } from '../sandbox/sandbox';
import type { ActiveMappings } from '../storage/active-mappings';
import type { Mappings } from '../storage/mappings';

/** The dependencies of the use cases. */
export interface Parts {
  readonly mappings: Mappings;
  readonly activeMappings: ActiveMappings;
  readonly sandbox: Pick<Sandbox, 'run' | 'averageMs' | 'backlogMs'>;
  readonly broker: Pick<Broker, 'ask' | 'send'>;
  readonly now: () => Date;
  /** Counts the outcomes of packets: `converted`, `postponed`, or the reason for the failure. */
  readonly countOutcome: (outcome: string) => void;
}
