import type { Calendar, CalendarEvent } from 'kalends/model';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { accessibilityProblems, SCREENS } from './chromium.ts';
import { createDashboardWorld, type DashboardWorld, takePictures } from './dashboard-world.ts';

/* Ada is busy on Monday 22 March 2027 from 9 to 11 and from 14 to 15, ben from 9:30 to 10, in Rome. */
const ROME = 'Europe/Rome';
const MONDAY = '2027-03-22';

let world: DashboardWorld;
let ada: Person;
let ben: Person;

interface Person {
  readonly accountId: string;
  readonly email: string;
  readonly calendarIds: readonly string[];
}

beforeAll(async () => {
  world = await createDashboardWorld();
  [ada, ben] = [await createPerson('google'), await createPerson('microsoft')];
  await createEvent(ada, '09:00', '11:00');
  await createEvent(ada, '14:00', '15:00');
  await createEvent(ben, '09:30', '10:00');
});
afterAll(() => world?.close());

const pages: Page[] = [];
afterEach(async () => {
  for (const page of pages.splice(0)) await page.context().close();
});

/** Connects a mailbox, and gives it a calendar in which nothing is but what the tests write. */
async function createPerson(provider: 'google' | 'microsoft'): Promise<Person> {
  const accountId = await world.connect(provider);
  const { email } = await world.call<{ email: string }>('GET', `/v1/endUserAccounts/${accountId}`);
  const body = { name: 'Work', timeZone: ROME };
  const { id } = await world.call<Calendar>('POST', `/v1/calendars/${accountId}`, body);
  return { accountId, email, calendarIds: [id] };
}

const createEvent = ({ accountId, calendarIds: [id = ''] }: Person, start: string, end: string) =>
  world.call<CalendarEvent>('POST', `/v1/events/${accountId}/${encodeURIComponent(id)}`, {
    title: 'Secret',
    start: { dateTime: `${MONDAY}T${start}:00`, timeZone: ROME },
    end: { dateTime: `${MONDAY}T${end}:00`, timeZone: ROME },
  });

/** Returns the address of a question about Monday, with what differs from an ordinary one. */
function asking(roles: readonly [string, string], more: object = {}, path = ''): string {
  const people = [ada, ben].map(({ accountId, calendarIds }, index) => ({
    accountId,
    calendarIds,
    role: roles[index],
  }));
  const ask = { people, from: MONDAY, to: MONDAY, timeZone: ROME, hasOwnZones: false, ...more };
  return `/availability${path}?${new URLSearchParams({ ask: JSON.stringify(ask) })}`;
}

const both = ['required', 'required'] as const;
const slotsOf = (page: Page) => page.locator('.slot').allInnerTexts();
const dayTitle = 'Monday, 22 March 2027';

async function openPage(path: string, options = {}) {
  const watched = await world.open(path, options);
  pages.push(watched.page);
  return watched;
}

/** Opens the page of a question, and waits for the answer. */
async function open(path: string, options = {}) {
  const watched = await openPage(path, options);
  await watched.page.getByText('Why not then?').waitFor();
  return watched;
}

