import { createHash } from 'node:crypto';
import { readDateTime } from '@receipts/contracts';
import type { SignerKey } from './ecdsa';
import { codePath, fieldFinding, malformed, type FiscalFinding } from './finding';
import type { TseCode } from './tse-log-message';

const membersBefore = 3;
const membersAfter = 8;

/** The members of a code; the data of other processes than sales is free text, which may contain semicolons. */
export function readTseCode(code: string): TseCode | undefined {
  const members = code.split(';');
  if (members.length <= membersBefore + membersAfter) return undefined;
  const [version = '', client = '', processType = ''] = members;
  const [
    transaction = '',
    counter = '',
    start = '',
    logTime = '',
    algorithm = '',
    timeFormat = '',
    signature = '',
    publicKey = '',
  ] = members.slice(-membersAfter);
  const processData = members.slice(membersBefore, -membersAfter).join(';');
  return {
    version,
    client,
    processType,
    processData,
    transaction,
    counter,
    start,
    logTime,
    algorithm,
    timeFormat,
    signature,
    publicKey,
  };
}

const base64 = /^(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const count = /^\d{1,20}$/;
const utcTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;
const algorithmPattern = /^ecs?dsa-plain-SHA(?:3-)?(?:224|256|384|512)$/;
const timeFormatPattern =
  /^(?:unixTime|utcTime|utcTimeWithSeconds|generalizedTime|generalizedTimeWithMilliseconds)$/;

const isTime = (text: string) => utcTime.test(text) && readDateTime(text) !== undefined;

/** DSFinV-K, appendix I: the members of the code. */
export function memberFindings(code: TseCode): FiscalFinding[] {
  const times = (['start', 'logTime'] as const).filter((name) => !isTime(code[name]));
  return [
    ...malformed([
      ['version: V0', code.version, /^V0$/],
      ['client id of the till', code.client, /./],
      ['process type', code.processType, /./],
      ['transaction number', code.transaction, count],
      ['signature counter', code.counter, count],
      ['algorithm of the signature', code.algorithm, algorithmPattern],
      ['format of the log time', code.timeFormat, timeFormatPattern],
      ['signature: base64', code.signature, base64],
      ['public key: base64', code.publicKey, base64],
    ]),
    ...times.map((name) => fieldFinding(codePath, name === 'start' ? 'start time' : 'log time', code[name])),
  ];
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest();

/** The serial numbers that a module with this key may have: the digest of the point, or of the whole key. */
export function serialsOf(publicKey: Buffer, key: SignerKey | undefined): readonly Buffer[] {
  const isPoint = !key || key.point.length === publicKey.length;
  return isPoint ? [sha256(publicKey)] : [sha256(key.point), sha256(publicKey)];
}
