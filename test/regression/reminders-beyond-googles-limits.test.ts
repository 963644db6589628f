import { expect, onTestFinished, test } from 'vitest';
import { createScopedWorld } from '../events/series-edit/scoped-world.ts';

const popups = (...minutes: readonly number[]) => minutes.map((each) => ({ method: 'popup', minutes: each }));

test('an event of Google with odd reminders is shown with the others, and keeps them all when it is sent back', async () => {
  const scoped = await createScopedWorld('google');
  onTestFinished(() => scoped.close());
  const { sandbox } = scoped.world;
  sandbox.google.controls['plantEvent']?.({
    calendarId: 'person1@google.example',
    event: {
      id: 'odd',
      summary: 'Odd',
      start: { dateTime: '2026-04-06T09:00:00Z', timeZone: 'UTC' },
      end: { dateTime: '2026-04-06T10:00:00Z', timeZone: 'UTC' },
      reminders: { useDefault: false, overrides: popups(-540, 1, 2, 3, 4, 5, 6) },
    },
  });
  const shown = await scoped.get('odd');
  expect(shown.reminders).toEqual({ useDefault: false, isReminderOn: true, overrides: popups(1, 2, 3, 4, 5) });
  sandbox.requests.clear();
  await scoped.put('odd', { ...shown, title: 'Even' });
  const [patch] = sandbox.requests.list().filter(({ method }) => method === 'PATCH');
  expect(patch?.requestBody).toContain('Even');
  expect(patch?.requestBody).not.toContain('reminders');
});
