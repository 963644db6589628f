import type { Json } from '../world.ts';

/** Fields that a provider gives each event itself. */
const NOT_COMPARED = ['createdAt', 'updatedAt', 'iCalUid', 'webLink', 'etag', 'organizer', 'isOrganizer'];

/** Returns the fields that a content has and another one has not, or has otherwise. */
export function differences(one: Json, other: Json): readonly string[] {
  const fields = new Set([...Object.keys(one ?? {}), ...Object.keys(other ?? {})]);
  return [...fields].filter((field) => {
    if (NOT_COMPARED.includes(field) || one?.[field] === undefined) return false;
    // A provider tells more of a meeting than its link.
    if (field === 'conferenceData') return one[field].joinUrl !== other?.[field]?.joinUrl;
    return JSON.stringify(one?.[field] ?? null) !== JSON.stringify(other?.[field] ?? null);
  });
}

/** Returns the field of the interface that a problem is about. */
export function nameOf(path: string): string {
  const [field = ''] = path.split('.');
  return field === 'attachments' ? 'hasAttachments' : field;
}
