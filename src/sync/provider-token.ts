/** A provider's resume point with what decides whether it may still be used. */
interface ResumePoint {
  readonly mappingVersion: number;
  /** When the pass that began without a token started. */
  readonly fullAt: number;
  /** Null: the provider has no incremental feed. */
  readonly token: string | null;
}

/** The text that the mirror stores. */
export function sealResumePoint(point: ResumePoint): string {
  return JSON.stringify([point.mappingVersion, point.fullAt, point.token]);
}

/** What was stored; undefined when nothing was, or when it was stored under another mapping: everything is mapped anew. */
export function openResumePoint(text: string | null, mappingVersion: number): ResumePoint | undefined {
  if (text === null) return undefined;
  const [storedVersion, fullAt, token] = JSON.parse(text) as [number, number, string | null];
  return storedVersion === mappingVersion ? { mappingVersion, fullAt, token } : undefined;
}
