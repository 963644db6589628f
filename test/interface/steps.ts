import { expect } from 'vitest';
import type { Answer, Json, ProviderName, World } from './world.ts';

export interface Connected {
  readonly accountId: string;
  readonly email: string;
  readonly calendarId: string;
}

const segment = encodeURIComponent;

/** Path of an account's calendars, or of one of them. */
export function calendarsPath(accountId: string, calendarId?: string): string {
  return `/v1/calendars/${segment(accountId)}${calendarId === undefined ? '' : `/${segment(calendarId)}`}`;
}

/** Path of a calendar's events, or of one of them. */
export function eventsPath({ accountId, calendarId }: Omit<Connected, 'email'>, eventId?: string): string {
  const list = `/v1/events/${segment(accountId)}/${segment(calendarId)}`;
  return eventId === undefined ? list : `${list}/${segment(eventId)}`;
}

/** `?a=b` with everything escaped; undefined values are left out. */
export function query(parameters: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  return given.length === 0
    ? ''
    : `?${new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]))}`;
}

/** The answer of a request that succeeded, `status` included in what is told when it did not. */
export function body(answer: Answer, status = 200): Json {
  expect(answer.status, JSON.stringify(answer.body)).toBe(status);
  expect(answer.headers.get('x-request-id')).toMatch(/^[\w.-]{1,128}$/);
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  return answer.body;
}

/** The answer is the problem document of `code`, and names `path` where one is wanted. */
export function expectProblem(answer: Answer, status: number, code: string, path?: string): void {
  const { body: problem } = answer;
  expect(`${answer.status} ${problem?.code}`, JSON.stringify(problem)).toBe(`${status} ${code}`);
  checkProblem(answer);
  if (path === undefined) return;
  const paths = (problem.details ?? []).map((detail: Json) => detail.path);
  expect(paths, `${problem.detail}`).toContain(path);
}

/** The requirements of RFC 9457 and the interface for any error answer. */
export function checkProblem({ status, headers, body: problem }: Answer): void {
  expect(headers.get('content-type')).toBe('application/problem+json');
  expect(problem).toMatchObject({
    type: expect.any(String),
    title: expect.any(String),
    status,
    code: expect.stringMatching(/^[A-Z][A-Za-z]+$/),
    detail: expect.any(String),
    message: problem.detail,
    requestId: headers.get('x-request-id'),
  });
  for (const detail of problem.details ?? []) {
    expect(detail).toEqual({ path: expect.any(String), message: expect.any(String) });
  }
  if (status === 401) expect(headers.get('www-authenticate')).not.toBeNull();
}

/** Follows a list to its end; every page is checked for "nextPageToken xor nextSyncToken". */
export async function readAll(
  world: World,
  path: string,
  parameters: Readonly<Record<string, string | number | boolean | undefined>> = {},
): Promise<{ readonly data: readonly Json[]; readonly nextSyncToken: string; readonly pages: number }> {
  let page = body(await world.call('GET', `${path}${query(parameters)}`));
  const data: Json[] = [...page.data];
  let pages = 1;
  while (page.nextPageToken !== undefined) {
    expect(page).not.toHaveProperty('nextSyncToken');
    const next = { pageToken: page.nextPageToken, limit: parameters['limit'] };
    page = body(await world.call('GET', `${path}${query(next)}`));
    data.push(...page.data);
    pages += 1;
  }
  expect(page.nextSyncToken).toEqual(expect.any(String));
  return { data, nextSyncToken: page.nextSyncToken, pages };
}

/** The person takes the consent back at the provider, and every access token dies with it. */
export async function revoke(world: World, provider: ProviderName, email: string): Promise<void> {
  world.sandbox[provider].controls['revokeGrant']?.({ email });
  world.sandbox[provider].controls['expireAccessTokens']?.({ email });
}

/** A further application with its provider clients and one key. */
export async function secondApplication(
  world: World,
): Promise<{ readonly applicationId: string; readonly key: string }> {
  const { applications, oauthClients, apiKeys } = world.engine;
  const { id } = await applications.create({ name: 'Another', redirectUrls: ['https://another.test/connected'] });
  for (const type of world.engine.oauthProviderTypes) {
    await oauthClients.set(id, type, { clientId: 'client', clientSecret: 'client-secret' });
  }
  const { key } = await apiKeys.create(id, { name: 'Another', expiresAt: null });
  return { applicationId: id, key };
}

/** One bit of the token's payload turned over; what comes out is still of its alphabet. */
export function withOneBitChanged(token: string): string {
  const bytes = Buffer.from(token.slice(token.lastIndexOf('.') + 1), 'base64url');
  const middle = bytes.length >> 1;
  bytes.writeUInt8(bytes.readUInt8(middle) ^ 1, middle);
  return token.slice(0, token.lastIndexOf('.') + 1) + bytes.toString('base64url');
}
