import { identifierContracts, type ReceiptFormat, type ReturnedReceipt } from '@receipts/contracts';
import { delegatedCall, unlessStatus, type Call } from '@receipts/kernel';
import type { Buyer } from '../domain/formats/invoice';
import { receiptFile, type ReceiptFile } from '../domain/formats/receipt-file';
import type { Dependencies } from './dependencies';

const notFoundStatus = 404;
const textOf = (value: unknown) => (typeof value === 'string' && value.trim() !== '' ? value : null);
const textsOf = (value: unknown) => (Array.isArray(value) ? value.flatMap((line) => textOf(line) ?? []) : []);

/** Undefined unless the properties of an identifier have a name and an address. */
export function buyerOf(properties: Readonly<Record<string, unknown>>): Buyer | undefined {
  const { name: parts, address, house_number: houseNumber } = properties;
  const { title, first, middle, last } = (parts ?? {}) as Readonly<Record<string, unknown>>;
  const name = [title, first, middle, last].flatMap((part) => textOf(part) ?? []).join(' ');
  const [street, ...more] = textsOf(address);
  if (name === '' || street === undefined) return undefined;
  const number = textOf(houseNumber);
  return {
    name,
    address: [number === null || street.includes(number) ? street : `${street} ${number}`, ...more],
    city: textOf(properties['city']),
    postcode: textOf(properties['postcode']),
  };
}

/** Only an invoice names its buyer. */
async function findBuyer({ ask, now }: Dependencies, text: Buffer, call: Call): Promise<Buyer | undefined> {
  const { identifier } = JSON.parse(text.toString()) as ReturnedReceipt;
  if (identifier === null) return undefined;
  const inner = delegatedCall('receipt-store', call, now().getTime());
  const request = ask(identifierContracts.getIdentifier, { params: { identifier } }, inner);
  const found = await unlessStatus(request, notFoundStatus);
  return found && buyerOf(found.body.properties);
}

/**
 * A receipt as a file that its consumer takes along.
 * @throws ServiceError 422 `not_an_invoice`
 */
export async function takeAlong(
  deps: Dependencies,
  text: Buffer,
  format: ReceiptFormat,
  call: Call,
): Promise<ReceiptFile> {
  const buyer = format === 'ubl' ? await findBuyer(deps, text, call) : undefined;
  return receiptFile(text.toString(), format, buyer);
}
