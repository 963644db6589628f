import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { beforeAll, describe, expect, it } from 'vitest';

/* Texts that users read: those that an editor shows, and the declaration files of the client. */
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const USER = `${ROOT}test/packages/user.ts`;
const TEXT = `import { createClient } from '@kalends/client';
import type { EventService } from '../../src/engine-interface.ts';
declare const events: EventService;
const client = createClient({ baseUrl: 'https://calendar.example.com/api', apiKey: 'k' });
export const listing = client.events.list('acc_1', 'c');
export const [event] = (await listing.page()).data;
export const ownEvent = await events.get({ applicationId: 'app_1' }, 'acc_1', 'c', 'e');
export const texts = [ownEvent.title, ownEvent.start.timeZone];
export const busy = await client.freeBusy('acc_1', { startDateTime: '', endDateTime: '', timeZone: '', calendarIds: [] });
`;
/** Longest declaration file of the client, in bytes: what is left of a screenful for each of its interfaces. */
const LONGEST_DECLARATION = 12_000;

function readOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(`${ROOT}tsconfig.json`, ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
  return { ...options, noEmit: false, incremental: false, tsBuildInfoFile: undefined };
}

function createService(): ts.LanguageService {
  const host: ts.LanguageServiceHost = {
    getCompilationSettings: readOptions,
    getScriptFileNames: () => [USER],
    getScriptVersion: () => '1',
    getScriptSnapshot: (name) => {
      const text = name === USER ? TEXT : ts.sys.readFile(name);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => ROOT,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (name) => name === USER || ts.sys.fileExists(name),
    readFile: ts.sys.readFile,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
  };
  return ts.createLanguageService(host);
}

let service: ts.LanguageService;
beforeAll(() => {
  service = createService();
  // The first question has the service read and check everything.
  service.getSemanticDiagnostics(USER);
}, 120_000);

/** Returns what an editor shows over a text: the type, and its description. */
function hover(text: string) {
  const info = service.getQuickInfoAtPosition(USER, TEXT.indexOf(text) + text.length - 1);
  return {
    type: ts.displayPartsToString(info?.displayParts),
    about: ts.displayPartsToString(info?.documentation),
  };
}

describe('an editor', () => {
  it('finds no mistake in the example', () => {
    const found = [...service.getSyntacticDiagnostics(USER), ...service.getSemanticDiagnostics(USER)];
    expect(found.map(({ messageText }) => messageText)).toEqual([]);
  });

  it.each([
    ['const client', 'const client: Client'],
    ['const listing', 'const listing: Listing<CalendarEvent>'],
    ['const [event', 'const event: CalendarEvent | undefined'],
    ['const ownEvent', 'const ownEvent: CalendarEvent'],
    ['const busy', 'const busy: FreeBusyResult'],
  ])('names the type of %s', (text, type) => {
    expect(hover(text).type).toBe(type);
  });

  it.each([
    ['ownEvent.title', '(property) CalendarEvent.title: string', 'Title.'],
    ['start.timeZone', '(property) EventDateTime.timeZone: string', 'IANA time zone name.'],
    ['ownEvent.start', '(property) CalendarEvent.start: EventDateTime', 'Start.'],
  ])('shows the description of %s', (text, type, about) => {
    expect(hover(text)).toEqual({ type, about });
  });

  it('shows what a call does', () => {
    expect(hover('client.events.list')).toEqual({
      type: expect.stringMatching(/^\(method\) EventCalls\.list\(.*\): Listing<CalendarEvent> \(\+1 overload\)$/s),
      about: expect.stringContaining('Lists events.'),
    });
  });
});

describe('the declarations of the client', () => {
  it('are short, and complete without the core', { timeout: 60_000 }, () => {
    const folder = `${ROOT}adapters/client/`;
    const roots = ['index', 'paced', 'webhooks/index'].map((name) => `${folder}src/${name}.ts`);
    const options = { ...readOptions(), declaration: true, emitDeclarationOnly: true, outDir: `${folder}dist` };
    const files = new Map<string, string>();
    const program = ts.createProgram(roots, { ...options, rootDir: `${folder}src` });
    program.emit(undefined, (path, text) => files.set(relative(`${folder}dist`, path), text));
    expect(files.size).toBeGreaterThan(30);
    expect([...files].filter(([, text]) => text.length > LONGEST_DECLARATION).map(([path]) => path)).toEqual([]);
    const imported = [...files.values()].flatMap((text) =>
      [...text.matchAll(/(?:from |import\()['"]([^.'"][^'"]*)/g)].map(([, name]) => name),
    );
    expect(imported).toEqual([]);
  });
});
