import { readComponents, streamComponents } from 'kalends/icalendar';
import { expect, it } from 'vitest';

const TEXT = [
  'BEGIN:VCALENDAR',
  'X-WR-CALNAME:Zoë’s 📅',
  'BEGIN:VTIMEZONE',
  'TZID:Here',
  'BEGIN:STANDARD',
  'DTSTART:19700101T000000',
  'END:STANDARD',
  'END:VTIMEZONE',
  'BEGIN:VEVENT',
  'SUMMARY:A long',
  '  line that is',
  '\tfolded 📅 twice',
  'BEGIN:VALARM',
  'ACTION:DISPLAY',
  'END:VALARM',
  'END:VEVENT',
  'no property',
  'BEGIN:VEVENT',
  'SUMMARY:Cut off',
].join('\r\n');

/** Yields bytes in parts of a size. */
async function* parts(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function streamed(bytes: Uint8Array, size: number) {
  const problems: string[] = [];
  const components = [];
  const each = streamComponents(parts(bytes, size), (line, rule) => problems.push(`line ${line}: ${rule}`));
  for await (const { component, isCalendar } of each) if (!isCalendar) components.push(component);
  return { components, problems };
}

it('says of a file in parts of any size what the reading of its text says', async () => {
  const utf8 = new TextEncoder().encode(`\uFEFF \r\n${TEXT}`);
  const utf16 = new Uint8Array(Buffer.from(`\uFEFF${TEXT}`, 'utf16le'));
  const whole = readComponents(TEXT);
  const expected = { components: whole.components[0]?.components, problems: whole.problems };
  expect(expected.components).toHaveLength(3);
  for (const size of [1, 2, 3, 7, 64, 10_000]) {
    expect(await streamed(utf8, size), `${size}`).toEqual(expected);
    expect(await streamed(utf16, size), `${size}, UTF-16`).toEqual(expected);
    expect(await streamed(utf16.subarray(2), size), `${size}, UTF-16 without a mark`).toEqual(expected);
    const twice = new TextEncoder().encode(TEXT.replaceAll('\r\n', '\r\r\n'));
    expect(await streamed(twice, size), `${size}, a carriage return too many`).toEqual(expected);
    const ofUnix = new TextEncoder().encode(TEXT.replaceAll('\r\n', '\n'));
    expect(await streamed(ofUnix, size), `${size}, line feeds`).toEqual(expected);
  }
});

it('refuses other charsets, depth, and what would not fit into memory', async () => {
  const refused = (bytes: Uint8Array) => expect(streamed(bytes, 1_000)).rejects;
  await refused(Uint8Array.of(66, 0xe9, 66, 67, 68)).toThrow('charset: the text must be UTF-8');
  await refused(new TextEncoder().encode('BEGIN:A\n'.repeat(9))).toThrow('nested 8 deep');
  const folded = `BEGIN:VEVENT\nA:${'x'.repeat(999)}${`\n ${'x'.repeat(999)}`.repeat(5_000)}`;
  await refused(new TextEncoder().encode(folded)).toThrow('a line may have');
  await refused(new TextEncoder().encode(`BEGIN:VEVENT\n${`A:${'x'.repeat(999)}\n`.repeat(5_000)}`)).toThrow(
    'a component may have',
  );
});

it('reads UTF-8 with a stray NUL at its start, whatever the size of the parts', async () => {
  const expected = await streamed(new TextEncoder().encode(TEXT), 64);
  for (const size of [1, 2, 3, 64]) {
    for (const start of [`\0${TEXT}`, `${TEXT[0]}\0${TEXT.slice(1)}`]) {
      expect(await streamed(new TextEncoder().encode(start), size), `${size}`).toEqual(expected);
    }
  }
});
