import { lastSegment, pathOfId } from './protocol/paths.ts';

/** Servers whose behaviour differs from the others', known by the paths that they give out. */
export type ServerKind = 'sogo' | 'cyrus' | 'davical' | 'other';

/** Returns the server of a calendar, from its path alone. */
export function serverKindOf(path: string): ServerKind {
  if (path.startsWith('/SOGo/')) return 'sogo';
  if (path.startsWith('/dav/calendars/')) return 'cyrus';
  return /\/caldav\.php\//.test(path) ? 'davical' : 'other';
}

/** Returns the same for the id of a calendar. */
export function serverKindOfId(id: string): ServerKind {
  try {
    return serverKindOf(pathOfId(id));
  } catch {
    return 'other';
  }
}

/** Whether a server ignores preconditions, so that each write reads the object before. */
export function ignoresConditions(path: string): boolean {
  return serverKindOf(path) === 'sogo';
}

/** Whether a path may be that of an event's object: not of the collection itself. */
export function isObjectPath(path: string, calendarPath: string): boolean {
  return path !== calendarPath && `${path}/` !== calendarPath && !path.endsWith('/') && lastSegment(path) !== '';
}
