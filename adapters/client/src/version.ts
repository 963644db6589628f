/** Version of the package; a test compares it with package.json. */
export const VERSION = '0.1.0';

/** Browsers name themselves, and ask the service for leave before they send another header. */
export const USER_AGENT: Readonly<Record<string, string>> =
  'document' in globalThis ? {} : { 'user-agent': `kalends-client/${VERSION}` };
