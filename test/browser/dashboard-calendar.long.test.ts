import type { CalendarEvent } from 'kalends/model';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { accessibilityProblems } from './chromium.ts';
import { createDashboardWorld, type DashboardWorld, takePictures } from './dashboard-world.ts';

/* Clocks in Rome, where the browser is, go forward on Sunday 28 March 2027: 02:00 to 03:00. */
const ROME = 'Europe/Rome';

let world: DashboardWorld;
let accountId: string;
let calendarId: string;
let otherId: string;
let path: string;

beforeAll(async () => {
  world = await createDashboardWorld();
  const { page } = await world.open('/calendar');
  await page.getByRole('heading', { name: 'Connect the first account' }).waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  accountId = await world.connect('google');
  otherId = await world.connect('microsoft');
});
afterAll(() => world?.close());
beforeEach(async () => {
  // A calendar of its own for each test: nothing of the others stands in its week.
  const calendar = await world.call<{ id: string }>('POST', `/v1/calendars/${accountId}`, {
    name: 'Test',
    timeZone: ROME,
  });
  calendarId = calendar.id;
  path = `/v1/events/${accountId}/${encodeURIComponent(calendarId)}`;
});

afterEach(() => world.call('DELETE', `/v1/calendars/${accountId}/${encodeURIComponent(calendarId)}`));

const addressOf = (view: string, date: string, event?: string) => {
  const query = new URLSearchParams({ account: accountId, calendars: encodeURIComponent(calendarId), view, date });
  if (event !== undefined) query.set('in', calendarId);
  return `/calendar${event === undefined ? '' : `/${encodeURIComponent(event)}`}?${query}`;
};

const create = (title: string, start: string, end: string, more: object = {}) =>
  world.call<CalendarEvent>('POST', path, {
    title,
    start: { dateTime: start, timeZone: ROME },
    end: { dateTime: end, timeZone: ROME },
    ...more,
  });

/** Returns title and start of each occurrence, as the interface lists them. */
async function listed(): Promise<readonly string[]> {
  const query = new URLSearchParams({
    expandRecurrences: 'true',
    orderBy: 'startDateTime',
    startDateTime: '2027-03-01T00:00:00Z',
    endDateTime: '2027-06-01T00:00:00Z',
    timeZone: ROME,
  });
  const { data } = await world.call<{ data: CalendarEvent[] }>('GET', `${path}?${query}`);
  return data.map(({ title, start }) => `${title} ${start.dateTime}`);
}

const cell = (page: Page, name: RegExp) => page.locator('.ec-event').filter({ hasText: name });

/** Place on an event at which it is taken. */
const AT = { x: 20, y: 6 };

async function dragBy(page: Page, element: Locator, x: number, y: number) {
  await page.locator('.calendar-frame[aria-busy=false]').waitFor();
  // The grid scrolls by itself while something is dragged near its edge.
  await element.evaluate((node: { scrollIntoView(at: object): void }) => node.scrollIntoView({ block: 'center' }));
  // Hovering begins anew when the event is drawn again meanwhile.
  await element.hover({ position: AT });
  const box = await element.boundingBox();
  if (box === null) throw new Error('the event is not drawn');
  const [fromX, fromY] = [box.x + AT.x, box.y + AT.y];
  await page.mouse.down();
  await page.mouse.move(fromX + x / 2, fromY + y / 2, { steps: 4 });
  await page.mouse.move(fromX + x, fromY + y, { steps: 4 });
  await page.mouse.up();
}

const HOUR = 60;
const dayWidth = async (page: Page) => (await page.locator('.ec-body .ec-day').first().boundingBox())?.width ?? 0;

