import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { movableClock } from './movable-clock.ts';
import { connectCalDav, createSchedulingWorld } from './scheduling-world.ts';
import { body, type Connected, eventsPath, expectProblem, secondApplication } from './steps.ts';
import type { Json, ProviderName, World } from './world.ts';

const clock = movableClock();
clock.pass(Date.UTC(2030, 2, 4, 8, 30) - clock.now());
const at = (time: string, day = 4) => `2030-03-0${day}T${time}:00Z`;
const PROVIDERS = ['google', 'microsoft'] as const;
/** Colleagues; zoe is never connected, and yan is, so that the two can be compared. */
const domainOf = (provider: ProviderName) => `${provider}-office.example`;

let world: World;
const via: Record<string, Connected> = {};
const yan: Record<string, Connected> = {};
beforeAll(async () => {
  world = await createSchedulingWorld({ clock });
  for (const provider of PROVIDERS) {
    const domain = domainOf(provider);
    via[provider] = await world.connect(provider, `ada@${domain}`);
    yan[provider] = await world.connect(provider, `yan@${domain}`);
    world.sandbox[provider].addMailbox({ email: `zoe@${domain}`, name: 'Zoe', timeZone: 'America/New_York' });
    world.sandbox[provider].addMailbox({ email: `wim@elsewhere.example`, name: 'Wim', timeZone: 'UTC' });
    for (const [from, to, fields] of EVENTS) {
      const sent = { title: 'Secret', start: { dateTime: from }, end: { dateTime: to }, ...fields };
      body(await world.call('POST', eventsPath(yan[provider]), { body: sent }), 201);
    }
    await invite(provider);
  }
  via['caldav'] = await connectCalDav(world);
}, 120_000);
afterAll(() => world.close());

const EVENTS: readonly (readonly [string, string, Json])[] = [
  [at('10:00'), at('11:00'), {}],
  [at('10:30'), at('11:30'), {}],
  [at('13:00'), at('14:00'), { recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] }],
  [at('16:00'), at('17:00'), { transparency: 'transparent' }],
  ['2030-03-07', '2030-03-08', { isAllDay: true, transparency: 'opaque' }],
];

/** Makes zoe busy at noon, by an event of her own. */
async function invite(provider: ProviderName): Promise<void> {
  const email = `zoe@${domainOf(provider)}`;
  const times = { start: { dateTime: at('12:00') }, end: { dateTime: at('13:00') } };
  const graphTime = (text: string) => ({ dateTime: text.slice(0, 19), timeZone: 'UTC' });
  if (provider === 'google')
    await world.atProvider(provider, email, 'POST', '/calendars/primary/events', { summary: 'Secret', ...times });
  else
    await world.atProvider(provider, email, 'POST', '/me/events', {
      subject: 'Secret',
      start: graphTime(at('12:00')),
      end: graphTime(at('13:00')),
    });
}

const QUESTION = { startDateTime: at('09:00'), endDateTime: at('15:00'), timeZone: 'UTC' };
const ask = (fields: Json, path = '/v1/availability') =>
  world.call('POST', path, { body: { ...QUESTION, durationMinutes: 60, stepMinutes: 60, ...fields } });
const addressed = (provider: string, name: string, domain = domainOf(provider as ProviderName)) => ({
  email: `${name}@${domain}`,
  viaEndUserAccountId: via[provider]?.accountId,
});
const hoursOf = ({ slots }: Json) => slots.map(({ start }: Json) => start.dateTime.slice(11, 13));

