import { worstLamp, type Lamp, type StatusLine } from './agent-status';

const meanings: Record<Lamp, string> = {
  green: 'All slips have been sent.',
  yellow: 'Slips are waiting. They will be sent or printed later without your help.',
  red: 'Your help is needed.',
};

const style = `
:root { color-scheme: light dark; --green: #1a7f37; --yellow: #9a6700; --red: #cf222e; }
@media (prefers-color-scheme: dark) { :root { --green: #4ac26b; --yellow: #e3b341; --red: #ff7b72; } }
body { font: 1.125rem/1.5 system-ui, sans-serif; max-width: 42rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; }
p.lamp { font-size: 1.25rem; font-weight: 600; }
th { text-align: left; vertical-align: top; padding: .5rem 1.5rem .5rem 0; white-space: nowrap; }
td { padding: .5rem 0; overflow-wrap: anywhere; }
.green { color: var(--green); } .yellow { color: var(--yellow); } .red { color: var(--red); }
`;

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string) => text.replace(/[&<>"]/g, (character) => entities[character] ?? '');
const lampOf = (lamp: Lamp) => `<span class="${lamp}">● ${lamp}</span>`;

/** The status as a page that refreshes itself. */
export function statusPage(title: string, lines: readonly StatusLine[]): string {
  const lamp = worstLamp(lines);
  const rows = lines.map(
    (line) =>
      `<tr><th scope="row">${escaped(line.name)}</th><td>${lampOf(line.lamp)}<br>${escaped(line.text)}</td></tr>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="5">
<title>${lamp}: ${escaped(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
<p class="lamp">${lampOf(lamp)}: ${meanings[lamp]}</p>
<table>
${rows.join('\n')}
</table>
</main>
</body>
</html>
`;
}
