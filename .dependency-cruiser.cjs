// The directions of the house: model <- ports <- services <- engine; adapters see only the core's public entries.
const home = (name, packages, places) => ({
  name: `home-of-${name}`,
  comment: `${name} is used in its home only: ${places}`,
  severity: 'error',
  from: { path: '^(src|adapters/[^/]+/src)/', pathNot: places },
  to: { path: `node_modules/(${packages})/` },
});

module.exports = {
  forbidden: [
    { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'model-knows-nothing',
      severity: 'error',
      from: { path: '^src/model/' },
      to: { path: '^(src|adapters)/', pathNot: '^src/(model/|errors\\.ts$)' },
    },
    {
      name: 'ports-know-the-model',
      severity: 'error',
      from: { path: '^src/ports/' },
      to: { path: '^(src|adapters)/', pathNot: '^src/(ports|model)/|^src/errors\\.ts$' },
    },
    {
      name: 'zones-are-pure',
      severity: 'error',
      from: { path: '^src/zones/' },
      to: { path: '^(src|adapters)/', pathNot: '^src/zones/' },
    },
    {
      name: 'recurrence-is-pure',
      severity: 'error',
      from: { path: '^src/recurrence/' },
      to: { path: '^(src|adapters)/', pathNot: '^src/(recurrence|zones)/' },
    },
    {
      name: 'describe-is-pure',
      severity: 'error',
      from: { path: '^src/describe/' },
      to: { path: '^(src|adapters)/', pathNot: '^src/(describe|recurrence|zones)/' },
    },
    {
      name: 'icalendar-is-pure',
      severity: 'error',
      from: { path: '^src/icalendar/' },
      to: { path: '^(src|adapters)/', pathNot: '^src/(icalendar|ports|model|recurrence|zones)/' },
    },
    {
      name: 'free-busy-is-pure',
      severity: 'error',
      from: { path: '^src/free-busy/' },
      to: { path: '^(src|adapters)/', pathNot: '^src/(free-busy|zones)/' },
    },
    {
      name: 'availability-is-pure',
      severity: 'error',
      from: { path: '^src/availability/' },
      to: { path: '^(src|adapters)/', pathNot: '^src/(availability|free-busy|recurrence|zones)/' },
    },
    {
      name: 'runtime-is-below-services',
      severity: 'error',
      from: { path: '^src/runtime/' },
      to: { path: '^(src|adapters)/', pathNot: '^src/(runtime|ports|model)/|^src/errors\\.ts$' },
    },
    {
      name: 'network-is-below-services',
      severity: 'error',
      from: { path: '^src/network/' },
      to: { path: '^(src|adapters)/', pathNot: '^src/(network|ports)/|^src/errors\\.ts$' },
    },
    {
      name: 'only-the-engine-composes',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/index\\.ts$' },
      to: { path: '^src/engine\\.ts$' },
    },
    {
      name: 'modules-use-each-others-entries',
      comment:
        'A module of the core is reached through its index.ts; the pure modules share the tables and arithmetic of zones. The rules of written recurrences and the moves of series are entries of their own, so that bundles of the others stay small.',
      severity: 'error',
      from: { path: '^src/([^/]+)', pathNot: '^src/(recurrence|free-busy)/' },
      to: { path: '^src/[^/]+/', pathNot: '^src/($1/|[^/]+/index\\.ts$|recurrence/(input|moves)\\.ts$)' },
    },
    { name: 'core-knows-no-adapter', severity: 'error', from: { path: '^src/' }, to: { path: '^adapters/' } },
    {
      name: 'adapters-use-public-entries',
      severity: 'error',
      from: { path: '^adapters/' },
      to: {
        path: '^src/',
        pathNot:
          '^src/(index|recurrence/(input|moves|patterned)|(model|ports|zones|recurrence|describe|icalendar|free-busy|availability|runtime)/index|network/guarded-fetch)\\.ts$',
      },
    },
    {
      name: 'the-client-stands-alone',
      comment: 'Applications install the client without the core: its types are a generated copy.',
      severity: 'error',
      from: { path: '^adapters/client/src/' },
      to: { path: '^(src|adapters)/', pathNot: '^adapters/client/src/' },
    },
    {
      name: 'adapters-use-each-others-entries',
      severity: 'error',
      from: { path: '^adapters/([^/]+)/' },
      to: {
        path: '^adapters/',
        pathNot:
          '^adapters/($1/|[^/]+/src/(index|administration|node|express|fastify|webhooks/index|connect/index|paced)\\.ts$)',
      },
    },
    home('hono', 'hono|@hono', '^adapters/(http|sandbox)/'),
    home('page', 'preact|@preact|preact-iso|uplot|@event-calendar|@tanstack', '^adapters/dashboard/page/'),
    home('kysely', 'kysely', '^adapters/(sql|sqlite|postgres)/'),
    home('undici', 'undici|ipaddr\\.js', '^src/(network|webhooks)/'),
    home('standardwebhooks', 'standardwebhooks', '^adapters/client/'),
    home('p-retry', 'p-retry', '^(src/runtime|adapters/client)/'),
    home('p-throttle', 'p-throttle', '^adapters/client/'),
    {
      name: 'rrule-is-for-tests',
      severity: 'error',
      from: { path: '^(src|adapters/[^/]+/src)/' },
      to: { path: 'node_modules/rrule/' },
    },
    home('luxon', 'luxon', '^src/events/'),
    home('pino', 'pino', '^adapters/server/'),
    home('oauth', 'jose|oauth4webapi', '^adapters/(google|microsoft|sandbox|mcp)/'),
    home('mcp', '@modelcontextprotocol', '^adapters/mcp/'),
    home('html-to-text', 'html-to-text', '^adapters/google/'),
    home('ical', 'ical\\.js', '^adapters/sandbox/'),
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)dist/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['kalends-source', 'import', 'node', 'default'],
      extensions: ['.ts', '.js', '.json'],
    },
  },
};