describe('a week in which clocks change', () => {
  it('says so, and draws and moves events by the wall clock in each zone', async () => {
    await create('Night shift', '2027-03-28T01:30:00', '2027-03-28T03:30:00');
    await create('Brunch', '2027-03-27T09:00:00', '2027-03-27T10:00:00');
    const { page, faults } = await world.open(addressOf('week', '2027-03-28'));
    await page.getByText('On Sunday 28 March clocks go forward: 02:00 to 03:00 does not exist.').waitFor();
    await cell(page, /Night shift.*01:30–03:30/s).click();
    const panel = page.getByRole('dialog', { name: 'Night shift' });
    await panel.getByText('Sun, 28 Mar 2027, 01:30 CET – 03:30 CEST (Europe/Rome)').waitFor();
    await page.keyboard.press('Escape');

    await dragBy(page, cell(page, /Brunch/), await dayWidth(page), 0);
    const question = page.getByRole('dialog', { name: 'Move “Brunch”' });
    await question.getByText('Sun, 28 Mar 2027, 09:00 – 10:00 CEST (Europe/Rome)').waitFor();
    await question.getByRole('button', { name: 'Move' }).click();
    await question.waitFor({ state: 'detached' });
    expect(await listed()).toEqual(['Night shift 2027-03-28T01:30:00+01:00', 'Brunch 2027-03-28T09:00:00+02:00']);

    await page.getByRole('group', { name: 'Times in' }).getByRole('button', { name: 'UTC' }).click();
    await cell(page, /Brunch.*07:00–08:00/s).waitFor();
    await cell(page, /Night shift.*00:30–01:30/s).waitFor();
    expect(await page.getByText('clocks go').count()).toBe(0);
    await dragBy(page, cell(page, /Brunch/), 0, HOUR);
    await page.getByText('Sun, 28 Mar 2027, 08:00 – 09:00 UTC').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await cell(page, /Brunch.*07:00–08:00/s).waitFor();
    await dragBy(page, cell(page, /Brunch/), 0, HOUR);
    await page.getByRole('dialog').getByRole('button', { name: 'Move' }).click();
    // The event is drawn where it was dropped while the question stands: that it closes says that it was written.
    await question.waitFor({ state: 'detached' });
    await cell(page, /Brunch.*08:00–09:00/s).waitFor();
    expect(await listed()).toContain('Brunch 2027-03-28T10:00:00+02:00');
    expect(faults).toEqual([]);
  });
});

