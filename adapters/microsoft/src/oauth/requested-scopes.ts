/** Scope that makes Microsoft give a refresh token; token answers never list it. */
const OFFLINE = 'offline_access';

/** The least that an imported refresh token can have been granted. */
const READING = ['Calendars.Read', OFFLINE];

const CALENDARS = /(?:^|\/)Calendars\.(?:Read|ReadWrite)(?:\.Shared)?$/i;
const SHARED = /\.Shared$/i;

/** Returns scopes as token answers list them. */
export const withoutOffline = (scopes: readonly string[]): readonly string[] =>
  scopes.filter((scope) => scope !== OFFLINE);

/** Tells whether scopes give access to calendars. */
export const hasCalendarScope = (scopes: readonly string[]): boolean => scopes.some((scope) => CALENDARS.test(scope));

/** Returns the scopes that a sign-in with an id_token and a refresh token, and calendars, lack. */
export function missingScopes(scopes: readonly string[]): readonly string[] {
  const missing = ['openid', OFFLINE].filter((scope) => !scopes.includes(scope));
  // Those of shared calendars alone do not open a person's own.
  return hasCalendarScope(scopes.filter((scope) => !SHARED.test(scope)))
    ? missing
    : [...missing, 'Calendars.ReadWrite'];
}

/** Returns the scopes of a sign-in. Personal accounts have none of `….Shared`, so their own tenant is not asked for these. */
export function signInScopes(configured: readonly string[], tenant: string): readonly string[] {
  return tenant === 'consumers' ? withoutShared(configured) : configured;
}

/**
 * Returns the scope sets to ask for in turn at a refresh, which fails as a dead grant does when it asks for more than was
 * granted. What was granted comes first, twice, since a refusal can be intermittent and the next set may take its place on
 * record; the smallest useful set comes last. Where the granted scopes are unknown, as of an imported refresh token, those of a
 * sign-in stand for them, and the right to read calendars alone comes last. There are at least two sets.
 */
export function refreshScopeSets(
  configured: readonly string[],
  tenant: string,
  granted: readonly string[] | undefined,
): readonly (readonly string[])[] {
  // An account without a calendar scope on record was imported with none, or with wrong ones.
  const known = granted !== undefined && hasCalendarScope(granted) ? granted : undefined;
  const asked = signInScopes(configured, tenant);
  if (known !== undefined) return [offline(known), ...distinct([offline(known), smallest(known)])];
  return distinct([offline(asked), offline(withoutShared(asked)), smallest(asked), READING]);
}

function smallest(scopes: readonly string[]): readonly string[] {
  const calendars = scopes.filter((scope) => CALENDARS.test(scope) && !SHARED.test(scope));
  const writing = calendars.find((scope) => /Write$/i.test(scope));
  return [writing ?? calendars[0] ?? 'Calendars.ReadWrite', OFFLINE];
}

const withoutShared = (scopes: readonly string[]): readonly string[] => scopes.filter((scope) => !SHARED.test(scope));

const offline = (scopes: readonly string[]): readonly string[] =>
  scopes.includes(OFFLINE) ? scopes : [...scopes, OFFLINE];

/** Drops a set that repeats the one before it. */
function distinct(sets: readonly (readonly string[])[]): readonly (readonly string[])[] {
  return sets.filter((set, at) => at === 0 || set.join(' ') !== sets[at - 1]?.join(' '));
}
