import { expect, it } from 'vitest';
import { failureOf, openComposedEngine } from '../accounts/composed-engine.ts';
import { eventsPath, expectProblem } from '../interface/steps.ts';
import { PROVIDERS } from '../interface/world.ts';
import { createInterceptedWorld, gate } from './intercepted-world.ts';

it.each(PROVIDERS)('answers 404 to what is under way at $provider when its account is deleted', async ({
  provider,
}) => {
  const { world, network } = await createInterceptedWorld();
  const { call } = world;
  for (const underWay of ['read', 'write']) {
    const connected = await world.connect(provider);
    const [reached, released] = [gate(), gate()];
    network.intercept = async (request, pass) => {
      if (/events|calendarView/.test(request.url)) {
        reached.open();
        await released.opened;
      }
      return pass();
    };
    const body = { title: 'x', start: { dateTime: '2026-03-01T09:00:00Z' } };
    const path = eventsPath(connected);
    const answer = underWay === 'read' ? call('GET', path) : call('POST', path, { body });
    await reached.opened;
    expect((await call('DELETE', `/v1/endUserAccounts/${connected.accountId}`)).status).toBe(200);
    released.open();
    expectProblem(await answer, 404, 'NotFound');
    network.intercept = (_request, pass) => pass();
  }
  await world.close();
});

it('finds no account for a token once it is deleted, and revokes the grant after that', async () => {
  const composed = await openComposedEngine();
  const accountId = await composed.connect();
  const connected = await composed.engine.access.get(composed.applicationId, accountId);
  const session = composed.engine.access.session(connected);
  const late: unknown[] = [];
  const revoking = async () => {
    late.push(await failureOf(session.accessToken()));
  };
  Object.assign(composed.fake.provider.authorization, { revoke: revoking });
  await composed.engine.services.accounts.delete(composed.caller, accountId);
  expect(late).toMatchObject([{ code: 'NotFound' }]);
});
