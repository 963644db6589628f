import { type CalendarChange, type CalendarPage, ProviderError } from 'kalends/ports';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ADA, failureOf, GRACE, type Harness, startHarness } from '../harness.ts';

let harness: Harness;

beforeEach(async () => {
  harness = await startHarness();
});

afterEach(() => harness.close());

const calendars = () => harness.provider.calendars;
const ada = () => harness.sessionOf(ADA);

async function pull(token: string | null, email = ADA) {
  const pages: CalendarPage[] = [];
  for await (const page of calendars().pull(harness.sessionOf(email), token)) pages.push(page);
  return { changes: pages.flatMap((page) => page.changes), pages, token: pages.at(-1)?.nextToken ?? '' };
}

function share(calendarId: string, role: 'reader' | 'writer') {
  harness.sandbox.google.shareCalendar({ ownerEmail: ADA, calendarId, withEmail: GRACE, role });
}

describe('pull', () => {
  test('maps the primary calendar', async () => {
    const { changes, pages } = await pull(null);
    expect(pages.at(-1)?.full).toBe(true);
    expect(changes).toEqual([
      {
        kind: 'calendar',
        calendar: {
          id: ADA,
          providerTag: expect.any(String),
          name: expect.any(String),
          hexColor: expect.stringMatching(/^#[0-9a-f]{6}$/),
          readOnly: false,
          isPrimary: true,
          isShared: false,
          timeZone: 'Europe/London',
          inviteEmail: ADA,
          allowedOnlineMeetingProviders: ['hangoutsMeet'],
          defaultOnlineMeetingProvider: 'hangoutsMeet',
        },
      },
    ]);
  });

  test('tells new, changed and removed calendars since a token', async () => {
    const first = await pull(null);
    const made = await calendars().create(ada(), { name: 'Work' });
    const second = await pull(first.token);
    expect(second.changes).toEqual([{ kind: 'calendar', calendar: made }]);
    expect(second.pages.every((page) => !page.full)).toBe(true);
    await calendars().delete(ada(), made.id);
    expect((await pull(second.token)).changes).toEqual([{ kind: 'deleted', calendarId: made.id }]);
  });

  test('says whether a calendar is there', async () => {
    const { id } = await calendars().create(ada(), { name: 'Work' });
    expect(await calendars().exists(ada(), id)).toBe(true);
    await calendars().delete(ada(), id);
    expect(await calendars().exists(ada(), id)).toBe(false);
    expect(await calendars().exists(ada(), 'unknown')).toBe(false);
  });

  test('an expired token asks for a full list', async () => {
    const { token } = await pull(null);
    harness.sandbox.google.controls['expireSyncTokens']?.({});
    expect(await failureOf(pull(token))).toMatchObject({ reason: 'sync-token-expired' });
  });

  test('shared calendars say what may be done with them', async () => {
    const readable = await calendars().create(ada(), { name: 'Readable' });
    const writable = await calendars().create(ada(), { name: 'Writable' });
    share(readable.id, 'reader');
    share(writable.id, 'writer');
    const { changes } = await pull(null, GRACE);
    const seen = changes.flatMap((change) => (change.kind === 'calendar' ? [change.calendar] : []));
    expect(seen.find(({ id }) => id === readable.id)).toMatchObject({
      isShared: true,
      readOnly: true,
      isPrimary: false,
    });
    expect(seen.find(({ id }) => id === writable.id)).toMatchObject({
      isShared: true,
      readOnly: false,
      inviteEmail: writable.id,
    });
  });
});

describe('create and update', () => {
  test('name, zone and colour round-trip', async () => {
    const made = await calendars().create(ada(), { name: 'Work', hexColor: '#123456', timeZone: 'America/New_York' });
    expect(made).toMatchObject({ name: 'Work', hexColor: '#123456', timeZone: 'America/New_York', isPrimary: false });
    const patch = { name: 'Play', hexColor: '#abcdef', timeZone: 'Asia/Tokyo' };
    expect(await calendars().update(ada(), made.id, patch)).toMatchObject(patch);
    const cleared = await calendars().update(ada(), made.id, { hexColor: null, timeZone: null });
    expect(cleared).toMatchObject({ name: 'Play', hexColor: '#9fe1e7', timeZone: 'Europe/London' });
  });

  test('without a zone it is the one of the primary calendar where the settings may not be read', async () => {
    const scopes = ['calendar.calendars', 'calendar.calendarlist'].map(
      (name) => `https://www.googleapis.com/auth/${name}`,
    );
    const issued = harness.sandbox.google.controls['issueAccessToken']?.({ email: ADA, scopes });
    const { accessToken } = issued as { readonly accessToken: string };
    const made = await calendars().create({ ...ada(), accessToken: async () => accessToken }, { name: 'Work' });
    expect(made.timeZone).toBe('Europe/London');
  });

  test('a new name shows although the owner had another one of their own', async () => {
    const made = await calendars().create(ada(), { name: 'Work' });
    await harness.api(ADA, 'PATCH', `/users/me/calendarList/${encodeURIComponent(made.id)}`, {
      summaryOverride: 'My work',
    });
    expect((await calendars().update(ada(), made.id, { name: 'New' })).name).toBe('New');
  });

  test("somebody else's calendar is renamed for oneself only", async () => {
    const made = await calendars().create(ada(), { name: 'Work' });
    share(made.id, 'writer');
    const grace = harness.sessionOf(GRACE);
    expect((await calendars().update(grace, made.id, { name: "Ada's" })).name).toBe("Ada's");
    const zone = calendars().update(grace, made.id, { timeZone: 'Asia/Tokyo' });
    expect(await failureOf(zone)).toMatchObject({ reason: 'forbidden' });
    expect((await harness.api(ADA, 'GET', `/calendars/${encodeURIComponent(made.id)}`))['summary']).toBe('Work');
  });

  const refusals = [
    [404, 'notFound'],
    [403, 'requiredAccessLevel'],
  ] as const;
  /** Google, whose list refuses entries so many times. */
  const armEntries = (method: 'GET' | 'PATCH', [status, reason]: readonly [number, string], times: number) =>
    harness.sandbox.faults.arm({
      provider: 'google',
      method,
      path: '.*/calendarList/.*',
      kind: 'answer',
      status,
      body: { error: { code: status, message: 'No', errors: [{ reason }] } },
      times,
    });

  test.each(
    refusals,
  )('waits for the entry of a new calendar where the list answers %s %s at first', async (...refusal) => {
    armEntries('GET', refusal, 2);
    const work = await calendars().create(ada(), { name: 'Work' });
    armEntries('PATCH', refusal, 2);
    const play = await calendars().create(ada(), { name: 'Play', hexColor: '#123456' });
    expect(play.hexColor).toBe('#123456');
    const listed = (await pull(null)).changes.flatMap((each) => (each.kind === 'calendar' ? [each.calendar.id] : []));
    expect(listed).toEqual([ADA, work.id, play.id]);
  });

  test.each(refusals)('undoes a new calendar where the list still answers %s %s', async (...refusal) => {
    armEntries('GET', refusal, 3);
    expect(await failureOf(calendars().create(ada(), { name: 'Work' }))).toMatchObject({ status: refusal[0] });
    expect((await pull(null)).changes.filter(({ kind }) => kind === 'calendar')).toHaveLength(1);
  });

  test('a calendar whose colour cannot be set is not left behind', async () => {
    harness.sandbox.faults.arm({
      provider: 'google',
      method: 'PATCH',
      path: '.*/calendarList/.*',
      kind: 'answer',
      status: 403,
      body: { error: { code: 403, message: 'No', errors: [{ reason: 'forbidden' }] } },
    });
    const call = calendars().create(ada(), { name: 'Work', hexColor: '#123456' });
    expect(await failureOf(call)).toMatchObject({ reason: 'forbidden' });
    expect((await pull(null)).changes.filter(({ kind }) => kind === 'calendar')).toHaveLength(1);
  });

  test('an update whose colour cannot be set is taken back', async () => {
    const made = await calendars().create(ada(), { name: 'Work', timeZone: 'Europe/Rome' });
    harness.sandbox.faults.arm({
      provider: 'google',
      method: 'PATCH',
      path: '.*/calendarList/.*',
      kind: 'answer',
      status: 403,
      body: { error: { code: 403, message: 'No', errors: [{ reason: 'forbidden' }] } },
    });
    const patch = { name: 'Play', timeZone: 'Asia/Tokyo', hexColor: '#123456' };
    expect(await failureOf(calendars().update(ada(), made.id, patch))).toMatchObject({ reason: 'forbidden' });
    const after = await harness.api(ADA, 'GET', `/calendars/${encodeURIComponent(made.id)}`);
    expect(after).toMatchObject({ summary: 'Work', timeZone: 'Europe/Rome' });
  });

  test('an unknown calendar is not found', async () => {
    const call = calendars().update(ada(), 'c_nobody', { name: 'x' });
    expect(await failureOf(call)).toMatchObject({ reason: 'not-found' });
  });
});

describe('delete', () => {
  test('resolves also when it was gone', async () => {
    const made = await calendars().create(ada(), { name: 'Work' });
    await calendars().delete(ada(), made.id);
    await calendars().delete(ada(), made.id);
  });

  test('never the primary one', async () => {
    const failure = await failureOf(calendars().delete(ada(), ADA));
    expect(ProviderError.isInstance(failure) && failure.reason).toBe('forbidden');
  });

  test('the primary calendar of another person is shared, and left, whatever the role', async () => {
    const rule = { role: 'owner', scope: { type: 'user', value: GRACE } };
    await harness.api(ADA, 'POST', '/calendars/primary/acl', rule);
    const { changes } = await pull(null, GRACE);
    expect(changes).toContainEqual({
      kind: 'calendar',
      calendar: expect.objectContaining({ id: ADA, isPrimary: false, isShared: true }),
    });
    await calendars().delete(harness.sessionOf(GRACE), ADA);
    expect(await harness.api(ADA, 'GET', '/calendars/primary')).toMatchObject({ id: ADA });
    // It is in the list no more.
    await expect(harness.api(GRACE, 'GET', `/users/me/calendarList/${ADA}`)).rejects.toThrow('404');
  });

  test.each([
    ADA.toUpperCase(),
    'before-the-wedding@gmail.example',
  ])('an own one is deleted for a mailbox that was connected as %s', async (email) => {
    const made = await calendars().create(ada(), { name: 'Work' });
    const pages: CalendarChange[] = [];
    for await (const { changes } of calendars().pull({ ...ada(), email }, null)) pages.push(...changes);
    expect(pages).toContainEqual({
      kind: 'calendar',
      calendar: expect.objectContaining({ id: made.id, isShared: false }),
    });
    await calendars().delete({ ...ada(), email }, made.id);
    // One that was left could be taken into the list again.
    const call = harness.api(ADA, 'POST', '/users/me/calendarList', { id: made.id });
    await expect(call).rejects.toThrow('404');
  });

  test.each([
    'writer',
    'owner',
  ] as const)('the calendar of another owner is left by its %s, not deleted', async (role) => {
    const made = await calendars().create(ada(), { name: 'Work' });
    const rule = { role, scope: { type: 'user', value: GRACE } };
    await harness.api(ADA, 'POST', `/calendars/${encodeURIComponent(made.id)}/acl`, rule);
    await calendars().delete(harness.sessionOf(GRACE), made.id);
    const seen = await pull(null, GRACE);
    expect(seen.changes).not.toContainEqual(
      expect.objectContaining({ calendar: expect.objectContaining({ id: made.id }) }),
    );
    expect((await harness.api(ADA, 'GET', `/calendars/${encodeURIComponent(made.id)}`))['summary']).toBe('Work');
  });
});
