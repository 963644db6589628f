import fc from 'fast-check';
import { expect, it } from 'vitest';
import { encodePath, idOfPath, lastSegment, pathOf, pathOfId } from '../../src/protocol/paths.ts';

const BASE = new URL('https://dav.example.com/home/');

it.each([
  ['/home/a%40b.ics', '/home/a@b.ics'],
  ['/home/a@b.ics', '/home/a@b.ics'],
  ['https://dav.example.com:443/home/a.ics', '/home/a.ics'],
  ['http://dav.example.com/home/a.ics', '/home/a.ics'],
  ['a%20b.ics', '/home/a b.ics'],
  ['/home/%C3%BC.ics', '/home/ü.ics'],
  ['/home/ü.ics', '/home/ü.ics'],
  ['/home/a%2540b.ics', '/home/a%40b.ics'],
  ['/home/a%2Fb.ics', '/home/a%2Fb.ics'],
  ['/home/100%.ics', '/home/100%.ics'],
  ['/home/a%252fb.ics', '/home/a%2fb.ics'],
  ['/home/caf%25E9.ics', '/home/caf%E9.ics'],
  ['/home/caf%25C3%25A9.ics', '/home/caf%C3%A9.ics'],
])('%s is the path %s', (href, path) => {
  expect(pathOf(href, BASE)).toBe(path);
  expect(pathOf(encodePath(path), BASE)).toBe(path);
  expect(pathOfId(idOfPath(path))).toBe(path);
  expect(idOfPath(path)).toMatch(/^[\w-]+$/);
});

/** The octets of each segment of a path as it is sent. */
const octetsOf = (path: string): readonly string[] =>
  new URL(path, BASE).pathname
    .split('/')
    .map((segment) => Buffer.from(unescapeOctets(segment), 'latin1').toString('hex'));
const unescapeOctets = (segment: string): string =>
  segment.replaceAll(/%([\da-f]{2})/gi, (_escape, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));

const parts = ['%2F', '%2f', '%252F', '%25252F', '%25', '%32F', '2F', '%', '%00', '%E9', '%e9', '%C3%A9', '%ED%A0%80'];
const segments = fc
  .array(fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...parts, '%40', '@', 'ü', ' ', '25') }, fc.string()))
  .map((all) => all.join('').replaceAll(/[/\\?#\t\r\n]/g, ''))
  .filter((segment) => !/^(?:\.|%2e){0,2}$/i.test(segment.trim()));

it('names the same resource by a path as by its href, however that is escaped', () => {
  const names = fc.array(segments, { minLength: 1, maxLength: 3 }).map((all) => `/home/${all.join('/')}/x`);
  fc.assert(
    fc.property(names, (href) => {
      const path = pathOf(href, BASE) ?? '';
      expect(octetsOf(encodePath(path))).toEqual(octetsOf(href));
      expect(pathOf(encodePath(path), BASE)).toBe(path);
      expect(pathOfId(idOfPath(path))).toBe(path);
    }),
    { seed: 7, numRuns: 2_000, examples: [['/home/a%252Fb/x'], ['/home/caf%E9/x'], ['/home/%2525%32%46/x']] },
  );
});

it('gives resources with different hrefs different paths', () => {
  const names = ['%2F', '%252F', '%25252F', '%E9', '%25E9', '%00', '%2500', '%0000', '%000025', '%00252F', '%C3%A9'];
  expect(new Set(names.map((name) => pathOf(name, BASE))).size).toBe(names.length);
});

it.each([
  ['caf%E9/', 'caf%E9'],
  ['a%252Fb/', 'a%252Fb'],
  ['m%C3%BCller@x.example/', 'müller@x.example'],
])('shows the name of %s as %j, without a character that answers must not have', (href, name) => {
  expect(lastSegment(pathOf(href, BASE) ?? '')).toBe(name);
});

it.each(['/home/\u00002E\u00002E/a', '/home/\u00002Fa'])('sends no path of an id but with its segments: %j', (path) => {
  expect(new URL(encodePath(path), BASE).pathname.split('/')).toHaveLength(path.split('/').length);
  expect(encodePath(path)).toContain('%00');
});

it.each([
  'https://other.example.com/home/a.ics',
  'http://dav.example.com:8080/home/a.ics',
  'mailto:a@example.com',
  'http://[',
])('%s is no path of this server', (href) => {
  expect(pathOf(href, BASE)).toBeUndefined();
});

it.each([
  '',
  'abc',
  'no path',
  idOfPath('relative'),
  idOfPath('/a/../b'),
  `${idOfPath('/a')}=`,
])('the id %j names nothing', (id) => {
  expect(() => pathOfId(id)).toThrow('no such resource');
});
