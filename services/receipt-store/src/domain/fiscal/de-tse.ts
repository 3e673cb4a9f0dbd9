import type { ReturnedItem, ReturnedReceipt } from '@receipts/contracts';
import type { Decimal } from '@receipts/kernel';
import { isSignatureValid, readSignerKey } from './ecdsa';
import {
  amountFindings,
  codePath,
  fieldFinding,
  malformed,
  missingCode,
  signatureFinding,
  sumOf,
  type Fiscal,
  type FiscalFinding,
} from './finding';
import { memberFindings, readTseCode, serialsOf } from './tse-code';
import { logMessage, signatureAlgorithms, type TseCode } from './tse-log-message';

const salePattern = /^[Kk]assen[Bb]eleg-V1$/;
const transactionType =
  /^(?:Beleg|AVTransfer|AVBestellung|AVTraining|AVBelegstorno|AVBelegabbruch|AVSachbezug|AVSonstige|AVRechnung)$/;
const grossAmounts = /^-?\d{1,15}\.\d\d(?:_-?\d{1,15}\.\d\d){4}$/;
const paymentAmounts =
  /^(?:-?\d{1,15}\.\d\d:(?:Bar|Unbar)(?::[A-Z]{3})?(?:_-?\d{1,15}\.\d\d:(?:Bar|Unbar)(?::[A-Z]{3})?)*)?$/;

/** The rates of the first, second and fifth tax key; both rates were lower in the second half of 2020. */
const untaxedKey = 4;
const ratesOfKeys: readonly { readonly key: number; readonly rates: readonly number[] }[] = [
  { key: 0, rates: [19, 16] },
  { key: 1, rates: [7, 5] },
  { key: untaxedKey, rates: [0] },
];

/** The rate that an item states; undefined if it states none or several. */
function rateOf({ taxes, vat }: Pick<ReturnedItem, 'taxes' | 'vat'>): number | undefined {
  if (taxes.length > 1) return undefined;
  return taxes[0] ? (taxes[0].rate ?? undefined) : vat?.rate;
}

/** The gross amounts by rate; undefined unless every item and charge states its rate. */
function grossByRate({ items, charges, discounts }: ReturnedReceipt) {
  const lines = [
    ...items.map((item) => ({ rate: rateOf(item), gross: item.gross ?? item.total })),
    ...charges.map(({ taxes, amount }) => ({ rate: rateOf({ taxes, vat: null }), gross: amount })),
  ];
  const isKnown = discounts.length === 0 && lines.every(({ rate }) => rate !== undefined);
  return isKnown ? lines : undefined;
}

/** Compares an amount with a sum that may include tips, which some tills sign and others do not. */
function withTips(expected: readonly number[], tips: readonly number[], signed: Decimal): FiscalFinding[] {
  const isWithTips = amountFindings(sumOf([...expected, ...tips]), signed).length === 0;
  return isWithTips ? [] : amountFindings(sumOf(expected), signed);
}

function saleFindings(data: string, receipt: ReturnedReceipt): FiscalFinding[] {
  const [type, gross = '', payments, ...rest] = data.split('^');
  if (rest.length > 0) return [fieldFinding(codePath, 'type^gross amounts^payments', data)];
  const wrong = malformed([
    ['type of the transaction', type, transactionType],
    ['five gross amounts', gross, grossAmounts],
    ['payments', payments, paymentAmounts],
  ]);
  if (wrong.length > 0) return wrong;
  const amounts = gross.split('_');
  const tips = receipt.payments.flatMap(({ tip }) => tip ?? []);
  const lines = grossByRate(receipt) ?? [];
  const byKey = lines.length === 0 ? [] : ratesOfKeys;
  return [
    ...withTips([receipt.total], tips, sumOf(amounts)),
    ...byKey.flatMap(({ key, rates }) => {
      const same = lines.filter(({ rate }) => rates.includes(rate as number)).map((line) => line.gross);
      return withTips(same, key === untaxedKey ? tips : [], sumOf([amounts[key] as string]));
    }),
  ];
}

function signatureFindings(code: TseCode): FiscalFinding[] {
  const algorithm = signatureAlgorithms[code.algorithm];
  // The Schnorr variant (ecsdsa) cannot be checked.
  if (!algorithm) return [];
  const publicKey = Buffer.from(code.publicKey, 'base64');
  const signature = Buffer.from(code.signature, 'base64');
  const key = readSignerKey(publicKey);
  const isValid =
    key !== undefined &&
    serialsOf(publicKey, key).some((serial) =>
      isSignatureValid(algorithm.hash, logMessage(code, serial, algorithm.number), key, signature),
    );
  return isValid ? [] : [signatureFinding(code.signature)];
}

/** Times are compared in seconds, because a security module does not count shorter times. */
const isSameTime = (one: string, other: string) =>
  Math.floor(Date.parse(one) / 1000) === Math.floor(Date.parse(other) / 1000);

const isSameNumber = (number: string, { transaction }: TseCode) =>
  number.replace(/^0+(?=\d)/, '') === transaction.replace(/^0+(?=\d)/, '');

function agreementFindings(code: TseCode, fiscal: Fiscal): FiscalFinding[] {
  const { device_id: device, number, counter, started, finished } = fiscal;
  const differs = (name: string, expected: string, actual: string, agrees: boolean) =>
    agrees ? [] : [fieldFinding(`/fiscal/${name}`, expected, actual)];
  const publicKey = Buffer.from(code.publicKey, 'base64');
  const serials = serialsOf(publicKey, readSignerKey(publicKey));
  const names = serials.flatMap((serial) => [serial.toString('hex'), serial.toString('base64')]);
  const isDevice = (id: string) =>
    id === code.client || names.includes(id) || names.includes(id.toLowerCase());
  return [
    ...(number === null ? [] : differs('number', code.transaction, number, isSameNumber(number, code))),
    ...(counter === null
      ? []
      : differs('counter', code.counter, String(counter), BigInt(counter) === BigInt(code.counter))),
    ...(started === null ? [] : differs('started', code.start, started, isSameTime(started, code.start))),
    ...(finished === null
      ? []
      : differs('finished', code.logTime, finished, isSameTime(finished, code.logTime))),
    ...(device === null ? [] : differs('device_id', names[0] as string, device, isDevice(device))),
  ];
}

/** Section 6 of KassenSichV: a receipt needs no code if all its facts are printed as text. */
const isComplete = ({ device_id, number, counter, started, finished, signature }: Fiscal) =>
  [device_id, number, counter, started, finished, signature].every((fact) => fact !== null);

/**
 * Checks the code of a German security module (TSE). Its members and the data of a sale are described in DSFinV-K,
 * appendix I; the signed message in BSI TR-03151, 5.4; the serial number, which is the SHA-256 digest of the public key,
 * in BSI TR-03153; the signature in BSI TR-03111.
 */
export function checkDeTse(receipt: ReturnedReceipt, fiscal: Fiscal): FiscalFinding[] {
  const { qr } = fiscal;
  if (qr === null) return isComplete(fiscal) ? [] : missingCode('V0;client id;…;public key');
  const code = readTseCode(qr);
  if (!code) return [fieldFinding(codePath, 'V0;client id;…;public key', qr)];
  const wrong = memberFindings(code);
  if (wrong.length > 0) return wrong;
  return [
    ...signatureFindings(code),
    ...(salePattern.test(code.processType) ? saleFindings(code.processData, receipt) : []),
    ...agreementFindings(code, fiscal),
  ];
}