describe('a series', () => {
  const rows = (page: Page) => page.getByRole('dialog').locator('.scope-row');

  it('is moved by one occurrence, changed from another on, and deleted as a whole', async () => {
    await create('Course', '2027-03-09T10:00:00', '2027-03-09T11:00:00', {
      recurrence: ['RRULE:FREQ=WEEKLY;COUNT=6'],
    });
    const { page, faults } = await world.open(addressOf('week', '2027-03-16'));
    await dragBy(page, cell(page, /Course/), await dayWidth(page), 2 * HOUR);
    await rows(page).nth(2).getByText('Tue 9 Mar 2027, Tue 16 Mar, Tue 23 Mar, Tue 30 Mar, 2 more until').waitFor();
    expect(await rows(page).allInnerTexts()).toEqual([
      expect.stringContaining('Tue 16 Mar 2027'),
      expect.stringContaining('Tue 16 Mar 2027, Tue 23 Mar, Tue 30 Mar, Tue 6 Apr, 1 more until Tue 13 Apr 2027'),
      expect.stringContaining('2 more until Tue 13 Apr 2027'),
    ]);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Move', exact: true }).click();
    await cell(page, /Moved: .*Course/s).waitFor();
    expect((await listed())[1]).toBe('Course 2027-03-17T12:00:00+01:00');

    // The rest by keyboard alone.
    await page.getByRole('button', { name: 'Later' }).focus();
    await page.keyboard.press('Enter');
    await cell(page, /Course.*10:00–11:00/s).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Course' }).getByText('Every week, 6 times').waitFor();
    await page.getByRole('button', { name: 'Edit' }).focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Title').fill('Advanced course');
    await page.keyboard.press('Enter');
    await page.locator('input[value=this]:focus').waitFor();
    await page.keyboard.press('ArrowDown');
    expect(await page.getByLabel('This and following').isChecked()).toBe(true);
    await page.keyboard.press('Enter');
    await cell(page, /Advanced course/).waitFor();
    expect(await listed()).toEqual([
      'Course 2027-03-09T10:00:00+01:00',
      'Course 2027-03-17T12:00:00+01:00',
      'Advanced course 2027-03-23T10:00:00+01:00',
      'Advanced course 2027-03-30T10:00:00+02:00',
      'Advanced course 2027-04-06T10:00:00+02:00',
      'Advanced course 2027-04-13T10:00:00+02:00',
    ]);

    const deletion = page.getByRole('dialog', { name: 'Which occurrences are deleted?' });
    await cell(page, /Advanced course/).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByLabel('This one').check();
    await deletion.getByRole('button', { name: 'Delete' }).click();
    await cell(page, /Cancelled: .*Advanced course/s).click();
    await page.getByRole('button', { name: 'Bring back' }).click();
    await page.getByText('The occurrence is back').waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByLabel('All of the series').check();
    await deletion.getByRole('button', { name: 'Delete' }).click();
    await cell(page, /Advanced course/).waitFor({ state: 'detached' });
    expect(await listed()).toEqual(['Course 2027-03-09T10:00:00+01:00', 'Course 2027-03-17T12:00:00+01:00']);
    expect(faults).toEqual([]);
  });

  it('keeps the focus on an occurrence while the list is read again, and after it was changed', async () => {
    await create('Course', '2027-03-09T10:00:00', '2027-03-09T11:00:00', {
      recurrence: ['RRULE:FREQ=WEEKLY;COUNT=6'],
    });
    const { page } = await world.open(addressOf('week', '2027-03-16'));
    const occurrence = cell(page, /Course.*10:00–11:00/s);
    await occurrence.waitFor();
    await page.locator('.calendar-frame[aria-busy=false]').waitFor();
    let read = () => {};
    const asked = new Promise<void>((resolve) => {
      void page.route('**/v1/events/**', async (route) => {
        resolve();
        await new Promise<void>((answer) => (read = answer));
        await route.continue();
      });
    });
    await page.getByRole('button', { name: 'Later' }).click();
    await asked;
    // The list of the week before reaches a month on: the occurrence is there before its own week has been read.
    await page.getByText('22 – 28 Mar 2027').waitFor();
    await occurrence.focus();
    read();
    await page.locator('.calendar-frame[aria-busy=false]').waitFor();
    await page.unroute('**/v1/events/**');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Course' }).getByText('Every week, 6 times').waitFor();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Title').fill('Exam');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Change' }).click();
    await cell(page, /Exam/).waitFor();
    await page.keyboard.press('Enter');
    const panel = page.getByRole('dialog', { name: /Exam|Course/ });
    await panel.getByRole('button', { name: 'Delete' }).click();
    await page.getByLabel('This one').check();
    const deletion = page.getByRole('dialog', { name: 'Which occurrences are deleted?' });
    await deletion.getByRole('button', { name: 'Delete' }).click();
    await cell(page, /Cancelled: /).waitFor();
    await page.keyboard.press('Enter');
    // The list is read again behind the panel, which stays.
    await page.getByRole('button', { name: 'Bring back' }).click();
    await cell(page, /Cancelled: /).waitFor({ state: 'detached' });
    // A key that is pressed as soon as the panel is gone goes to the occurrence.
    const focused = page.evaluate(
      `new Promise((tell) => new MutationObserver(() => document.querySelector('dialog') ?? tell(document.activeElement.className))
        .observe(document.body, { childList: true, subtree: true }))`,
    );
    await page.keyboard.press('Escape');
    expect(await focused).toContain('ec-event');
    await page.keyboard.press('Enter');
    await panel.waitFor();
  });

  it('gets another rule in the editor, for this and following or all, never for one', async () => {
    await create('Course', '2027-03-09T10:00:00', '2027-03-09T11:00:00', {
      recurrence: ['RRULE:FREQ=WEEKLY;COUNT=4'],
    });
    const { page } = await world.open(addressOf('agenda', '2027-03-09'));
    await page
      .getByRole('button', { name: /Course/ })
      .first()
      .click();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('button', { name: 'Thursday' }).click();
    await page.getByLabel('Occurrences').fill('3');
    await page.getByText('Every week on Tuesday and Thursday, 3 times').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await rows(page).first().waitFor();
    expect(await rows(page).count()).toBe(2);
    await page.getByLabel('All of the series').check();
    await page.getByRole('button', { name: 'Change' }).click();
    await page.getByRole('dialog').first().waitFor({ state: 'detached' });
    expect(await listed()).toEqual([
      'Course 2027-03-09T10:00:00+01:00',
      'Course 2027-03-11T10:00:00+01:00',
      'Course 2027-03-16T10:00:00+01:00',
    ]);
  });
});

