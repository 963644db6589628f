import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endUserAccount } from './shapes.ts';
import { body, calendarsPath, expectProblem, query, revoke } from './steps.ts';
import { BASE_URL, createWorld, PROVIDERS, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

interface Visit {
  readonly status: number;
  readonly location: URL | undefined;
  readonly cookies: readonly string[];
  readonly text: string;
}

/** A browser's request to the service; what it shows or where it sends the browser. */
async function visit(url: string | URL, cookie?: string): Promise<Visit> {
  const { pathname, search } = new URL(url, BASE_URL);
  const target = `http://kalends.test${pathname.replace('/api/', '/')}${search}`;
  const response = await world.handler(new Request(target, { headers: cookie === undefined ? {} : { cookie } }));
  expect(response.headers.get('x-request-id')).not.toBeNull();
  const location = response.headers.get('location');
  return {
    status: response.status,
    location: location === null ? undefined : new URL(location),
    cookies: response.headers.getSetCookie(),
    text: await response.text(),
  };
}

const cookieOf = ({ cookies }: Visit) => cookies.map((text) => text.split(';')[0]).join('; ');

describe.each(PROVIDERS)('the authorization flow of $providerType', ({ provider, providerType }) => {
  let counter = 0;
  const mailbox = () => {
    counter += 1;
    const email = `browser${counter}@${provider}.example`;
    world.sandbox[provider].addMailbox({ email, name: 'Person', timeZone: 'UTC' });
    return email;
  };
  const authorize = (parameters: Readonly<Record<string, string>> = {}) =>
    visit(`${BASE_URL}/v1/oauth/authorize/${world.applicationId}/${providerType.toLowerCase()}${query(parameters)}`);

  /** The person answers the provider's page; resolves with where the provider sends the browser. */
  async function consent(
    at: URL,
    email: string,
    decision: 'allow' | 'deny' = 'allow',
    granted: readonly string[] = [],
  ): Promise<URL> {
    const form = new URLSearchParams([
      ['mailbox', email],
      ['decision', decision],
      ...granted.map((scope): [string, string] => ['granted_scope', scope]),
    ]);
    // Google's form repeats what was asked for; Microsoft's keeps it in the query.
    if (provider === 'google') for (const [name, value] of at.searchParams) form.append(name, value);
    const url = provider === 'google' ? new URL(at.pathname, at) : at;
    const response = await world.sandbox.fetch(
      new Request(url, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: form.toString(),
      }),
    );
    expect([302, 303]).toContain(response.status);
    return new URL(response.headers.get('location') ?? '');
  }

  async function connect(email: string, parameters: Readonly<Record<string, string>> = {}): Promise<URL> {
    const begun = await authorize(parameters);
    const returned = await visit(await consent(begun.location as URL, email), cookieOf(begun));
    expect(returned.status).toBe(302);
    return returned.location as URL;
  }

  const accountsOf = async (email: string) =>
    body(await world.call('GET', `/v1/endUserAccounts${query({ search: email })}`)).data;

  it('sends the browser to the provider, with PKCE, state and one cookie', async () => {
    const begun = await authorize({ prompt: 'select_account', loginHint: 'who@mail.example', state: 'a=b&c' });
    expect(begun.status).toBe(302);
    const asked = begun.location?.searchParams;
    expect(asked?.get('redirect_uri')).toBe(`${BASE_URL}/v1/oauth/callback/${providerType.toLowerCase()}`);
    expect(asked?.get('code_challenge_method')).toBe('S256');
    expect(asked?.get('response_type')).toBe('code');
    expect(asked?.get('login_hint')).toBe('who@mail.example');
    expect(asked?.get('prompt')).toContain('select_account');
    expect(asked?.get('state')).not.toBe('a=b&c');
    expect(begun.cookies).toHaveLength(1);
    expect(begun.cookies[0]).toMatch(/;\s*HttpOnly/i);
    expect(begun.cookies[0]).toMatch(/;\s*SameSite=Lax/i);
    const other = await authorize();
    expect(cookieOf(other)).not.toBe(cookieOf(begun));
    expect(other.location?.searchParams.get('state')).not.toBe(asked?.get('state'));
  });

  it('comes back with endUserAccountId and state, and the account is there', async () => {
    const email = mailbox();
    const state = Buffer.from('{"user":7,"ü":"+/="}').toString('base64');
    const location = await connect(email, { redirectUrl: 'https://app.test/other', state, externalId: 'user-7' });
    expect(location.origin + location.pathname).toBe('https://app.test/other');
    expect(location.searchParams.get('state')).toBe(state);
    expect(location.searchParams.has('error')).toBe(false);
    const id = location.searchParams.get('endUserAccountId') ?? '';
    const account = body(await world.call('GET', `/v1/endUserAccounts/${id}`));
    expect(endUserAccount(account)).toBeUndefined();
    expect(account).toMatchObject({ email, providerType, status: 'ACTIVE', externalId: 'user-7' });
    expect(body(await world.call('GET', calendarsPath(id))).data).not.toEqual([]);
  });

  it('takes the first registered redirect URL when none is named, and answers no state when none was sent', async () => {
    const location = await connect(mailbox());
    expect(location.origin + location.pathname).toBe('https://app.test/connected');
    expect(location.searchParams.has('state')).toBe(false);
  });

  it('repeated by the same person keeps the account; an EXPIRED one becomes ACTIVE', async () => {
    const email = mailbox();
    const id = (await connect(email, { externalId: 'kept' })).searchParams.get('endUserAccountId') ?? '';
    body(await world.call('GET', calendarsPath(id)));
    await revoke(world, provider, email);
    const colour = { body: { name: 'New' } };
    expectProblem(await world.call('POST', calendarsPath(id), colour), 409, 'InvalidRefreshToken');
    expect((await accountsOf(email))[0].status).toBe('EXPIRED');
    const again = await connect(email, { loginHint: email, prompt: 'consent' });
    expect(again.searchParams.get('endUserAccountId')).toBe(id);
    expect(await accountsOf(email)).toEqual([expect.objectContaining({ id, status: 'ACTIVE', externalId: 'kept' })]);
    body(await world.call('POST', calendarsPath(id), colour), 201);
  });

  it('another mailbox than the login hint is refused, and no account is made', async () => {
    const [wanted, other] = [mailbox(), mailbox()];
    const location = await connect(other, { loginHint: wanted, state: 's' });
    expect(location.searchParams.get('error')).toBe('login_hint_mismatch');
    expect(location.searchParams.get('error_description')).toBeTruthy();
    expect(location.searchParams.get('state')).toBe('s');
    expect(location.searchParams.has('endUserAccountId')).toBe(false);
    expect(await accountsOf(other)).toEqual([]);
    expect((await connect(wanted, { loginHint: wanted.toUpperCase() })).searchParams.has('endUserAccountId')).toBe(
      true,
    );
  });

  const leaveOutCalendars = async () => {
    const email = mailbox();
    const withoutCalendar = async () => {
      const begun = await authorize({ state: 's' });
      const identity = ['openid', 'https://www.googleapis.com/auth/userinfo.email'];
      const back = await consent(begun.location as URL, email, 'allow', identity);
      return (await visit(back, cookieOf(begun))).location as URL;
    };
    const refused = await withoutCalendar();
    expect(refused.searchParams.get('error')).toBe('insufficient_scope');
    expect(refused.searchParams.get('state')).toBe('s');
    expect(await accountsOf(email)).toEqual([]);
    const id = (await connect(email)).searchParams.get('endUserAccountId') ?? '';
    const credentials = async () => body(await world.call('GET', `/v1/endUserAccounts/${id}/credentials`));
    const before = await credentials();
    await revoke(world, provider, email);
    expect((await withoutCalendar()).searchParams.get('error')).toBe('insufficient_scope');
    expect(await credentials()).toEqual(before);
    expect((await connect(email)).searchParams.get('endUserAccountId')).toBe(id);
  };
  // Microsoft's consent page has no boxes.
  if (provider === 'google') it('without the calendar box ends with insufficient_scope', leaveOutCalendars);

  it('denied consent comes back with error and state', async () => {
    const email = mailbox();
    const begun = await authorize({ state: 'mine' });
    const { location } = await visit(await consent(begun.location as URL, email, 'deny'), cookieOf(begun));
    expect(location?.searchParams.get('error')).toBe('access_denied');
    expect(location?.searchParams.get('error_description')).not.toBeNull();
    expect(location?.searchParams.get('state')).toBe('mine');
    expect(await accountsOf(email)).toEqual([]);
  });

  it('prompt=none: an error without consent, an account with it', async () => {
    const email = mailbox();
    const silent = async () => {
      const begun = await authorize({ prompt: 'none', loginHint: email });
      const response = await world.sandbox.fetch(new Request(begun.location as URL));
      expect([302, 303]).toContain(response.status);
      return (await visit(response.headers.get('location') ?? '', cookieOf(begun))).location as URL;
    };
    const refused = await silent();
    expect(refused.origin).toBe('https://app.test');
    expect(refused.searchParams.get('error')).toMatch(/^(login|consent|interaction)_required$/);
    expect(await accountsOf(email)).toEqual([]);
    const id = (await connect(email)).searchParams.get('endUserAccountId');
    expect((await silent()).searchParams.get('endUserAccountId')).toBe(id);
  });

  it.each([
    'https://evil.test/',
    'https://app.test/connected/',
    'https://app.test/connected?x=1',
    'https://APP.test/connected',
    '//app.test/connected',
    'javascript:alert(1)',
    '',
  ])('a redirect URL that is not registered is a 400 page, never a redirect: %s', async (redirectUrl) => {
    const begun = await authorize({ redirectUrl });
    expect(begun.status).toBe(400);
    expect(begun.location).toBeUndefined();
    expect(begun.cookies).toEqual([]);
    expect(begun.text).toContain('InvalidRedirectUrl');
  });

  it.each([
    ['prompt', { prompt: 'always' }],
    ['loginHint', { loginHint: 'not an address' }],
    ['externalId', { externalId: 'x'.repeat(256) }],
    ['colour', { colour: 'red' }],
  ])('a wrong %s is told, and the provider never asked: %j', async (name, parameters) => {
    const begun = await authorize(parameters);
    // To the registered redirect URL, or as a page.
    if (begun.location === undefined) {
      expect(begun.status).toBe(400);
      expect(begun.text).toContain(name);
    } else {
      expect(begun.location.origin).toBe('https://app.test');
      expect(begun.location.searchParams.get('error')).toBeTruthy();
    }
  });

  it('404 for an unknown application and an unknown provider', async () => {
    const segmentOf = providerType.toLowerCase();
    expect((await visit(`${BASE_URL}/v1/oauth/authorize/app_unknown/${segmentOf}`)).status).toBe(404);
    expect((await visit(`${BASE_URL}/v1/oauth/authorize/${world.applicationId}/provider_c`)).status).toBe(404);
  });

  describe('the callback', () => {
    it('works once for each state', async () => {
      const email = mailbox();
      const begun = await authorize();
      const back = await consent(begun.location as URL, email);
      const cookie = cookieOf(begun);
      expect((await visit(back, cookie)).location?.searchParams.has('endUserAccountId')).toBe(true);
      const replayed = await visit(back, cookie);
      expect(replayed.status).toBe(400);
      expect(replayed.location).toBeUndefined();
    });

    it('is refused in another browser: without the cookie, or with that of another flow', async () => {
      const email = mailbox();
      const [mine, other] = [await authorize(), await authorize()];
      const back = await consent(mine.location as URL, email);
      for (const cookie of [undefined, cookieOf(other), `${cookieOf(mine)}x`]) {
        const answer = await visit(back, cookie);
        expect(answer.status).toBe(400);
        expect(answer.location).toBeUndefined();
      }
      expect(await accountsOf(email)).toEqual([]);
    });

    it('is refused with an unknown state, or none', async () => {
      const callback = `${BASE_URL}/v1/oauth/callback/${providerType.toLowerCase()}`;
      for (const parameters of [{}, { state: 'made-up', code: 'x' }, { code: 'x' }, { error: 'access_denied' }]) {
        const answer = await visit(`${callback}${query(parameters)}`, 'a=b');
        expect(answer.status).toBe(400);
        expect(answer.location).toBeUndefined();
      }
    });

    it('comes back with an error when the code is not good', async () => {
      const email = mailbox();
      const begun = await authorize({ state: 's' });
      const back = await consent(begun.location as URL, email);
      back.searchParams.set('code', 'made-up');
      const { location } = await visit(back, cookieOf(begun));
      expect(location?.searchParams.get('error')).toBeTruthy();
      expect(location?.searchParams.get('state')).toBe('s');
      expect(await accountsOf(email)).toEqual([]);
    });
  });
});
