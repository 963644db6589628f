import type { Flag } from './flag.ts';

/** Settings that a command needs which opens the database itself; `settings.ts` has their rules. */
export const ENGINE_FLAGS: readonly Flag[] = [
  { name: 'database', kind: 'value', value: 'URL', summary: 'sqlite:PATH or postgres://…; or KALENDS_DATABASE_URL' },
  { name: 'database-schema', kind: 'value', value: 'NAME', summary: 'PostgreSQL schema; or KALENDS_DATABASE_SCHEMA' },
  { name: 'database-prefix', kind: 'value', value: 'TEXT', summary: 'of the tables; or KALENDS_DATABASE_PREFIX' },
  { name: 'public-url', kind: 'value', value: 'URL', summary: 'of the interface; or KALENDS_PUBLIC_URL' },
  { name: 'google-name', kind: 'value', value: 'TYPE', summary: 'or KALENDS_GOOGLE_NAME' },
  { name: 'microsoft-name', kind: 'value', value: 'TYPE', summary: 'or KALENDS_MICROSOFT_NAME' },
  { name: 'caldav-name', kind: 'value', value: 'TYPE', summary: 'or KALENDS_CALDAV_NAME' },
  { name: 'icloud-name', kind: 'value', value: 'TYPE', summary: 'or KALENDS_ICLOUD_NAME' },
  { name: 'ics-name', kind: 'value', value: 'TYPE', summary: 'or KALENDS_ICS_NAME' },
  {
    name: 'allowed-networks',
    kind: 'value',
    value: 'CIDR,…',
    summary: 'private ranges that servers and webhooks may have; or KALENDS_ALLOWED_NETWORKS',
  },
  { name: 'environment', kind: 'value', value: 'NAME', summary: 'part of new keys; or KALENDS_ENVIRONMENT' },
  { name: 'providers-url', kind: 'value', value: 'URL', summary: 'of a sandbox; or KALENDS_PROVIDERS_URL' },
  {
    name: 'log-level',
    kind: 'value',
    value: 'LEVEL',
    summary: 'or KALENDS_LOG_LEVEL',
    choices: ['silent', 'warn', 'info', 'debug'],
  },
];