describe('an event', () => {
  it('is created with a form, a rule in words, and a field that is refused', async () => {
    const { page, faults } = await world.open(addressOf('week', '2027-03-22'));
    await page.getByRole('button', { name: 'New event' }).click();
    const form = page.getByRole('dialog', { name: 'New event' });
    await form.getByLabel('Calendar').selectOption(calendarId);
    await form.getByLabel('Title').fill('Choir');
    await form.getByLabel('Start', { exact: true }).fill('2027-03-23');
    await form.getByLabel('Start time').fill('19:00');
    expect(await form.getByLabel('End', { exact: true }).inputValue()).toBe('2027-03-23');
    expect(await form.getByLabel('End time').inputValue()).toBe('20:00');
    await form.getByLabel('Zone').fill('Mars/Base');
    await form.getByLabel('Repeats').selectOption('MONTHLY');
    await form.getByLabel('By the fourth Tuesday').check();
    await form.getByLabel('Ends').selectOption('count');
    await form.getByLabel('Occurrences').fill('2');
    await form.getByText('Every month on the 4th Tuesday, twice').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await form.getByRole('button', { name: 'Create event' }).click();
    await form.getByRole('alert').or(form.locator('.problem')).first().waitFor();
    expect(await form.textContent()).toMatch(/time zone/i);
    await form.getByLabel('Zone').fill(ROME);
    await form.getByRole('button', { name: 'Create event' }).click();
    await cell(page, /Choir.*19:00–20:00/s).waitFor();
    expect(await listed()).toEqual(['Choir 2027-03-23T19:00:00+01:00', 'Choir 2027-04-27T19:00:00+02:00']);
    expect(faults).toEqual([]);
  });

  it('is drawn with the pointer, and resized', async () => {
    const { page } = await world.open(addressOf('week', '2027-03-22'));
    const day = await page.locator('.ec-body .ec-day').nth(2).boundingBox();
    if (day === null) throw new Error('no day is drawn');
    await page.locator('.ec-main').evaluate((main) => main.scrollTo(0, 8 * 60));
    const main = await page.locator('.ec-body .ec-day').nth(2).boundingBox();
    const top = (main?.y ?? 0) + 10 * HOUR;
    await page.mouse.move(day.x + 20, top + 3);
    await page.mouse.down();
    await page.mouse.move(day.x + 20, top + 40, { steps: 5 });
    await page.mouse.move(day.x + 20, top + HOUR + 20, { steps: 5 });
    await page.mouse.up();
    const form = page.getByRole('dialog', { name: 'New event' });
    expect(await form.getByLabel('Start', { exact: true }).inputValue()).toBe('2027-03-24');
    expect(await form.getByLabel('Start time').inputValue()).toBe('10:00');
    expect(await form.getByLabel('End time').inputValue()).toBe('11:30');
    await form.getByLabel('Title').fill('Drawn');
    await page.keyboard.press('Enter');
    const drawn = cell(page, /Drawn/);
    await drawn.hover();
    const box = await drawn.boundingBox();
    if (box === null) throw new Error('the event is not drawn');
    await page.mouse.move(box.x + box.width / 2, box.y + box.height - 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height + 20, { steps: 5 });
    await page.mouse.move(box.x + box.width / 2, box.y + box.height + 28, { steps: 5 });
    await page.mouse.up();
    await page.getByText('Wed, 24 Mar 2027, 10:00 – 12:00 CET').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Move' }).click();
    await cell(page, /Drawn.*10:00–12:00/s).waitFor();
  });

  it('shows its record, and says why it cannot be found', async () => {
    const { id } = await create('Talk', '2027-03-23T10:00:00', '2027-03-23T11:00:00');
    const { page } = await world.open(addressOf('week', '2027-03-23', id));
    const panel = page.getByRole('dialog', { name: 'Talk' });
    await panel.getByText('The record').click();
    await panel.getByText(`"id": "${id}"`).waitFor();
    await page.goBack().catch(() => undefined);
    const { page: gone } = await world.open(addressOf('week', '2027-03-23', 'missing'));
    await gone.getByRole('dialog').getByText(/req_/).first().waitFor();
  });
});

