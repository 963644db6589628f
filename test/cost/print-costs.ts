import { type CostOptions, measureCosts } from './measure-costs.ts';

const DAYS = 7;
const HOUR_MS = 3_600_000;

/** Calendars of each kind: 1,000 of both providers together, fewer of the large ones as in life. */
const IDLE = [
  { events: 50, calendars: 300 },
  { events: 1_000, calendars: 60 },
  { events: 10_000, calendars: 2 },
] as const;
const ACTIVE = { events: 50, calendars: 46, changesPerDay: 24 } as const;

/** Prints a table for each provider, or for the one that is named; a share scales the numbers of calendars. */
export async function main(shareText = '1', named?: string): Promise<void> {
  const share = Number(shareText);
  const providers = (['google', 'microsoft'] as const).filter((name) => named === undefined || name === named);
  for (const provider of providers) {
    console.log(`\n${provider}: calls of a calendar and day over ${DAYS} virtual days, one calendar per account`);
    const header = ['', 'calendars', 'events', 'list', 'channels', 'all', 'tokens', 'per change', 'stalest (h)'];
    printRow(header);
    for (const { events, calendars } of IDLE) {
      await measureRow(`idle, ${events} events`, { provider, events, calendars: scaled(calendars, share), days: DAYS });
    }
    const active = { provider, ...ACTIVE, calendars: scaled(ACTIVE.calendars, share), days: DAYS };
    await measureRow('24 changes a day', active);
    await measureRow('the same, 5 % of pushes lost', { ...active, drop: 0.05 });
    await measureRow('2 changes a day, all pushes lost', { ...active, changesPerDay: 2, drop: 1 });
  }
}

function scaled(calendars: number, share: number): number {
  return Math.max(1, Math.round(calendars * share));
}

async function measureRow(name: string, options: CostOptions): Promise<void> {
  const { perDay, callsPerDay, callsPerChange, longestStalenessMs } = await measureCosts(options);
  const shown = (value: number) => (Number.isNaN(value) ? '' : value.toFixed(2));
  printRow([
    name,
    String(options.calendars),
    shown(perDay.events),
    shown(perDay['calendar list']),
    shown(perDay.channels),
    shown(callsPerDay),
    shown(perDay.tokens),
    shown(callsPerChange),
    shown(longestStalenessMs / HOUR_MS),
  ]);
}

function printRow([name = '', ...cells]: readonly string[]): void {
  console.log(`  ${name.padEnd(34)}${cells.map((cell) => cell.padStart(12)).join('')}`);
}
