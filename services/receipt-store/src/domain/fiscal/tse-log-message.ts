import { tlv } from './ecdsa';

/** The members of the code of a German security module. */
export interface TseCode {
  readonly version: string;
  /** The id of the till. */
  readonly client: string;
  readonly processType: string;
  readonly processData: string;
  readonly transaction: string;
  readonly counter: string;
  readonly start: string;
  readonly logTime: string;
  readonly algorithm: string;
  readonly timeFormat: string;
  readonly signature: string;
  readonly publicKey: string;
}

/** The object identifiers of TR-03111, 5.2.1: `ecdsa-plain-SHA256` is 0.4.0.127.0.7.1.1.4.1.3. */
const ecdsaPlain = '04007f000701010401';
export const signatureAlgorithms: Readonly<
  Record<string, { readonly hash: string; readonly number: number }>
> = {
  'ecdsa-plain-SHA224': { hash: 'sha224', number: 2 },
  'ecdsa-plain-SHA256': { hash: 'sha256', number: 3 },
  'ecdsa-plain-SHA384': { hash: 'sha384', number: 4 },
  'ecdsa-plain-SHA512': { hash: 'sha512', number: 5 },
  'ecdsa-plain-SHA3-224': { hash: 'sha3-224', number: 8 },
  'ecdsa-plain-SHA3-256': { hash: 'sha3-256', number: 9 },
  'ecdsa-plain-SHA3-384': { hash: 'sha3-384', number: 10 },
  'ecdsa-plain-SHA3-512': { hash: 'sha3-512', number: 11 },
};

/** A DER integer without its tag. */
function integerOf(value: bigint): Buffer {
  const hex = value.toString(16);
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
  return (bytes[0] as number) > 0x7f ? Buffer.concat([Buffer.alloc(1), bytes]) : bytes;
}

const utcTimeDigits = 'YYMMDDhhmm'.length;

/** The log time in the format that the code names. */
function logTimeOf({ logTime, timeFormat }: TseCode): Buffer {
  const seconds = Math.floor(Date.parse(logTime) / 1000);
  if (timeFormat === 'unixTime') return tlv(0x02, integerOf(BigInt(seconds)));
  const digits = new Date(Date.parse(logTime)).toISOString().replace(/\D/g, '');
  const whole = digits.slice(0, 'YYYYMMDDhhmmss'.length);
  const fraction = digits.slice(whole.length).replace(/0+$/, '');
  const texts: Readonly<Record<string, string>> = {
    utcTime: `${whole.slice(2, 2 + utcTimeDigits)}Z`,
    utcTimeWithSeconds: `${whole.slice(2)}Z`,
    generalizedTime: `${whole}Z`,
    generalizedTimeWithMilliseconds: `${whole}${fraction === '' ? '' : `.${fraction}`}Z`,
  };
  const tag = timeFormat.startsWith('utc') ? 0x17 : 0x18;
  return tlv(tag, Buffer.from(texts[timeFormat] ?? '', 'latin1'));
}

/**
 * The bytes that the security module signs: the log message of the end of a transaction (TR-03151, 5.4) without its
 * envelope and its signature. The start of the transaction is not in it.
 * @param serial the serial number of the module
 */
export function logMessage(code: TseCode, serial: Buffer, algorithm: number): Buffer {
  const text = (tag: number, value: string) => tlv(tag, Buffer.from(value));
  const signatureAlgorithm = Buffer.concat([Buffer.from(ecdsaPlain, 'hex'), Buffer.from([algorithm])]);
  return Buffer.concat([
    tlv(0x02, Buffer.from([2])),
    tlv(0x06, Buffer.from('04007f000703070101', 'hex')),
    text(0x80, 'FinishTransaction'),
    text(0x81, code.client),
    text(0x82, code.processData),
    text(0x83, code.processType),
    tlv(0x85, integerOf(BigInt(code.transaction))),
    tlv(0x04, serial),
    tlv(0x30, tlv(0x06, signatureAlgorithm)),
    tlv(0x02, integerOf(BigInt(code.counter))),
    logTimeOf(code),
  ]);
}
