import { X509Certificate } from 'node:crypto';
import type { ReturnedReceipt } from '@receipts/contracts';
import { isSignatureValid, readSignerKey, type SignerKey } from './ecdsa';
import {
  amountFindings,
  codePath,
  fieldFinding,
  malformed,
  missingCode,
  numberFindings,
  signatureFinding,
  sumOf,
  type Fiscal,
  type FiscalFinding,
} from './finding';

interface RksvCode {
  readonly start: string;
  readonly suite: string;
  readonly till: string;
  readonly number: string;
  readonly time: string;
  readonly amounts: readonly string[];
  readonly turnover: string;
  readonly certificate: string;
  readonly previous: string;
  readonly signature: string;
}

const amountsCount = 5;
const membersCount = 14;

/** The members of a code; undefined if there are too few. A signature in base64url may contain underscores. */
function read(code: string): RksvCode | undefined {
  const members = code.split('_');
  if (members.length < membersCount) return undefined;
  const [start = '', suite = '', till = '', number = '', time = '', ...more] = members;
  const [turnover = '', certificate = '', previous = '', ...signature] = more.slice(amountsCount);
  return {
    start,
    suite,
    till,
    number,
    time,
    amounts: more.slice(0, amountsCount),
    turnover,
    certificate,
    previous,
    signature: signature.join('_'),
  };
}

const base32Digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const base32Pattern = /^[A-Z2-7]+=*$/;
const bitsOfDigit = 5;

/** RFC 4648, section 6. */
function readBase32(text: string): Buffer {
  const bytes: number[] = [];
  let bits = 0;
  let value = 0;
  for (const digit of text.replace(/=+$/, '')) {
    value = ((value << bitsOfDigit) | base32Digits.indexOf(digit)) & 0xfff;
    bits += bitsOfDigit;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((value >> bits) & 0xff);
  }
  return Buffer.from(bytes);
}

const signatureBytes = 64;
const base32SignatureLength = 104;

/** Codes that are read by OCR have base32 where others have base64. */
const isForOcr = ({ signature }: RksvCode) =>
  signature.length === base32SignatureLength && base32Pattern.test(signature);

/** The code with base64 in place of base32: what is signed does not depend on the form. */
function inBase64(code: RksvCode): RksvCode | undefined {
  const { turnover, previous, signature } = code;
  if (!base32Pattern.test(turnover) || !base32Pattern.test(previous)) return undefined;
  const turned = (text: string) => readBase32(text).toString('base64');
  return { ...code, turnover: turned(turnover), previous: turned(previous), signature: turned(signature) };
}

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const anyBase64 = /^[A-Za-z0-9+/_-]+={0,2}$/;
const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/;

/** Annex of RKSV, Z 12 to 14: the members of the code. */
function memberFindings(code: RksvCode): FiscalFinding[] {
  const isTime = timePattern.test(code.time) && !Number.isNaN(Date.parse(`${code.time}Z`));
  const wrong = malformed([
    ['start: _', code.start, /^$/],
    ['algorithm and trust service: R1-AT0', code.suite, /^R1-[A-Z]{2}\d{1,3}$/],
    ['id of the till', code.till, /./],
    ['number of the receipt', code.number, /./],
    ...code.amounts.map((amount) => ['amount', amount, /^-?\d{1,15},\d\d$/] as const),
    ['encrypted turnover', code.turnover, base64],
    ['serial number of the certificate', code.certificate, /./],
    ['digest of the previous receipt', code.previous, base64],
    ['signature', code.signature, anyBase64],
  ]);
  return isTime ? wrong : [...wrong, fieldFinding(codePath, 'time', code.time)];
}

const outage = 'Sicherheitseinrichtung ausgefallen';

/** A till that could not reach its signature device says so in place of the signature, and on the receipt. */
function outageFindings(signature: string, { texts }: Fiscal): FiscalFinding[] {
  const inCode = signature === outage || Buffer.from(signature, 'base64').toString() === outage;
  return [
    ...(inCode ? [signatureFinding(outage)] : []),
    ...texts.flatMap((text, n) =>
      text.includes(outage) ? [signatureFinding(outage, undefined, `/fiscal/texts/${n}`)] : [],
    ),
  ];
}

const curveName = 'prime256v1';
const certificatePath = '/fiscal/certificate';

/** The public key of a DER certificate, or the key itself. */
function keyOf(certificate: string): SignerKey | undefined {
  const bytes = Buffer.from(certificate, 'base64');
  const own = readSignerKey(bytes);
  if (own) return own;
  try {
    const { publicKey } = new X509Certificate(bytes);
    return readSignerKey(publicKey.export({ format: 'der', type: 'spki' }));
  } catch {
    return undefined;
  }
}

/** `{"alg":"ES256"}` in base64url, to the letter, because it is signed. */
const jwsHeader = 'eyJhbGciOiJFUzI1NiJ9';

function signatureFindings(code: RksvCode, { certificate }: Fiscal): FiscalFinding[] {
  const signature = Buffer.from(code.signature, 'base64');
  if (signature.length !== signatureBytes) return [signatureFinding(code.signature)];
  if (certificate === null) return [];
  const key = keyOf(certificate);
  if (key?.key.asymmetricKeyDetails?.namedCurve !== curveName) {
    return [fieldFinding(certificatePath, 'a certificate or public key on P-256', certificate)];
  }
  const { suite, till, number, time, amounts, turnover, certificate: serial, previous } = code;
  const payload = ['', suite, till, number, time, ...amounts, turnover, serial, previous].join('_');
  const message = Buffer.from(`${jwsHeader}.${Buffer.from(payload).toString('base64url')}`);
  return isSignatureValid('sha256', message, key, signature) ? [] : [signatureFinding(code.signature)];
}

const codeForm = '_R1-AT0_till_number_time_five amounts_turnover_certificate_previous_signature';

/**
 * Checks the machine-readable code of an Austrian till. The Cash Register Security Ordinance (RKSV, BGBl. II 410/2015)
 * describes its members in Z 12 to 14 of the annex, and its signature, a JWS with ES256 (RFC 7515), in Z 5.
 */
export function checkAtRksv(receipt: ReturnedReceipt, fiscal: Fiscal): FiscalFinding[] {
  if (fiscal.qr === null) return missingCode(codeForm);
  const found = read(fiscal.qr);
  const code = found && isForOcr(found) ? inBase64(found) : found;
  if (!code) return [fieldFinding(codePath, codeForm, fiscal.qr)];
  const outages = outageFindings(code.signature, fiscal);
  const isSigned = outages.every(({ path }) => path !== codePath);
  const wrong = memberFindings(isSigned ? code : { ...code, signature: 'outage' });
  if (wrong.length > 0) return [...outages, ...wrong];
  return [
    ...outages,
    ...(isSigned ? signatureFindings(code, fiscal) : []),
    ...amountFindings(sumOf([receipt.total]), sumOf(code.amounts.map((amount) => amount.replace(',', '.')))),
    ...numberFindings(fiscal.number, code.number),
  ];
}
