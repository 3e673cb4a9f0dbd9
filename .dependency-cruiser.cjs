/** The dependency rule: who may import whom. `deploy/local/check.mjs` also fails if nothing was checked. */
const libs =
  'client|concurrency|html|kernel|contracts|messaging|storage|host|search|search-language|json-patch|printer-commands|embedded-mongo';
const between = (name, from, to, comment) => ({ name, comment, severity: 'error', from, to });

module.exports = {
  forbidden: [
    between(
      'no-circular',
      {},
      { circular: true },
      'Circular dependencies make code and types hard to understand.',
    ),
    between(
      'concurrency-alone',
      { path: '^libs/(concurrency|html)/', pathNot: '\\.test\\.ts$' },
      { path: '^(libs/(?!$1/)|services/|deploy/)' },
      'When work runs, and how markup is written, does not depend on what it is for.',
    ),
    between(
      'kernel-alone',
      { path: '^libs/kernel/', pathNot: '\\.test\\.ts$' },
      { path: '^(libs/(?!kernel/|concurrency/)|services/|deploy/)' },
      'The kernel does not depend on any other library; concurrency lets it read large bodies in turns.',
    ),
    between(
      'libs-know-the-kernel-only',
      {
        path: '^libs/((?!concurrency/|kernel/|testing/|search/|host/)[^/]+)/',
        pathNot: '\\.test\\.ts$|/(bench|test)/',
      },
      { path: `^libs/(?!concurrency/|kernel/)`, pathNot: '^libs/$1/' },
      'Libraries are combined in services, not in one another.',
    ),
    between(
      'search-carries-out-the-language-in-the-store',
      { path: '^libs/search/', pathNot: '\\.test\\.ts$' },
      { path: '^libs/(?!concurrency/|kernel/|search/|search-language/|storage/)' },
      'Two services use search, which needs only the language and the store.',
    ),
    between(
      'host-connects-messaging-and-storage',
      { path: '^libs/host/', pathNot: '\\.test\\.ts$' },
      { path: '^libs/(?!concurrency/|kernel/|host/|messaging/|storage/)' },
      'This library runs a service, and connects everything that a service needs.',
    ),
    between(
      'till-agent-knows-published-packages-only',
      { path: '^deploy/till-agent/', pathNot: '\\.test\\.ts$|/src/testing/' },
      { path: '^(libs/(?!client/|printer-commands/)|services/|test-e2e/|deploy/(?!till-agent/))' },
      'The agent is installed on tills, from the registry.',
    ),
    between(
      'libs-know-no-service',
      { path: '^libs/(?!testing/)' },
      { path: '^(services|deploy|test-e2e)/' },
      'Services use libraries.',
    ),
    between(
      'testing-starts-infrastructure',
      { path: '^libs/testing/' },
      { path: '^(services|test-e2e)/|^deploy/local/src/(?!infrastructure\\.ts$)' },
      'Tests use only those parts of the launcher that start brokers and databases.',
    ),
    between(
      'services-apart',
      { path: '^services/([^/]+)/' },
      { path: '^services/(?!$1/)[^/]+/' },
      'Services communicate only through messages.',
    ),
    between(
      'libs-through-their-index',
      { path: '^(services|deploy|test-e2e)/' },
      {
        path: `^libs/(${libs}|testing)/src/(?!(?:index|json-depth|long-numbers|open-service|testing/index)\\.ts$)`,
      },
      'Everything that a library does not export is private.',
    ),
    between(
      'testing-in-tests-only',
      { path: '^services/', pathNot: '\\.test\\.ts$|/src/testing/' },
      { path: '^libs/(testing|embedded-mongo|(messaging|storage)/src/testing)/' },
      'Services run without the test harness.',
    ),
    between(
      'modules-of-delivery-apart',
      { path: '^services/delivery/src/(events|rendering)/', pathNot: '\\.test\\.ts$' },
      {
        path: '^services/delivery/src/(events|proofs|rendering|sending|webhooks)/',
        pathNot: '^services/delivery/src/$1/',
      },
      'Each module of a large service is independent of the others. They are combined in service.ts.',
    ),
    between(
      'sending-and-proofs-know-rendering-only',
      { path: '^services/delivery/src/(proofs|sending)/', pathNot: '\\.test\\.ts$' },
      {
        path: '^services/delivery/src/(events|proofs|sending|webhooks)/',
        pathNot: '^services/delivery/src/$1/',
      },
      'They use rendered receipts and pages, and are independent of events, webhooks and each other.',
    ),
    between(
      'webhooks-know-events-only',
      { path: '^services/delivery/src/webhooks/', pathNot: '\\.test\\.ts$' },
      { path: '^services/delivery/src/(proofs|rendering|sending)/' },
      'Webhooks deliver events from the log, and are independent of receipts sent to consumers and of proofs.',
    ),
    between(
      'modules-of-admin-apart',
      { path: '^services/admin/src/(registry|operations|portal)/', pathNot: '\\.test\\.ts$' },
      {
        path: '^services/admin/src/(registry|operations|portal)/',
        pathNot: '^services/admin/src/$1/',
      },
      'Each module of a large service is independent of the others. They are combined in service.ts, and the portal uses the records of the registry through registry-records.ts.',
    ),
    between(
      'modules-of-admin-through-their-front-doors',
      { path: '^services/admin/src/(service|main)\\.ts$' },
      { path: '^services/admin/src/(registry|portal|operations)/' },
      'registry.ts, portal.ts and operations.ts list what each module does.',
    ),
    between(
      'domain-is-pure',
      { path: '^services/[^/]+/src/(domain|[^/]+/domain)/', pathNot: '\\.test\\.ts$' },
      {
        path: '^(libs/(messaging|storage|host)/|services/[^/]+/src/(?!domain/|[^/]+/domain/)|node_modules/(amqplib|mongodb|express|winston)/)',
      },
      'Decisions do not perform I/O.',
    ),
    between(
      'amqplib-in-messaging',
      { path: '^(libs/(?!messaging/|testing/)|services/)', pathNot: '\\.test\\.ts$' },
      { path: 'node_modules/amqplib/' },
      'Only messaging uses AMQP.',
    ),
    between(
      'mongodb-in-storage',
      {
        path: '^(libs|services/[^/]+/src)/',
        pathNot:
          '^libs/((storage|search|embedded-mongo|testing)/|host/src/open-service\\.ts)|/src/(storage|testing)/|/src/[^/]+/storage/|\\.test\\.ts$',
      },
      { path: 'node_modules/(mongodb|bson)/' },
      'Only storage/ uses filters, updates, the structure of documents and the driver’s types.',
    ),
  ],
  options: {
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '/dist/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['source', 'node', 'require', 'import', 'default'],
      extensions: ['.ts', '.js', '.json'],
    },
    tsConfig: { fileName: 'tsconfig.base.json' },
  },
};
