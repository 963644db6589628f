import type { EventAttachment } from 'kalends/model';
import type { WireEvent } from './event-wire.ts';

/** Maps the attachments of an event: links to files, by their own ids or else, for files of other services, by their addresses. */
export function readAttachments({ attachments }: Pick<WireEvent, 'attachments'>): readonly EventAttachment[] {
  return (attachments ?? []).map(({ fileId, fileUrl, title, mimeType }) => ({
    id: fileId || fileUrl || '',
    name: title ?? '',
    contentType: mimeType || null,
    size: null,
    isInline: false,
    url: fileUrl || null,
  }));
}
