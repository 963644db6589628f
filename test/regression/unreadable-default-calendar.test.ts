import { afterEach, beforeEach, expect, it } from 'vitest';
import { type DistortedAnswers, distortedAnswers } from '../interface/distorted-answers.ts';
import { calendarsPath } from '../interface/steps.ts';
import type { Json, World } from '../interface/world.ts';
import { createInterceptedWorld } from './intercepted-world.ts';

/*
 * The owner of the default calendar is the mailbox's own address at Graph, which may differ from the sign-in address. While the
 * default calendar was unreadable, the sign-in address was taken, and all other calendars of the mailbox looked shared.
 */
let world: World;
let answers: DistortedAnswers;
beforeEach(async () => {
  const intercepted = await createInterceptedWorld({ sync: { freshWithoutPushMs: 0.001, readWaitMs: 10_000 } });
  world = intercepted.world;
  answers = distortedAnswers();
  intercepted.network.intercept = answers.intercept;
});
afterEach(() => world.close());

it('an unreadable default calendar still names the mailbox', async () => {
  const { accountId, calendarId } = await world.connect('microsoft');
  const list = calendarsPath(accountId);
  const other = (await world.call('POST', list, { body: { name: 'other' } })).body.id as string;
  const owner = { name: 'Mailbox', address: 'mailbox@contoso.test' };
  answers.byId.set(calendarId, (wire) => ({ ...wire, owner, name: {} }));
  answers.byId.set(other, (wire) => ({ ...wire, owner }));
  const { body } = await world.call('GET', list);
  expect(body.data.find(({ id }: Json) => id === other)).toMatchObject({ isShared: false, inviteEmail: owner.address });
  const { body: health } = await world.call('GET', `/v1/endUserAccounts/${accountId}/unreadableObjects`);
  expect(health.data).toMatchObject([{ kind: 'calendar', objectId: calendarId }]);
});
