// Verifies the proof of a receipt without the platform:
//   npm install jose canonicalize
//   curl -s $URL/.well-known/jwks.json > jwks.json
//   node verify-proof.mjs jwks.json receipt.jws [receipt.json]
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import canonicalize from 'canonicalize';
import { compactVerify, createLocalJWKSet } from 'jose';

const [keys, proof, receipt] = process.argv.slice(2).map((file) => readFileSync(file, 'utf8'));
if (proof === undefined) throw new Error('usage: verify-proof.mjs jwks.json receipt.jws [receipt.json]');

const { payload: bytes, protectedHeader } = await compactVerify(
  proof.trim(),
  createLocalJWKSet(JSON.parse(keys)),
  { algorithms: ['ES256'] },
);
if (protectedHeader.typ !== 'receipt+jwt') throw new Error('this is not a proof of a receipt');
const payload = JSON.parse(new TextDecoder().decode(bytes));

if (receipt !== undefined) {
  const { checks: _, ...content } = JSON.parse(receipt);
  const digest = createHash('sha256').update(canonicalize(content)).digest('base64url');
  if (digest !== payload.sha256) throw new Error('the receipt does not match its proof');
}
console.log(JSON.stringify(payload));
