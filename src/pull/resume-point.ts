import { KalendsError } from '../ports/index.ts';

/** A provider's resume point, with the data that decides whether it is still usable. */
interface ResumePoint {
  readonly mappingVersion: number;
  /** Start of the last full pass. */
  readonly fullAt: number;
  /** Pages that it took. */
  readonly fullPages: number;
  /** Null when the provider has no incremental feed. */
  readonly token: string | null;
}

/** Time until another process has probably pulled a collection that a newer version keeps. */
const RETRY_MS = 30_000;

/**
 * A newer version of the provider's mapping keeps the collection: an earlier one would read it all, write every difference, and
 * be undone by the newer one's next pull.
 */
export class NewerMappingError extends KalendsError {
  constructor() {
    const message =
      'A newer version of kalends keeps the mirror of this calendar up to date, and this process is of an older one.';
    super('CalendarSyncing', message, { retryAfterMs: RETRY_MS });
  }
}

/** Serializes a resume point for the mirror. */
export function sealResumePoint(point: ResumePoint): string {
  return JSON.stringify([point.mappingVersion, point.fullAt, point.token, point.fullPages]);
}

/** Serializes the resume point of a first full pass by this mapping that has not ended: none to resume at. */
export function sealUnfinished(mappingVersion: number): string {
  return JSON.stringify([mappingVersion, null, null, 0]);
}

/**
 * Parses a stored resume point. Undefined without one, or after a change of the mapping, which requires a full pass.
 * @throws NewerMappingError when it is of a newer mapping
 */
export function openResumePoint(text: string | null, mappingVersion: number): ResumePoint | undefined {
  if (text === null) return undefined;
  // Only the functions above write this text.
  const [storedVersion, fullAt, token, fullPages] = JSON.parse(text) as [number, number | null, string | null, number];
  if (storedVersion > mappingVersion) throw new NewerMappingError();
  if (storedVersion < mappingVersion || fullAt === null) return undefined;
  return { mappingVersion, fullAt, token, fullPages };
}
