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

/** Serializes a resume point for the mirror. */
export function sealResumePoint(point: ResumePoint): string {
  return JSON.stringify([point.mappingVersion, point.fullAt, point.token, point.fullPages]);
}

/** Parses a stored resume point. Undefined without one, or after a change of the mapping, which requires a full pass. */
export function openResumePoint(text: string | null, mappingVersion: number): ResumePoint | undefined {
  if (text === null) return undefined;
  // Only `sealResumePoint` writes this text.
  const [storedVersion, fullAt, token, fullPages] = JSON.parse(text) as [number, number, string | null, number];
  return storedVersion === mappingVersion ? { mappingVersion, fullAt, token, fullPages } : undefined;
}
