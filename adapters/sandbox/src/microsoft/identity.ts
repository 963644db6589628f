import { createHash } from 'node:crypto';
import { GraphError } from './api/graph-error.ts';

const hashHex = (text: string): string => createHash('sha256').update(text).digest('hex');

function guidOf(text: string): string {
  const hex = hashHex(text);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** The tenant of all personal accounts. @see https://learn.microsoft.com/entra/identity-platform/id-token-claims-reference */
const CONSUMER_TENANT = '9188040d-6c67-4c5b-b112-36a304b66dad';

/** Tells whether an address belongs to a personal account: its domain is Microsoft's own mail service. */
export const isPersonal = (email: string): boolean => /@(outlook|hotmail|live|msn)\.[^@]+$/i.test(email);

/** Returns the tenant of an address: one for all personal accounts, else one per mail domain, as under `common`. */
export const tenantIdOf = (email: string): string =>
  isPersonal(email) ? CONSUMER_TENANT : guidOf(`tenant ${email.toLowerCase().split('@')[1] ?? ''}`);

/** Returns the directory object id of a person. */
export const objectIdOf = (email: string): string => guidOf(`person ${email.toLowerCase()}`);

/** Returns the pairwise subject, which differs for every client. */
export const subjectOf = (email: string, clientId: string): string =>
  createHash('sha256')
    .update(`${objectIdOf(email)} ${clientId}`)
    .digest('base64url');

/** Returns a number in [0, 1) that depends on the text alone: an item always falls on the same side of a share. */
export const shareOf = (text: string): number => Number.parseInt(hashHex(text).slice(0, 12), 16) / 2 ** 48;

const MUTABLE_ITEM = 'AAMkAD';
const IMMUTABLE_ITEM = 'AAkALg';
const CONTAINER = 'AAMkAG';

/** The meaning of an item id: an event or master, or one slot of a series. */
export interface ItemRef {
  readonly key: string;
  readonly slot: { readonly generation: number; readonly date: string } | null;
}

/** Returns the opaque id of an item; ids of the two types share no prefix and no ending. */
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

/** Returns the id of a calendar; containers have no immutable form. */
export const calendarIdOf = (key: string): string => `${CONTAINER}${Buffer.from(`c.${key}`).toString('base64url')}=`;

/** @throws GraphError 400 ErrorInvalidIdMalformed for an id that cannot be a calendar's */
export function checkCalendarId(id: string): void {
  if (!id.startsWith(CONTAINER)) throw new GraphError(400, 'ErrorInvalidIdMalformed', 'Id is malformed.');
}

/** Returns the uid in Outlook's form; an occurrence's contains its date, and differs from its master's. */
export function iCalUIdOf(uid: string, slotDate: string | null): string {
  if (!/^[0-9a-f]{40}$/.test(uid)) return slotDate === null ? uid : `${uid}_${slotDate.replaceAll('-', '')}`;
  const [year = '', month = '', day = ''] = (slotDate ?? '').split('-');
  const byte = (text: string, width: number): string => Number(text).toString(16).padStart(width, '0');
  const date = slotDate === null ? '00000000' : byte(year, 4) + byte(month, 2) + byte(day, 2);
  return `040000008200E00074C5B7101A82E008${date}${uid}`.toUpperCase();
}
