import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describeSettings } from '@receipts/host';
import { gatewaySettings } from './config';

it('every setting stands in the README, with its default and its meaning', () => {
  const readme = readFileSync(path.join(__dirname, '../README.md'), 'utf8').replace(/ +\|/g, ' |');
  for (const { name, description, default: value, required } of describeSettings(gatewaySettings)) {
    const shown = value ? `\`${value}\`` : required ? 'needed' : 'none';
    expect(readme).toContain(`| \`${name}\` | ${shown} | ${description} |`);
  }
});