it('answers an invitation', async () => {
  const { page } = await world.open(`/calendar?account=${accountId}&view=week`);
  await cell(page, /Not answered: /)
    .first()
    .click();
  const panel = page.getByRole('dialog').first();
  await panel.getByLabel('A word to the organizer').fill('With pleasure');
  await panel.getByRole('button', { name: 'Accept' }).click();
  await page.getByText('The answer is sent').waitFor();
  await panel.locator('[aria-pressed=true]').getByText('Accept').waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await cell(page, /Not answered: /)
    .first()
    .waitFor({ state: 'detached' });
});

it('lays the busy times of another account over', async () => {
  const { page, faults } = await world.open(`/calendar?account=${accountId}&view=week`);
  await page.getByRole('button', { name: 'Compare free/busy' }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /Microsoft/ })
    .click();
  await page.locator('.ec-bg-event.busy').first().waitFor();
  expect(new URL(page.url()).searchParams.get('with')).toBe(otherId);
  await page.getByRole('button', { name: 'Agenda' }).click();
  await page
    .getByText(/ is busy$/)
    .first()
    .waitFor();
  await page.getByRole('button', { name: /Stop comparing/ }).click();
  await page
    .getByText(/ is busy$/)
    .first()
    .waitFor({ state: 'detached' });
  expect(faults).toEqual([]);
});

it('lets nothing be changed in a calendar that is read only', async () => {
  const { page } = await world.open(`/calendar?account=${accountId}&view=agenda`);
  await page.getByRole('button', { name: 'ada@gmail.example', exact: true }).click();
  await page.getByRole('heading', { name: 'No calendar is chosen' }).waitFor();
  await page.getByRole('button', { name: /read only/ }).click();
  await page.locator('.agenda-event').first().click();
  await page.getByRole('dialog').getByText('Organizer', { exact: true }).waitFor();
  expect(await page.getByRole('button', { name: 'Edit' }).count()).toBe(0);
  expect(await page.getByRole('button', { name: 'Delete' }).count()).toBe(0);
});

describe.each(['light', 'dark'] as const)('%s', (colorScheme) => {
  it.each(['week', 'month', 'agenda'])('has nothing that axe objects to: %s', async (view) => {
    const compared = `/calendar?account=${accountId}&view=${view}&with=${otherId}`;
    const { page } = await world.open(compared, { colorScheme });
    await page.locator('.ec-event, .agenda-event').first().waitFor();
    await page.locator('.busy, .agenda-busy').or(page.getByText('Week and agenda show')).first().waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
  });
});

it('looks as it should', async () => {
  for (const view of ['week', 'month', 'agenda']) {
    await takePictures(world, `/calendar?account=${accountId}&view=${view}`, `calendar-${view}`, (page) =>
      page.locator('.ec-event, .agenda-event').first().waitFor(),
    );
  }
  await takePictures(world, `/calendar?account=${accountId}&view=week&with=${otherId}`, 'calendar-busy', (page) =>
    page.locator('.busy').first().waitFor(),
  );
  await takePictures(world, `/calendar?account=${accountId}&view=week`, 'calendar-event', async (page) => {
    await cell(page, /Stand-up/)
      .first()
      .click();
    await page.getByRole('dialog').getByText('Every').first().waitFor();
  });
  await takePictures(world, `/calendar?account=${accountId}&view=agenda`, 'calendar-form', async (page) => {
    await page
      .getByRole('button', { name: /Stand-up/ })
      .first()
      .click();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Title').waitFor();
  });
  await takePictures(world, `/calendar?account=${accountId}&view=agenda`, 'calendar-scope', async (page) => {
    await page
      .getByRole('button', { name: /Stand-up/ })
      .first()
      .click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('more until').first().waitFor();
  });
});

it('leads from an expired account to where it is reconnected', async () => {
  const expiry = `/admin/v1/applications/${world.applicationId}/accounts/${otherId}/expire`;
  await world.call('POST', expiry);
  const { page } = await world.open(`/calendar?account=${otherId}&view=week`);
  await page.getByRole('link', { name: 'To the account, to reconnect it' }).waitFor();
  await page.getByRole('alert').getByText(/req_/).waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
});
