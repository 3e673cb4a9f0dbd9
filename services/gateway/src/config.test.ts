import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describeSettings } from '@receipts/host';
import { gatewaySettings } from './config';

it('docs/settings.md describes every setting with its default', () => {
  const docs = readFileSync(path.join(__dirname, '../../../docs/settings.md'), 'utf8');
  const rows = docs.split('\n').map((line) => line.split(' | '));
  for (const { name, description, default: value, required } of describeSettings(gatewaySettings)) {
    const row = rows.find(([first]) => first === `| \`${name}\``);
    const shown = value ? `\`${value}\`` : required ? 'required' : 'none';
    const listed = row?.[1]?.replaceAll('"', '').replace(/^``$/, 'none');
    expect([name, listed, row?.[3]]).toEqual([name, shown, `${description} |`]);
  }
});
