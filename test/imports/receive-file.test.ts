import { expect, it } from 'vitest';
import { receiveFile } from '../../src/imports/receive-file.ts';
import type { ImportItem } from '../../src/ports/index.ts';

const encoder = new TextEncoder();

/** Yields a calendar of so many events, each of its own UID. */
async function* calendarOf(events: number, description = ''): AsyncGenerator<Uint8Array> {
  yield encoder.encode('BEGIN:VCALENDAR\r\nX-WR-TIMEZONE:Europe/Berlin\r\n');
  for (let index = 0; index < events; index += 1) {
    const lines = [`UID:e${index}`, 'DTSTART:20260301T090000Z', `DESCRIPTION:${description}`];
    yield encoder.encode(['BEGIN:VEVENT', ...lines, 'END:VEVENT', ''].join('\r\n'));
  }
  yield encoder.encode('END:VCALENDAR\r\n');
}

it('hands the events of a long file on in batches of bounded length', async () => {
  const batches: number[] = [];
  let items = 0;
  const add = async (batch: readonly ImportItem[]) => {
    batches.push(batch.reduce((length, { components }) => length + components.length, 0));
    items += batch.length;
  };
  const { frame, problems } = await receiveFile(calendarOf(10_000, 'x'.repeat(200)), add);
  expect([items, frame, problems]).toEqual([10_000, 'X-WR-TIMEZONE:Europe/Berlin\r\n', []]);
  expect(batches.length).toBeGreaterThan(5);
  expect(Math.max(...batches)).toBeLessThan(501_000);
});

it('gathers the components of a UID, wherever they stand, and names lines that are passed over', async () => {
  const text = [
    'BEGIN:VCALENDAR',
    'BEGIN:VEVENT',
    'UID:a',
    'END:VEVENT',
    'broken',
    'BEGIN:VEVENT',
    'UID:a',
    'RECURRENCE-ID:20260301T090000Z',
    'END:VEVENT',
    'BEGIN:VTODO',
    'UID:task',
    'END:VTODO',
    'END:VCALENDAR',
  ];
  const added: ImportItem[] = [];
  const file = async function* () {
    yield encoder.encode(text.join('\n'));
  };
  const { problems } = await receiveFile(file(), async (items) => void added.push(...items));
  expect(added.map(({ uid, components }) => `${uid} ${components.split('BEGIN:VEVENT').length - 1}`)).toEqual(['a 2']);
  expect(problems).toEqual([{ field: 'line 5', rule: expect.stringContaining('a line is no property') }]);
});

it('counts what many calendars have in common once', async () => {
  const event = 'BEGIN:VEVENT\nUID:a\nEND:VEVENT\n';
  const zone = 'BEGIN:VTIMEZONE\nTZID:Here\nEND:VTIMEZONE\n';
  const calendar = (name: string) => `BEGIN:VCALENDAR\nX-WR-TIMEZONE:${name}\n${zone}${event}END:VCALENDAR\n`;
  const file = async function* () {
    yield encoder.encode(calendar('Europe/Berlin').repeat(40_000));
    for (let count = 0; count < 1_000; count += 1) yield encoder.encode(calendar('Asia/Tokyo') + calendar('Etc/UTC'));
  };
  const { frame } = await receiveFile(file(), async () => undefined);
  expect(frame.split('BEGIN:VTIMEZONE')).toHaveLength(4);

  const others = async function* () {
    for (let count = 0; count < 20_000; count += 1) yield encoder.encode(calendar(`Zone/${count}`));
  };
  await expect(receiveFile(others(), async () => undefined)).rejects.toThrow('1000000 characters at most');
});

it.each([
  ['within an event', 'LOCATION'],
  ['between events', 'BEGIN:VEVENT\nUID:b'],
  ['at the end of its calendar', 'END:VCALENDAR'],
  ['within the last line', 'VCALENDAR\n'],
])('refuses a file that is cut off %s', async (_, from) => {
  const event = (uid: string) => `BEGIN:VEVENT\nUID:${uid}\nLOCATION:Room\nEND:VEVENT\n`;
  const text = `BEGIN:VCALENDAR\n${event('a')}${event('b')}END:VCALENDAR\n`;
  const cut = async function* () {
    yield encoder.encode(text.slice(0, text.lastIndexOf(from)));
  };
  await expect(receiveFile(cut(), async () => undefined)).rejects.toMatchObject({
    code: 'InvalidRequest',
    details: [{ path: 'END', message: 'the file is cut off: a component in it does not end' }],
  });
});

it('refuses a file of more events or bytes than the limits', async () => {
  const nowhere = async () => undefined;
  await expect(receiveFile(calendarOf(100_001), nowhere)).rejects.toThrow('100000 events at most');
  const endless = async function* () {
    const blank = encoder.encode(`${' '.repeat(999)}\n\n`.repeat(1_000));
    yield encoder.encode('BEGIN:VCALENDAR\n');
    for (let index = 0; index < 101; index += 1) {
      yield encoder.encode('BEGIN:VEVENT\nUID:a\nEND:VEVENT\n');
      yield blank;
    }
  };
  await expect(receiveFile(endless(), nowhere)).rejects.toThrow('100000000 bytes at most');
});

it('reads a long part in turns of the event loop', async () => {
  let turns = 0;
  let isRunning = true;
  const count = () => {
    turns += 1;
    if (isRunning) setImmediate(count);
  };
  setImmediate(count);
  const file = async function* () {
    const event = `BEGIN:VEVENT\nUID:a\nDESCRIPTION:${'x'.repeat(9_900)}\nEND:VEVENT\n`;
    yield encoder.encode(`BEGIN:VCALENDAR\n${event.repeat(300)}END:VCALENDAR\n`);
  };
  await receiveFile(file(), async () => undefined);
  isRunning = false;
  // 3 MB, 64 kB a turn.
  expect(turns).toBeGreaterThanOrEqual(45);
});
