'use strict';

/**
 * Programs that send a request, for the tabs beside the curl command. Each receives `{url, method, headers, body}` from
 * the library.
 */
globalThis.requestSamples = (() => {
  const quoted = (text) => JSON.stringify(text);
  const bodyOf = (request) => {
    const body = request.get('body');
    return body === undefined || body === null ? undefined : String(body);
  };
  const headersOf = (request) => [...(request.get('headers') ?? [])];
  const indented = (lines, by) => lines.map((line) => `${by}${line}`).join('\n');
  const pythonText = (text) => (text.includes("'''") || text.includes('\\') ? quoted(text) : `'''${text}'''`);

  function javascript(request) {
    const headers = headersOf(request).map(([name, value]) => `${quoted(name)}: ${quoted(value)},`);
    const body = bodyOf(request);
    const options = [
      `method: ${quoted(request.get('method'))},`,
      ...(headers.length === 0 ? [] : ['headers: {', indented(headers, '  '), '},']),
      ...(body === undefined ? [] : [`body: ${quoted(body)},`]),
    ];
    return `const response = await fetch(${quoted(request.get('url'))}, {\n${indented(options.join('\n').split('\n'), '  ')}\n});\nconsole.log(response.status, await response.text());`;
  }

  function python(request) {
    const headers = headersOf(request).map(([name, value]) => `${quoted(name)}: ${quoted(value)},`);
    const body = bodyOf(request);
    const options = [
      `${quoted(request.get('method'))},`,
      `${quoted(request.get('url'))},`,
      ...(headers.length === 0 ? [] : ['headers={', indented(headers, '    '), '},']),
      ...(body === undefined ? [] : [`data=${pythonText(body)}.encode(),`]),
    ];
    return `import requests\n\nresponse = requests.request(\n${options.map((line) => indented(line.startsWith('data=') ? [line] : line.split('\n'), '    ')).join('\n')}\n)\nprint(response.status_code, response.text)`;
  }

  function java(request) {
    const headers = headersOf(request).map(
      ([name, value]) => `    .header(${quoted(name)}, ${quoted(value)})`,
    );
    const body = bodyOf(request);
    const publisher = body === undefined ? 'noBody()' : `ofString(${quoted(body)})`;
    return [
      'var request = java.net.http.HttpRequest.newBuilder()',
      `    .uri(java.net.URI.create(${quoted(request.get('url'))}))`,
      ...headers,
      `    .method(${quoted(request.get('method'))}, java.net.http.HttpRequest.BodyPublishers.${publisher})`,
      '    .build();',
      'var response = java.net.http.HttpClient.newHttpClient()',
      '    .send(request, java.net.http.HttpResponse.BodyHandlers.ofString());',
      'System.out.println(response.statusCode() + " " + response.body());',
    ].join('\n');
  }

  return { javascript, python, java };
})();
