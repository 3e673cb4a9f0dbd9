import { readFileSync } from 'node:fs';
import path from 'node:path';
import { boundCommands } from './bound-commands';

const root = path.resolve(__dirname, '../../../..');

afterEach(() => jest.restoreAllMocks());

test.each(['libs/messaging/README.md', 'deploy/kubernetes/README.md'])(
  '%s prints the configured policy',
  async (file) => {
    const put = jest.spyOn(globalThis, 'fetch').mockResolvedValue(new Response(null, { status: 204 }));
    const broker = { managementUrl: 'http://admin:secret@broker:15672', amqpUrl: 'amqp://broker' };
    await boundCommands({ ...broker, platform: 'receipts', bytesMax: 8_000_000_000 });
    const [url, request] = put.mock.calls[0] ?? [];
    const { pattern, definition, 'apply-to': applyTo } = JSON.parse(String(request?.body));
    const name = decodeURIComponent(String(url).split('/').at(-1)!);
    const [command] = readFileSync(path.join(root, file), 'utf8').match(/rabbitmqctl set_policy .*/) ?? [];
    const [, printed] = command?.match(/'(\{.*\})'/) ?? [];
    expect(command).toContain(`--apply-to ${applyTo} ${name} '${pattern}' '`);
    expect(JSON.parse(String(printed))).toEqual(definition);
  },
);
