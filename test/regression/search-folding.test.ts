import { expect, it } from 'vitest';
import { admitsContent } from '../../src/events/read/event-filters.ts';
import type { EventContent } from '../../src/ports/index.ts';

const finds = (search: string, title: string) =>
  admitsContent({ expand: false, from: null, to: null, search }, { content: { title } as EventContent });

it.each([
  ['İstanbul', ['istanbul', 'ISTANBUL', 'İSTANBUL', 'i̇stan', 'I\u0307stanbul']],
  ['Diyarbakır', ['DIYARBAKIR', 'diyarbakır', 'diyarbakir', 'DİYARBAKIR']],
  ['ΟΔΥΣΣΕΥΣ', ['οδυσσευς', 'οδυσσευσ', 'Οδυσσεύς'.normalize('NFD').replaceAll('\u0301', ''), 'ΥΣ']],
  ['Παρουσίαση', ['παρουσ', 'ΠΑΡΟΥΣΊΑΣΗ', 'παρους']],
  ['Straße', ['STRASSE', 'strasse', 'STRAẞE', 'straße', 'ss']],
  ['Über', ['U\u0308BER', 'über']],
  ['eﬃcient', ['EFFICIENT']],
])('%s is found in any case', (title, searches) => {
  expect(searches.filter((search) => !finds(search, title))).toEqual([]);
});

it('tells letters apart that do not differ in case', () => {
  for (const [search, title] of [
    ['uber', 'Über'],
    ['strase', 'Straße'],
    ['παρουσιαση', 'Παρουσίαση'],
  ] as const) {
    expect([search, finds(search, title)]).toEqual([search, false]);
  }
});
