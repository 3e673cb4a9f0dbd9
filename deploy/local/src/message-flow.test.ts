import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ingestContracts, receiptStoreContracts, transformContracts } from '@receipts/contracts';

const root = path.resolve(__dirname, '../../..');
const read = (name: string) => readFileSync(path.join(root, name), 'utf8');

/** On the path of a packet, a service may ask those after it. */
const services = ['transform', 'receipt-store', 'ingest'];

/** They are sent from queue to queue, and nobody waits for an answer. */
const sent = [
  transformContracts.convertPacket,
  receiptStoreContracts.addConvertedReceipts,
  ingestContracts.finishPacket,
].map(({ name }): string => name);

interface Request {
  readonly asker: string;
  readonly owner: string;
  readonly contract: string;
}

/** The requests between these services, from the list that `npm run check` keeps current. */
function requests(): Request[] {
  const rows = read('docs/messages.md').matchAll(/^\| (\S+) \| sends requests to \| (\S+) \| (.+) \|$/gm);
  return [...rows]
    .flatMap(([, asker = '', owner = '', names = '']) =>
      [...names.matchAll(/`([^`]+)`/g)].map(([, contract = '']) => ({ asker, owner, contract })),
    )
    .filter(({ asker, owner }) => services.includes(asker) && services.includes(owner))
    .filter(({ contract }) => !sent.includes(contract));
}

const goesBack = ({ asker, owner }: Request) => services.indexOf(asker) > services.indexOf(owner);

it('a service of the path asks those after it, and is asked back only for what it has stored', () => {
  const all = requests();
  expect(all.some((request) => !goesBack(request))).toBe(true);
  const back = all.filter(goesBack).map(({ asker, contract }) => `${asker} asks ${contract}`);
  expect(back).toEqual([
    'ingest asks receipt-store.find-receipt-with-attachment',
    'ingest asks receipt-store.has-receipt',
  ]);
});

it.each(requests().filter(goesBack))(
  'the answer to $contract needs no other service',
  ({ owner, contract }) => {
    const useCase = read(`services/${owner}/src/use-cases/${contract.split('.')[1]}.ts`);
    expect(useCase).toContain('receipts.find');
    expect(useCase).not.toMatch(/\b(ask|broker|Dependencies)\b/);
  },
);
