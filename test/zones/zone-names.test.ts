import { formatInstant, ianaToWindows, offsetAt, resolveZone, windowsToIana } from 'kalends/zones';
import { describe, expect, test } from 'vitest';

/** Names of the tz database that stand for other zones. */
const ALIASES = [
  ...['America/Argentina/ComodRivadavia', 'America/Knox_IN', 'America/Port_of_Spain', 'America/Fort_Wayne'],
  ...['Antarctica/McMurdo', 'Antarctica/South_Pole', 'Asia/Kolkata', 'Asia/Ust-Nera', 'Atlantic/Faroe'],
  ...['Africa/Dar_es_Salaam', 'America/Port-au-Prince', 'America/Blanc-Sablon', 'America/Argentina/Buenos_Aires'],
  ...['Australia/ACT', 'Australia/LHI', 'Australia/NSW', 'Australia/Yancowinna', 'Brazil/DeNoronha', 'Brazil/East'],
  ...['Canada/East-Saskatchewan', 'Chile/EasterIsland', 'Mexico/BajaNorte', 'Mexico/BajaSur', 'Europe/Kyiv'],
  ...['CST6CDT', 'EST5EDT', 'MST7MDT', 'PST8PDT', 'Cuba', 'Egypt', 'Eire', 'GB-Eire', 'Hongkong', 'Iceland', 'Zulu'],
  ...['Etc/GMT', 'Etc/GMT+0', 'Etc/GMT-0', 'Etc/GMT0', 'Etc/UCT', 'Etc/UTC', 'Etc/Zulu', 'GMT0', 'GMT+0', 'W-SU'],
  ...['NZ-CHAT', 'NZ', 'GB', 'US/Eastern', 'US/East-Indiana', 'US/Indiana-Starke', 'Universal', 'Greenwich'],
  ...['Europe/Isle_of_Man', 'Europe/Tiraspol', 'Pacific/Samoa', 'Pacific/Kanton', 'Asia/Ho_Chi_Minh'],
];

describe('resolveZone', () => {
  test.each([
    'America/New_York',
    'US/Eastern',
    'Asia/Calcutta',
    'Asia/Kolkata',
    'Europe/Kiev',
    'Europe/Kyiv',
    'UTC',
    'GMT',
    'EST',
    'EST5EDT',
    'Etc/GMT+5',
    'America/Ciudad_Juarez',
    'Pacific/Kanton',
  ])('%s is kept as it is spelled', (name) => {
    expect(resolveZone(name)).toBe(name);
  });

  test('names of any case are spelled as in the tz database, aliases too', () => {
    const names = [...Intl.supportedValuesOf('timeZone'), ...ALIASES].filter((name) => name.length !== 3);
    for (const name of names) {
      const spellings = [name, name.toLowerCase(), name.toUpperCase()].map((spelling) => resolveZone(spelling));
      expect(spellings).toEqual([name, name, name]);
    }
    expect(['utc', 'Utc', 'gmt', 'est', 'prc'].map((name) => resolveZone(name))).toEqual([
      ...['UTC', 'UTC', 'GMT', 'EST', 'PRC'],
    ]);
  });

  test.each([
    ['Eastern Standard Time', 'America/New_York'],
    ['eastern standard time', 'America/New_York'],
    ['W. Europe Standard Time', 'Europe/Berlin'],
    ['GMT Standard Time', 'Europe/London'],
    ['Greenwich Standard Time', 'Atlantic/Reykjavik'],
    ['UTC', 'UTC'],
    ['UTC-11', 'Etc/GMT+11'],
    ['FLE Standard Time', 'Europe/Kiev'],
  ])('the Windows name %s is %s', (windows, zone) => {
    expect(resolveZone(windows)).toBe(zone);
  });

  test.each([
    '+02:00',
    '-05:00',
    '+0530',
    'UTC+3',
    'GMT+5',
    '',
    'Mars/Olympus',
    'Customized Time Zone',
    'tzone://Microsoft/Custom',
    '(UTC-05:00) Eastern Time (US & Canada)',
    'PST',
    'IST',
    'BST',
    'SystemV/EST5',
    'America/New York',
    '__proto__',
  ])('"%s" is no zone', (name) => {
    expect(resolveZone(name)).toBeUndefined();
  });

  test('an unknown zone is an error where a time is asked', () => {
    expect(() => offsetAt('Mars/Olympus', 0)).toThrow('unknown time zone: Mars/Olympus');
  });
});

describe('Windows names', () => {
  test('every zone of the runtime but Troll has one, and it leads back to the same time today', () => {
    const without = Intl.supportedValuesOf('timeZone').filter((zone) => ianaToWindows(zone) === undefined);
    expect(without).toEqual(['Antarctica/Troll']);
  });

  test.each([
    ['America/New_York', 'Eastern Standard Time'],
    ['US/Eastern', 'Eastern Standard Time'],
    ['Europe/Kyiv', 'FLE Standard Time'],
    ['America/Ciudad_Juarez', 'Mountain Standard Time'],
    ['Pacific/Kanton', 'UTC+13'],
    ['Asia/Kolkata', 'India Standard Time'],
    ['UTC', 'UTC'],
  ])('%s is %s', (zone, windows) => {
    expect(ianaToWindows(zone)).toBe(windows);
  });

  test('go there and back', () => {
    for (const windows of ['Eastern Standard Time', 'Tokyo Standard Time', 'Nepal Standard Time', 'UTC']) {
      expect(ianaToWindows(windowsToIana(windows)!)).toBe(windows);
    }
    expect(windowsToIana('Nowhere Standard Time')).toBeUndefined();
    expect(ianaToWindows('Mars/Olympus')).toBeUndefined();
  });
});

test('an instant is written in its zone with its offset', () => {
  expect(formatInstant('America/New_York', Date.UTC(2026, 2, 1, 14))).toBe('2026-03-01T09:00:00-05:00');
  expect(formatInstant('UTC', Date.UTC(2026, 2, 1, 14))).toBe('2026-03-01T14:00:00+00:00');
  expect(formatInstant('Asia/Kathmandu', 999)).toBe('1970-01-01T05:30:00+05:30');
});
