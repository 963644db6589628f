import { expect, it, onTestFinished } from 'vitest';
import { createImportWorld, importedInto } from './import-world.ts';

it('an import is in the audit log without the id of its calendar, which may be an address', async () => {
  const world = await createImportWorld();
  onTestFinished(() => world.close());
  const place = await world.connectTo('google');
  await importedInto(
    world,
    place,
    ['BEGIN:VCALENDAR', 'BEGIN:VEVENT', 'UID:a', 'DTSTART:20260302T090000Z', 'END:VEVENT', 'END:VCALENDAR'].join(
      '\r\n',
    ),
  );
  const { data } = await world.engine.audit.list({ action: 'import.started' });
  expect(data).toMatchObject([{ action: 'import.started', changed: [] }]);
  expect(JSON.stringify(data)).not.toContain('@');
});
