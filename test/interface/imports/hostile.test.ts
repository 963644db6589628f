import { afterAll, beforeAll, expect, it } from 'vitest';
import { HOSTILE_FILES } from '../../icalendar/hostile-files.ts';
import { body, eventsPath, expectProblem, readAll } from '../steps.ts';
import { createWorld, type World } from '../world.ts';
import { importedInto, importsPath } from './import-world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

it.each(HOSTILE_FILES)('an import reads or refuses $name', async ({ bytes, titles, refused = 0, rule }) => {
  const account = await world.connect('google');
  if (titles === undefined) {
    const answer = await world.call('POST', importsPath(account), {
      body: bytes,
      headers: { 'content-type': 'text/calendar' },
    });
    expectProblem(answer, 400, 'InvalidRequest');
    expect(answer.body.detail).toMatch(rule ?? /never/);
    return;
  }
  const { counts, problems } = await importedInto(world, account, bytes);
  expect(counts.refused, JSON.stringify(problems)).toBe(refused);
  const shown = (await readAll(world, eventsPath(account))).data.map(({ title }) => title);
  if (refused === 0) expect(shown.sort()).toEqual(titles);
  else expect(shown).toHaveLength(titles.length - refused);
});

it('reads another charset that the Content-Type names', async () => {
  const account = await world.connect('google');
  const lines = [
    'BEGIN:VCALENDAR',
    'BEGIN:VEVENT',
    'UID:a',
    'DTSTART:20260302T090000Z',
    'SUMMARY:Größe',
    'END:VEVENT',
    'END:VCALENDAR',
  ];
  const latin1 = Buffer.from(lines.join('\r\n'), 'latin1');
  const send = (type: string, sent: Uint8Array = latin1) =>
    world.call('POST', `${importsPath(account)}?dryRun=false`, { body: sent, headers: { 'content-type': type } });
  expectProblem(await send('text/calendar; charset=klingon'), 415, 'UnsupportedMediaType');
  expectProblem(await send('text/calendar; charset=utf-8'), 400, 'InvalidRequest', 'charset');
  expectProblem(await send('text/calendar; charset=utf-16be', latin1.subarray(1)), 400, 'InvalidRequest');
  body(await send('text/calendar; method=PUBLISH; Charset="ISO-8859-1"'), 202);
  await expect
    .poll(async () => (await readAll(world, eventsPath(account))).data.map(({ title }) => title))
    .toEqual(['Größe']);
});
