import { expect, it } from 'vitest';
import { encodePath, idOfPath, pathOf, pathOfId } from '../../src/protocol/paths.ts';

const BASE = new URL('https://dav.example.com/home/');

it.each([
  ['/home/a%40b.ics', '/home/a@b.ics'],
  ['/home/a@b.ics', '/home/a@b.ics'],
  ['https://dav.example.com:443/home/a.ics', '/home/a.ics'],
  ['a%20b.ics', '/home/a b.ics'],
  ['/home/%C3%BC.ics', '/home/ü.ics'],
  ['/home/ü.ics', '/home/ü.ics'],
  ['/home/a%2540b.ics', '/home/a%40b.ics'],
  ['/home/a%2Fb.ics', '/home/a%2Fb.ics'],
  ['/home/100%.ics', '/home/100%.ics'],
])('%s is the path %s', (href, path) => {
  expect(pathOf(href, BASE)).toBe(path);
  expect(pathOf(encodePath(path), BASE)).toBe(path);
  expect(pathOfId(idOfPath(path))).toBe(path);
  expect(idOfPath(path)).toMatch(/^[\w-]+$/);
});

it.each([
  'https://other.example.com/home/a.ics',
  'http://dav.example.com/home/a.ics',
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
