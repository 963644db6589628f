import { join } from 'node:path';
import { CommandError } from '../command-error.ts';
import type { CommandIo } from '../command-io.ts';
import { parseOptions } from '../command-line.ts';
import type { Command } from '../commands/command.ts';
import { flagsOf } from '../commands/flag.ts';
import { PROVIDERS } from '../dev/demo-application.ts';
import { type DevConnection, openDevFolder } from '../dev/dev-state.ts';
import { accountsChapter } from './accounts-chapter.ts';
import { createApi } from './api.ts';
import { calDavChapter } from './caldav-chapter.ts';
import { calendarsChapter } from './calendars-chapter.ts';
import { errorsChapter } from './errors-chapter.ts';
import { eventsChapter } from './events-chapter.ts';
import { freeBusyChapter } from './free-busy-chapter.ts';
import { createNarrator, TourFailure } from './narrator.ts';
import type { Scene } from './scene.ts';
import { seriesChapter } from './series-chapter.ts';
import { webhookChapter } from './webhook-chapter.ts';

const HELP = `kalends tour: plays the main job against a started "kalends dev", all three providers, and checks each step

  --folder PATH   the folder of the started server's state (default ./.kalends)
`;

const OPTIONS = { folder: { type: 'string' } } as const;

export const tourCommand: Command = { help: HELP, flags: flagsOf(OPTIONS), run: runTour };

/** Runs `kalends tour`; resolves with 0 when every step has the promised result, with 1 at the first that has not. */
export async function runTour(args: readonly string[], io: CommandIo): Promise<number> {
  const { folder = join(process.cwd(), '.kalends') } = parseOptions(args, OPTIONS);
  const connection = openDevFolder(folder, true).readConnection();
  if (connection === undefined) {
    throw new CommandError(
      `no server runs in this folder: start one with "npm start" in another terminal, then run this again`,
      1,
    );
  }
  const narrator = createNarrator(io.stdout);
  narrator.say(`A tour of ${connection.baseUrl}`);
  try {
    for (const scene of scenes(connection)) {
      const set: Scene = { ...scene, narrator };
      const accountId = await accountsChapter(set);
      const calendarId = await calendarsChapter(set, accountId);
      await eventsChapter(set, accountId, calendarId);
      await seriesChapter(set, accountId, calendarId);
      await freeBusyChapter(set, accountId);
      await webhookChapter(set, accountId, calendarId);
      await errorsChapter(set, accountId, calendarId);
    }
    await calDavChapter(narrator, createApi(connection.baseUrl, connection.apiKey), connection);
  } catch (error) {
    const unreachable = (error as { cause?: { code?: string } }).cause?.code === 'ECONNREFUSED';
    if (unreachable) throw new CommandError(`${connection.baseUrl} does not answer: start it with "npm start"`, 1);
    if (!(error instanceof TourFailure)) throw error;
    io.stderr.write(`\nFAILED  ${error.message}\n`);
    return 1;
  }
  narrator.say(`\nThe tour is over: ${narrator.checks} checks, all as promised, on all three providers.`);
  return 0;
}

function scenes(connection: DevConnection): Omit<Scene, 'narrator'>[] {
  const api = createApi(connection.baseUrl, connection.apiKey);
  const today = new Date();
  const monday = Date.UTC(
    today.getUTCFullYear(),
    today.getUTCMonth(),
    today.getUTCDate() - ((today.getUTCDay() + 6) % 7),
  );
  const scene = { api, connection, monday };
  return PROVIDERS.flatMap(({ provider, providerType }) =>
    connection.accounts
      .filter((mailbox) => mailbox.providerType === providerType)
      .map(({ email }) => ({ ...scene, provider, providerType, email })),
  );
}
