import type { EventAttachment } from 'kalends/model';
import type { WireAttachment } from './event-wire.ts';

/** Maps an attachment: a file, an item or a reference, none of which has an address in v1.0. */
export function readAttachment({ id, name, contentType, size, isInline }: WireAttachment): EventAttachment {
  return {
    id,
    name: name ?? '',
    contentType: contentType || null,
    size: size ?? null,
    isInline: isInline ?? false,
    url: null,
  };
}
