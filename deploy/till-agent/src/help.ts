import { settingList, variableOf } from './settings';

const width = 34;

function settingHelp(): string {
  return Object.entries(settingList)
    .map(([name, setting]) => {
      const flag = `  --${name}${'value' in setting ? ` ${setting.value}` : ''}`;
      const start = flag.length < width ? flag.padEnd(width) : `${flag}\n${' '.repeat(width)}`;
      const usual = 'default' in setting ? ` Default: ${setting.default}.` : '';
      return `${start}${setting.description}${usual}`;
    })
    .join('\n');
}

/** The text of `--help`. */
export function helpText(): string {
  return `Accepts slips like a network printer, stores them on disk, and sends them to the receipt platform.

Usage:
  till-agent [settings]                 Run until stopped.
  till-agent resend [NAME...]           Send rejected slips again: those named, or all.

Settings:
${settingHelp()}

  -h, --help                      Show this text.
  --version                       Show the version.

Each setting can also come from the environment: --url is ${variableOf('url')}, --till-id is ${variableOf('till-id')}.
A flag takes precedence. The status is at http://127.0.0.1:9101/, metrics are at /metrics.
`;
}