describe.each(PROVIDERS)('people who are not connected, at %s', (provider) => {
  it('are busy as the provider tells, with nothing of their events', async () => {
    const zoe = { id: 'zoe', addresses: [addressed(provider, 'Zoe')] };
    const answer = body(await ask({ participants: [zoe] }));
    expect(hoursOf(answer)).toEqual(['09', '10', '11', '13', '14']);
    expect(answer.notConnected).toEqual([{ participantId: 'zoe', email: zoe.addresses[0]?.email }]);
    expect(JSON.stringify(answer)).not.toContain('Secret');
    const explained = body(await ask({ participants: [zoe], slotDateTime: at('12:00') }, '/v1/availability/explain'));
    expect(explained.obstacles).toMatchObject([{ code: 'busy', participantId: 'zoe' }]);
  });

  it('have the busy time that they have once they are connected', async () => {
    const account = yan[provider];
    const window = { startDateTime: at('00:00', 1), endDateTime: '2031-03-01T00:00:00Z', timeZone: 'Asia/Tokyo' };
    const [connected, person] = body(
      await world.call('POST', '/v1/freeBusy', {
        body: {
          ...window,
          accounts: [{ endUserAccountId: account?.accountId, calendarIds: [account?.calendarId] }],
          addresses: [addressed(provider, 'yan')],
        },
      }),
    );
    expect(person).toEqual({
      endUserAccountId: via[provider]?.accountId,
      email: account?.email,
      busySlots: connected.calendars[0].busySlots,
    });
    expect(person.busySlots).toHaveLength(5);
  });

  it('have an error of their own in free/busy', async () => {
    const { accountId } = via[provider] as Connected;
    const answer = body(
      await world.call('POST', '/v1/freeBusy', {
        body: {
          ...QUESTION,
          addresses: [
            addressed(provider, 'nobody'),
            addressed(provider, 'wim', 'elsewhere.example'),
            addressed(provider, 'zoe'),
          ],
        },
      }),
    );
    expect(answer.map(({ error, busySlots }: Json) => error?.code ?? busySlots.length)).toEqual([
      'NotFound',
      'NotFound',
      1,
    ]);
    expect(new Set(answer.map((each: Json) => each.endUserAccountId))).toEqual(new Set([accountId]));
  });

  it('fail the query if they are required and cannot be read', async () => {
    const participants = [
      { id: 'zoe', addresses: [addressed(provider, 'zoe')] },
      { id: 'no', addresses: [addressed(provider, 'zoe'), addressed(provider, 'nobody')] },
    ];
    const answer = await ask({ participants });
    expectProblem(answer, 404, 'NotFound', 'participants.1.addresses.1');
    expect(answer.body.detail).toContain('nobody@');
  });

  it('are busy if they are optional, hosts or of a group and cannot be read, and are marked', async () => {
    const no = { id: 'no', addresses: [addressed(provider, 'nobody')] };
    const zoe = { id: 'zoe', addresses: [addressed(provider, 'zoe')] };
    const optional = body(await ask({ participants: [zoe, { ...no, role: 'optional' }] }));
    expect(optional.slots.map(({ absent }: Json) => absent)).toEqual(Array(5).fill(['no']));
    expect(optional.notConnected[1]).toMatchObject({ participantId: 'no', error: { code: 'NotFound' } });
    const hosts = body(await ask({ mode: 'round-robin', participants: [no, zoe] }));
    expect(new Set(hosts.slots.flatMap(({ participants }: Json) => participants))).toEqual(new Set(['zoe']));
    const groups = [{ id: 'any', members: ['no', 'zoe'], take: 1 }];
    expect(hoursOf(body(await ask({ participants: [no, zoe], groups })))).toEqual(['09', '10', '11', '13', '14']);
    const slot = { participants: [zoe, { ...no, role: 'optional' }], slotDateTime: at('18:00') };
    const { participants } = body(await ask(slot, '/v1/availability/explain'));
    expect(participants[1]).toMatchObject({ id: 'no', isFree: false, obstacles: [{ code: 'unknown' }] });
  });

  it('fail as their account does', async () => {
    const gone = await world.connect(provider, `gone@${domainOf(provider)}`);
    await world.engine.operations.expire(world.applicationId, gone.accountId);
    const zoe = { email: `zoe@${domainOf(provider)}`, viaEndUserAccountId: gone.accountId };
    expectProblem(
      await ask({ participants: [{ id: 'zoe', addresses: [zoe] }] }),
      409,
      'InvalidRefreshToken',
      'participants.0.addresses.0',
    );
  });
});

describe('people who are not connected', () => {
  it('are 404 through an account of another application, in whatever role', async () => {
    const { key } = await secondApplication(world);
    for (const viaEndUserAccountId of [via['google']?.accountId, 'acc_none']) {
      const addresses = [{ email: 'zoe@google-office.example', viaEndUserAccountId }];
      const sent = {
        ...QUESTION,
        durationMinutes: 60,
        participants: [{ id: 'ada' }, { id: 'zoe', role: 'optional', addresses }],
      };
      const path = 'participants.1.addresses.0.viaEndUserAccountId';
      expectProblem(await world.call('POST', '/v1/availability', { body: sent, key }), 404, 'NotFound', path);
      const inList = await world.call('POST', '/v1/freeBusy', { body: { ...QUESTION, addresses }, key });
      expectProblem(inList, 404, 'NotFound', 'addresses.0.viaEndUserAccountId');
    }
  });

  it('are refused where the provider has no such request', async () => {
    const addresses = [{ email: 'zoe@caldav.example', viaEndUserAccountId: via['caldav']?.accountId }];
    expectProblem(await ask({ participants: [{ id: 'zoe', addresses }] }), 422, 'UnsupportedByProvider');
  });

  it.each([
    ['participants.0.addresses.0.email', [{ email: 'zoe', viaEndUserAccountId: 'acc_1' }]],
    ['participants.0.addresses.0.viaEndUserAccountId', [{ email: 'zoe@example.com' }]],
    ['participants', 6],
  ])('name %s', async (path, addresses) => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, index) => ({
        id: `p${index}`,
        addresses: Array.from({ length: 20 }, (_, n) => ({ email: `p${n}@example.com`, viaEndUserAccountId: 'acc_1' })),
      }));
    const participants = typeof addresses === 'number' ? many(addresses) : [{ id: 'zoe', addresses }];
    expectProblem(await ask({ participants }), 400, 'InvalidRequest', path);
  });
});