it('finds times for people, from choosing them to why one is offered', async () => {
  const { page, faults } = await openPage('/availability');
  await page.getByRole('heading', { name: 'Nothing has been asked yet' }).waitFor();
  expect(await page.getByRole('button', { name: 'Find times' }).isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Add people' }).click();
  const picker = page.getByRole('dialog', { name: 'Add people' });
  for (const { email } of [ada, ben]) {
    await picker.getByLabel('E-mail or externalId').fill(email.slice(0, 6));
    await picker.getByRole('button', { name: email }).click();
    await picker.getByRole('button', { name: email }).waitFor({ state: 'detached' });
  }
  await page.keyboard.press('Escape');

  for (const { email } of [ada, ben]) {
    const row = page.locator('.person').filter({ hasText: email });
    await row.getByText('Own calendars').click();
    const checked = row.getByRole('checkbox', { checked: true });
    while ((await checked.count()) > 0) await checked.first().uncheck();
    await row.getByLabel('Work').check();
    await row.getByText('1 calendar').waitFor();
  }
  await page.getByLabel('First day').fill(MONDAY);
  await page.getByLabel('Last day').fill(MONDAY);
  await page.getByLabel('Time zone').fill(ROME);
  await page.getByLabel('Duration').fill('60');
  await page.getByLabel('Starts every').fill('60');
  await page.getByLabel('In the zone of each').uncheck();
  await page.getByRole('button', { name: 'Find times' }).click();
  await page.getByRole('heading', { name: '5 times' }).waitFor();
  await page.getByRole('heading', { name: dayTitle }).waitFor();
  expect(await slotsOf(page)).toEqual(['11:00', '12:00', '13:00', '15:00', '16:00']);
  expect(await page.locator('.attendee').allInnerTexts()).toEqual([ada.email, ben.email]);

  await page.getByRole('button', { name: `11:00, ${dayTitle}, until 12:00` }).click();
  const panel = page.getByRole('dialog', { name: `${dayTitle}, 11:00 – 12:00` });
  await panel.getByText('Offered', { exact: true }).waitFor();
  await panel.getByText('Rank 1 of 5').waitFor();
  expect(await panel.getByText('Comes').count()).toBe(2);
  await page.reload();
  await panel.getByText('Rank 1 of 5').waitFor();
  await page.keyboard.press('Escape');

  await page.getByLabel('Day', { exact: true }).fill(MONDAY);
  await page.getByLabel('Time', { exact: true }).fill('09:30');
  await page.keyboard.press('Enter');
  const why = page.getByRole('dialog', { name: `${dayTitle}, 09:30 – 10:30` });
  await why.getByText('Not offered').waitFor();
  expect(await why.locator('.obstacles li').allInnerTexts()).toEqual([
    'Slots start at multiples of 60 minutes after midnight',
    'Busy 09:00 – 11:00',
    'Busy 09:30 – 10:00',
  ]);
  expect(await why.textContent()).not.toContain('Secret');
  await page.goBack();
  await why.waitFor({ state: 'detached' });
  expect(await slotsOf(page)).toHaveLength(5);
  expect(faults).toEqual([]);
});

it('says that the form holds another question than the answer is of', async () => {
  const { page } = await open(asking(both, { duration: '60', step: '60' }));
  await page.getByLabel('Duration').fill('120');
  await page.getByText('The question has changed since.').waitFor();
  await page.getByRole('button', { name: 'Find times' }).click();
  await page.getByRole('heading', { name: '3 times' }).waitFor();
  expect(await slotsOf(page)).toEqual(['11:00', '12:00', '15:00']);
  expect(await page.getByText('The question has changed since.').count()).toBe(0);
});

describe('who comes', () => {
  const hourly = { duration: '60', step: '60' };

  it('are optional people if they can, the best times first', async () => {
    const { page } = await open(asking(['optional', 'required'], { ...hourly, order: 'rank' }));
    await page.getByRole('heading', { name: '7 times' }).waitFor();
    const groups = page.locator('.slot-group');
    expect(await groups.nth(0).locator('.slot').allInnerTexts()).toEqual(['11:00', '12:00', '13:00', '15:00', '16:00']);
    expect(await groups.nth(1).locator('.attendee').allInnerTexts()).toEqual([ben.email, `without ${ada.email}`]);
    expect(await groups.nth(1).locator('.slot').allInnerTexts()).toEqual(['10:00', '14:00']);
    await page.getByText('ranks 6 to 7').waitFor();
  });

  it('are any of a group', async () => {
    const { page } = await open(asking(['group-1', 'group-1'], hourly));
    await page.getByRole('heading', { name: '7 times' }).waitFor();
    await page.getByLabel('Taken of group 1, of 2').fill('2');
    await page.getByRole('button', { name: 'Find times' }).click();
    await page.getByRole('heading', { name: '5 times' }).waitFor();
    await page.getByLabel('Taken of group 1, of 2').fill('3');
    await page.getByRole('button', { name: 'Find times' }).click();
    await page.locator('.question .problem').waitFor();
    expect(await page.locator('.question .problem').innerText()).toMatch(/2/);
  });

  it('is the host who is next in line, or any who has time', async () => {
    const { page } = await open(asking(both, hourly));
    await page.getByLabel('Mode').selectOption('max-fairness');
    const row = page.locator('.person').filter({ hasText: ada.email });
    expect(await row.getByLabel('Role of').inputValue()).toBe('host');
    await row.getByText('1 calendar').click();
    await row.getByLabel('Assignments so far').fill('3');
    await page.getByRole('button', { name: 'Find times' }).click();
    await page.getByRole('heading', { name: '7 times' }).waitFor();
    expect(await page.locator('.line li').allInnerTexts()).toEqual([ben.email, ada.email]);
    expect(await page.locator('.attendee').allInnerTexts()).toEqual([ben.email]);
    await page.getByLabel('Mode').selectOption('max-availability');
    await row.getByLabel('Assignments so far').fill('0');
    await page.getByRole('button', { name: 'Find times' }).click();
    await page.locator('.attendee').nth(1).waitFor();
    expect(await page.locator('.slot-group').first().locator('.attendee').allInnerTexts()).toEqual([ben.email]);
  });
});

it('shows ranges, and more of a long answer', async () => {
  const { page } = await open(asking(both, { duration: '60', result: 'ranges' }));
  await page.getByRole('heading', { name: '2 ranges' }).waitFor();
  expect(await page.locator('.range-times').allInnerTexts()).toEqual(['11:00 – 14:00', '15:00 – 17:00']);
  const { page: long } = await open(asking(both, { step: '15', hours: null, to: '2027-03-24' }));
  await long.getByRole('button', { name: 'Show more' }).click();
  await long.locator('.slot').nth(150).waitFor();
});

it('says that there is no time', async () => {
  const { page } = await open(asking(both, { duration: '480' }));
  await page.getByRole('heading', { name: 'They have no time in common' }).waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
});

describe('a refusal', () => {
  it.each([
    ['Duration (minutes)', { duration: '' }, /required/],
    ['Starts every (minutes)', { step: '0' }, /1 to 1440/],
    ['Time zone', { timeZone: 'Mars/Base' }, /zone/],
    ['Last day', { to: '2027-03-01' }, /./],
    ['Last day', { to: '2029-03-01' }, /366/],
  ])('stands at its field: %s %j', async (label, more, rule) => {
    const { page } = await openPage(asking(both, more));
    const field = page.locator('.field').filter({ has: page.getByLabel(label, { exact: true }) });
    await field.locator('.problem').waitFor();
    expect(await field.locator('.problem').innerText()).toMatch(rule);
    expect(await page.getByLabel(label, { exact: true }).getAttribute('aria-invalid')).toBe('true');
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  it('opens the rules that it is about, and names hours and people', async () => {
    const { page } = await openPage(asking(both, { notice: '-5', hours: { days: [], start: '09:00', end: '17:00' } }));
    await page.getByLabel('Notice').waitFor();
    await page.getByText('must name at least one weekday').waitFor();
    const { page: other } = await openPage(asking(['group-1', 'required'], { mode: 'max-fairness' }));
    await other.locator('.question .problem').first().waitFor();
  });
});

describe.each(['light', 'dark'] as const)('%s', (colorScheme) => {
  it.each(['phone', 'tablet', 'desk'] as const)('has nothing that axe objects to: %s', async (screen) => {
    const { page } = await open(asking(['optional', 'required']), { ...SCREENS[screen], colorScheme });
    await page.getByText('Buffers, notice').click();
    await page.locator('.person').first().getByText('1 calendar').click();
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await page.locator('.slot').first().click();
    await page.getByRole('dialog').getByText('Offered', { exact: true }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
  });
});

it('looks as it should', async () => {
  await takePictures(world, '/availability', 'availability-empty');
  const asked = { to: '2027-03-26', step: '15' };
  const answered = (page: Page) => page.getByText('Why not then?').waitFor();
  await takePictures(world, asking(['optional', 'required'], asked), 'availability', answered);
  await takePictures(
    world,
    asking(['host', 'host'], { ...asked, mode: 'max-availability' }),
    'availability-hosts',
    answered,
  );
  await takePictures(world, asking(both, { ...asked, result: 'ranges' }), 'availability-ranges', answered);
  await takePictures(world, asking(both, { duration: '', step: '0' }), 'availability-refused', (page) =>
    page.locator('.problem').first().waitFor(),
  );
  await takePictures(world, asking(['optional', 'required'], asked), 'availability-scrolled', async (page) => {
    await answered(page);
    await page.locator('#answer-title').evaluate((node: { scrollIntoView(): void }) => node.scrollIntoView());
  });
  await takePictures(world, asking(both, asked, `/${MONDAY}T09:40`), 'availability-why', (page) =>
    page.getByRole('dialog').getByText('Not offered').waitFor(),
  );
});

it('names the person whose account is expired', async () => {
  await world.call('POST', `/admin/v1/applications/${world.applicationId}/accounts/${ben.accountId}/expire`);
  const { page } = await openPage(asking(both));
  await page.locator('.person').filter({ hasText: ben.email }).locator('.problem').waitFor();
  expect(await page.locator('.person').filter({ hasText: ada.email }).locator('.problem').count()).toBe(0);
  expect(await accessibilityProblems(page)).toEqual([]);
});
