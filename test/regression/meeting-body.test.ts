import { expect, test } from 'vitest';
import { readDescription, replaceDescription } from '../../adapters/microsoft/src/events/description.ts';

const RULE = '_'.repeat(80);
const BLOCK = `<div class="me-email"><span>${RULE}</span><a href="https://teams.example/j">Join</a></div>`;
const document = (inner: string) => `<html><head><title>x</title></head><BODY lang="en">${inner}</BODY></html>`;

test('a text loses the line ends that Exchange adds, and the block of the meeting', () => {
  expect(readDescription('a\r\n\r\nb\r\n\r\n', { isOnlineMeeting: false }, undefined)).toBe('a\n\nb');
  expect(readDescription('a\r\n\r', { isOnlineMeeting: false }, undefined)).toBe('a\r\n\r'.replaceAll('\r\n', '\n'));
  expect(readDescription(`Agenda \r\n\t\r\n${RULE}\r\nJoin`, { isOnlineMeeting: true }, undefined)).toBe('Agenda');
  expect(readDescription(`${'_'.repeat(29)}\r\n`, { isOnlineMeeting: true }, undefined)).toBe('_'.repeat(29));
});

test('another text is written above the block, which starts with the tags opened before its rule', () => {
  const written = replaceDescription(document(`old<br>${BLOCK}`), 'new &amp; <b>more</b>', 'https://teams.example/j');
  expect(written).toBe(`new &amp; <b>more</b><br>${BLOCK}`);
  expect(replaceDescription(document(`<p>old</p> \n<div> ${BLOCK}</div>`), 'new', 'https://teams.example/j')).toBe(
    `new<br><div> ${BLOCK}</div>`,
  );
});

test('a rule of the description above the last one is replaced with it', () => {
  const own = `old<br>${RULE}<br>older<br>`;
  expect(replaceDescription(document(own + BLOCK), 'new', 'https://teams.example/j')).toBe(`new<br>${BLOCK}`);
});

test('a body without a rule keeps the tag of the link; one without a link keeps what follows the first rule', () => {
  const link = '<a href="https://teams.example/j">Join</a>';
  expect(replaceDescription(document(`old${link}`), 'new', 'https://teams.example/j')).toBe(`new<br>${link}`);
  expect(replaceDescription(document(`old<p>${RULE}</p>`), 'new', undefined)).toBe(`new<br><p>${RULE}</p>`);
  expect(replaceDescription('<p>no body tag</p>', 'new', undefined)).toBe('new');
});

test('a body with neither rule nor link is not written over while the link is known; an empty one has no block', () => {
  const other = '<div>Join <a href="https://links.example/?url=https%3A%2F%2Fteams.example%2Fj">here</a></div>';
  expect(replaceDescription(document(`old${other}`), 'new', 'https://teams.example/j')).toBeUndefined();
  for (const empty of ['', document(''), document(' \r\n ')]) {
    expect(replaceDescription(empty, 'new', 'https://teams.example/j')).toBe('new');
  }
});
