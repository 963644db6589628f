import { expect, it } from 'vitest';
import { escapeXml, mkcalendarBody, multigetBody, proppatchBody, syncBody } from '../../src/protocol/bodies.ts';
import { apple, caldavName, dav } from '../../src/protocol/names.ts';
import { readXml, type XmlElement } from '../../src/protocol/read-xml.ts';

async function rootOf(text: string): Promise<XmlElement> {
  const roots: XmlElement[] = [];
  await readXml(
    text,
    (_name, depth) => depth === 1,
    (element) => roots.push(element),
  );
  const [root] = roots;
  if (root === undefined) throw new Error('there is no element');
  return root;
}

const HOSTILE = `</D:href>&"'<!--\r\n]]>`;

it('escapes whatever is written, so that it reads as it was', async () => {
  expect((await rootOf(`<a b="${escapeXml(HOSTILE)}">${escapeXml(HOSTILE)}</a>`)).text).toBe(HOSTILE);
  const [, token] = [0, (await rootOf(syncBody(HOSTILE, [dav('getetag')]))).children[0]];
  expect([token?.name, token?.text]).toEqual(['{DAV:}sync-token', HOSTILE]);
  const hrefs = (await rootOf(multigetBody([HOSTILE, '/b'], [dav('getetag')]))).children.slice(1);
  expect(hrefs.map(({ text }) => text)).toEqual([HOSTILE, '/b']);
});

it('names each property in its namespace', async () => {
  const body = proppatchBody([[apple('calendar-color'), '#112233FF']], [caldavName('calendar-timezone')]);
  const [set, remove] = (await rootOf(body)).children;
  expect(set?.children[0]?.children[0]).toMatchObject({ name: apple('calendar-color'), text: '#112233FF' });
  expect(remove?.children[0]?.children[0]?.name).toBe('{urn:ietf:params:xml:ns:caldav}calendar-timezone');
  const made = await rootOf(
    mkcalendarBody([[caldavName('supported-calendar-component-set'), { components: ['VEVENT'] }]]),
  );
  expect(made.children[0]?.children[0]?.children[0]?.children[0]?.attributes).toEqual({ name: 'VEVENT' });
});
