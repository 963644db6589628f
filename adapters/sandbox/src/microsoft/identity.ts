import { createHash } from 'node:crypto';
import { GraphError } from './graph-error.ts';

const hashHex = (text: string): string => createHash('sha256').update(text).digest('hex');

function guidOf(text: string): string {
  const hex = hashHex(text);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** The tenant of an address: one per mail domain, so that issuers differ as they do under `common`. */
export const tenantIdOf = (email: string): string => guidOf(`tenant ${email.toLowerCase().split('@')[1] ?? ''}`);

/** The directory object id of a person. */
export const objectIdOf = (email: string): string => guidOf(`person ${email.toLowerCase()}`);

/** The pairwise subject: another one for every client. */
export const subjectOf = (email: string, clientId: string): string =>
  createHash('sha256')
    .update(`${objectIdOf(email)} ${clientId}`)
    .digest('base64url');

/** A number in [0, 1) that depends on nothing but the text: the same item always falls on the same side of a share. */
export const shareOf = (text: string): number => Number.parseInt(hashHex(text).slice(0, 12), 16) / 2 ** 48;

const MUTABLE_ITEM = 'AAMkAD';
const IMMUTABLE_ITEM = 'AAkALg';
const CONTAINER = 'AAMkAG';

/** What an item id stands for: an event or master, or one slot of a series. */
export interface ItemRef {
  readonly key: string;
  readonly slot: { readonly generation: number; readonly date: string } | null;
}

/** The opaque id of an item; the two id types differ in every character that matters. */
export function itemId(ref: ItemRef, immutable: boolean): string {
  const payload =
    ref.slot === null ? `e.${ref.key}` : `o.${ref.key}.${ref.slot.generation}.${ref.slot.date.replaceAll('-', '')}`;
  const form = immutable ? `${payload}.i` : payload;
  return `${immutable ? IMMUTABLE_ITEM : MUTABLE_ITEM}${Buffer.from(form).toString('base64url')}=`;
}

/**
 * Reads an item id of either type.
 * @throws GraphError 400 ErrorInvalidIdMalformed
 */
export function parseItemId(id: string): ItemRef {
  const immutable = id.startsWith(IMMUTABLE_ITEM);
  if ((immutable || id.startsWith(MUTABLE_ITEM)) && id.endsWith('=')) {
    const parts = Buffer.from(id.slice(MUTABLE_ITEM.length, -1), 'base64url').toString('latin1').split('.');
    if (immutable === (parts.at(-1) === 'i')) {
      const [kind, key, generation, date] = immutable ? parts.slice(0, -1) : parts;
      if (kind === 'e' && key && generation === undefined) return { key, slot: null };
      const day = /^(\d{4})(\d\d)(\d\d)$/.exec(date ?? '');
      if (kind === 'o' && key && generation && day) {
        return { key, slot: { generation: Number(generation), date: `${day[1]}-${day[2]}-${day[3]}` } };
      }
    }
  }
  throw new GraphError(400, 'ErrorInvalidIdMalformed', 'Id is malformed.');
}

/** The id of a calendar: a container, which has no immutable form. */
export const calendarIdOf = (key: string): string => `${CONTAINER}${Buffer.from(`c.${key}`).toString('base64url')}=`;

/** @throws GraphError 400 ErrorInvalidIdMalformed for what cannot be a calendar's id */
export function checkCalendarId(id: string): void {
  if (!id.startsWith(CONTAINER)) throw new GraphError(400, 'ErrorInvalidIdMalformed', 'Id is malformed.');
}

/** The uid in Outlook's clothing; an occurrence carries its date inside, so it differs from its master's. */
export function iCalUIdOf(uid: string, slotDate: string | null): string {
  if (!/^[0-9a-f]{40}$/.test(uid)) return slotDate === null ? uid : `${uid}_${slotDate.replaceAll('-', '')}`;
  const [year = '', month = '', day = ''] = (slotDate ?? '').split('-');
  const byte = (text: string, width: number): string => Number(text).toString(16).padStart(width, '0');
  const date = slotDate === null ? '00000000' : byte(year, 4) + byte(month, 2) + byte(day, 2);
  return `040000008200E00074C5B7101A82E008${date}${uid}`.toUpperCase();
}
