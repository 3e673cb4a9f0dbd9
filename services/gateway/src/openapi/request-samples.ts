import type { Operation, Parameter } from './operation-groups';

/** An example request. */
export interface SampleRequest {
  readonly method: string;
  /** The path template. */
  readonly template: string;
  /** The path with the values of its parameters, and the query. */
  readonly target: string;
  readonly pathValues: Readonly<Record<string, string>>;
  readonly queryValues: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

const quoted = (text: string) => JSON.stringify(text);
const indented = (text: string) => text.replaceAll('\n', '\n  ');

/** The value that a sample shows for a parameter. */
export function sampleValue({ example, schema }: Parameter): string {
  const [first] = [schema['examples']].flat();
  const [word] = [schema['enum']].flat();
  const value =
    [[example].flat()[0], first, schema['default'], word].find((one) => one !== undefined) ?? 'text';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** @param body the example of the body */
export function sampleRequest(operation: Operation, body: string | undefined): SampleRequest {
  const { parameters, method, path, isPublic } = operation;
  const valuesIn = (place: Parameter['in']) =>
    Object.fromEntries(
      parameters
        .filter((one) => one.in === place && one.required === true)
        .map((one) => [one.name, sampleValue(one)]),
    );
  const [pathValues, queryValues] = [valuesIn('path'), valuesIn('query')];
  const filled = path.replace(/\{(\w+)\}/g, (_all, name: string) =>
    encodeURIComponent(pathValues[name] ?? name),
  );
  const query = new URLSearchParams(queryValues).toString();
  const [type] = Object.keys(operation.body);
  return {
    ...{ method, template: path, pathValues, queryValues, body },
    target: query === '' ? filled : `${filled}?${query}`,
    headers: {
      ...(!isPublic && { Authorization: 'Bearer YOUR_TOKEN' }),
      ...(body !== undefined && {
        'Content-Type': type === '*/*' ? 'text/plain' : (type ?? 'application/json'),
      }),
      ...(parameters.some(({ name }) => name === 'Idempotency-Key') && { 'Idempotency-Key': 'A_NEW_UUID' }),
      ...valuesIn('header'),
    },
  };
}

/** The script of the documentation replaces it with the address from which the page was loaded. */
export const sampleHost = 'https://receipts.example';

function curl({ method, target, headers, body }: SampleRequest): string {
  const shell = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${shell(sampleHost + target)}`,
    ...Object.entries(headers).map(([name, value]) =>
      value === 'A_NEW_UUID' ? `  -H "${name}: $(uuidgen)"` : `  -H ${shell(`${name}: ${value}`)}`,
    ),
    ...(body === undefined ? [] : [`  --data-binary ${shell(body)}`]),
  ];
  return lines.join(' \\\n');
}

/** Uses our client, which adds credentials and an idempotency key, and retries. */
function javascript({ method, template, pathValues, queryValues, headers, body }: SampleRequest): string {
  const literal = (value: object) => JSON.stringify(value, null, 2).replace(/"(\w+)":/g, '$1:');
  const isJson = headers['Content-Type'] === 'application/json';
  const params = {
    ...(Object.keys(pathValues).length > 0 && { path: pathValues }),
    ...(Object.keys(queryValues).length > 0 && { query: queryValues }),
  };
  const isPatch = headers['Content-Type'] === 'application/json-patch+json';
  const options = [
    ...(Object.keys(params).length > 0 ? [`params: ${indented(literal(params))},`] : []),
    ...(isPatch ? ['headers: jsonPatch,'] : []),
    ...(body === undefined ? [] : [`body: ${indented(isJson || isPatch ? body : quoted(body))},`]),
  ];
  const names = ['createReceiptsClient', 'dataOf', ...(isPatch ? ['jsonPatch'] : [])];
  const argument = options.length === 0 ? '' : `, {\n  ${options.join('\n  ')}\n}`;
  return [
    `import { ${names.join(', ')} } from '@receipts/client';`,
    '',
    `const client = createReceiptsClient({ baseUrl: '${sampleHost}', credential: { token: 'YOUR_TOKEN' } });`,
    `const data = await dataOf(client.${method}('${template}'${argument}));`,
  ].join('\n');
}

function python({ method, target, headers, body }: SampleRequest): string {
  const value = (text: string) => (text === 'A_NEW_UUID' ? 'str(uuid.uuid4())' : quoted(text));
  const text = body === undefined || /'''|\\/.test(body) ? quoted(body ?? '') : `'''${body}'''`;
  return [
    ...('Idempotency-Key' in headers ? ['import uuid'] : []),
    'import requests',
    '',
    `response = requests.request(`,
    `    ${quoted(method)},`,
    `    ${quoted(sampleHost + target)},`,
    '    headers={',
    ...Object.entries(headers).map(([name, header]) => `        ${quoted(name)}: ${value(header)},`),
    '    },',
    ...(body === undefined ? [] : [`    data=${text}.encode(),`]),
    '    timeout=30,',
    ')',
    'print(response.status_code, response.text)',
  ].join('\n');
}

function java({ method, target, headers, body }: SampleRequest): string {
  const value = (text: string) =>
    text === 'A_NEW_UUID' ? 'java.util.UUID.randomUUID().toString()' : quoted(text);
  const publisher = body === undefined ? 'noBody()' : `ofString("""\n${body.replaceAll('\\', '\\\\')}""")`;
  return [
    'var request = java.net.http.HttpRequest.newBuilder()',
    `    .uri(java.net.URI.create(${quoted(sampleHost + target)}))`,
    ...Object.entries(headers).map(([name, header]) => `    .header(${quoted(name)}, ${value(header)})`),
    `    .method(${quoted(method)}, java.net.http.HttpRequest.BodyPublishers.${publisher})`,
    '    .build();',
    'var response = java.net.http.HttpClient.newHttpClient()',
    '    .send(request, java.net.http.HttpResponse.BodyHandlers.ofString());',
    'System.out.println(response.statusCode() + " " + response.body());',
  ].join('\n');
}

function csharp({ method, target, headers, body }: SampleRequest): string {
  const value = (text: string) => (text === 'A_NEW_UUID' ? 'Guid.NewGuid().ToString()' : quoted(text));
  const { 'Content-Type': type = 'application/json', ...others } = headers;
  return [
    'using var client = new HttpClient();',
    `using var request = new HttpRequestMessage(new HttpMethod(${quoted(method)}), ${quoted(sampleHost + target)});`,
    ...Object.entries(others).map(
      ([name, header]) => `request.Headers.TryAddWithoutValidation(${quoted(name)}, ${value(header)});`,
    ),
    ...(body === undefined
      ? []
      : [
          `request.Content = new StringContent("""\n${body}\n""", System.Text.Encoding.UTF8);`,
          `request.Content.Headers.ContentType = new(${quoted(type)});`,
        ]),
    'using var response = await client.SendAsync(request);',
    'Console.WriteLine($"{(int)response.StatusCode} {await response.Content.ReadAsStringAsync()}");',
  ].join('\n');
}

/** The programs that send an example request, in the order of their tabs. */
export const sampleLanguages = [
  { name: 'curl', title: 'curl', write: curl },
  { name: 'javascript', title: 'JavaScript', write: javascript },
  { name: 'python', title: 'Python', write: python },
  { name: 'java', title: 'Java', write: java },
  { name: 'csharp', title: 'C#', write: csharp },
] as const;
