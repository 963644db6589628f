// A page that reads events with the client, and explains recurrence rules without any server.
import { createClient } from '@kalends/client';
import { describeRecurrence } from 'kalends/describe';
import { compileSeries } from 'kalends/recurrence';

const WEEK_MS = 7 * 86_400_000;

function element<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`the page has no ${kind.name} "${id}"`);
  return found;
}

function show(list: HTMLElement, texts: readonly string[]): void {
  list.replaceChildren(...texts.map((text) => Object.assign(document.createElement('li'), { textContent: text })));
}

async function titlesOfWeek(apiKey: string): Promise<readonly string[]> {
  const client = createClient({ baseUrl: new URL('/calendar', location.href).href, apiKey });
  const now = Date.now();
  const week = {
    expandRecurrences: true,
    orderBy: 'startDateTime',
    startDateTime: new Date(now).toISOString(),
    endDateTime: new Date(now + WEEK_MS).toISOString(),
  } as const;
  const titles: string[] = [];
  for await (const account of client.accounts.list()) {
    for await (const calendar of client.calendars.list(account.id)) {
      for await (const event of client.events.list(account.id, calendar.id, week)) {
        titles.push(`${event.start?.dateTime}: ${event.title ?? 'untitled'}`);
      }
    }
  }
  return titles;
}

const status = element('status', HTMLParagraphElement);
element('connect', HTMLFormElement).addEventListener('submit', async (submitted) => {
  submitted.preventDefault();
  status.textContent = 'Reading …';
  const key = new FormData(submitted.currentTarget as HTMLFormElement).get('key');
  try {
    const titles = await titlesOfWeek(String(key));
    show(element('events', HTMLUListElement), titles);
    status.textContent = `${titles.length} events`;
  } catch (error) {
    status.textContent = String(error);
  }
});

const rule = element('rule', HTMLInputElement);
function explain(): void {
  const words = element('words', HTMLParagraphElement);
  const starts = element('starts', HTMLOListElement);
  try {
    const lines = [`RRULE:${rule.value}`];
    words.textContent = describeRecurrence(lines);
    const dtstart = new Date().toISOString().slice(0, 10);
    const series = compileSeries({ dtstart, timeZone: null, lines });
    const dates: string[] = [];
    for (const { startMs } of series.iterate({ from: Date.parse(dtstart), to: Number.POSITIVE_INFINITY })) {
      dates.push(new Date(startMs).toISOString().slice(0, 10));
      if (dates.length === 5) break;
    }
    show(starts, dates);
  } catch (error) {
    words.textContent = String(error);
    show(starts, []);
  }
}
rule.addEventListener('input', explain);
explain();
