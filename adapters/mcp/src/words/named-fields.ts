import { KalendsError } from 'kalends';
import { ToolRefusal } from '../tool-refusal.ts';
import { quoted } from './quoted.ts';

/** Returns the name that a tool has for a field of the engine's requests, with the value that was sent; undefined for any other. */
export type FieldName = (path: string) => string | undefined;

/** Resolves as `work` does. @throws its errors, with the tool's own names in their details */
export async function namingFields<Result>(nameOf: FieldName, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (!KalendsError.isInstance(error) || error.details === undefined) throw error;
    throw withDetails(
      error,
      error.details.map(({ path, message }) => ({ path: nameOf(path) ?? path, message })),
    );
  }
}

/** Resolves as `work` does, which is about one account of several. @throws its errors, which name the account */
export async function ofAccount<Result>(accountId: string, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ToolRefusal)
      throw new ToolRefusal(`${error.message} It is about accountId ${quoted(accountId)}.`);
    // The message of an internal error is for the log.
    if (!KalendsError.isInstance(error) || error.code === 'InternalError') throw error;
    throw withDetails(error, [{ path: `accountId ${accountId}`, message: error.message }]);
  }
}

const PARTICIPANT = /^participants[.[](\d{1,4})(?!\d)/;

/** Names participants, whom the engine counts, by their accounts. */
export function participantName(accountIds: readonly string[]): FieldName {
  return (path) => {
    const [, index = ''] = PARTICIPANT.exec(path) ?? [];
    const accountId = index === '' ? undefined : accountIds[Number(index)];
    if (accountId === undefined) return undefined;
    return `accountId ${accountId}${path.includes('calendarIds') ? ', calendarIds' : ''}`;
  };
}

const ATTENDEE = /^(?:event\.)?attendees\.(\d{1,4})(?:\.|$)/;
/** Points of time and rules, which tools take as one field each. */
const PARTS = /^(?:event\.)?(title|location|description|start|end|recurrence)(?:\.|$)/;

/**
 * Names fields of a body by those of a tool.
 * @param attendees addresses of the body's attendees
 * @param fieldOf name of the argument that an address comes from
 */
export function bodyFieldName(attendees: readonly string[], fieldOf: (email: string) => string): FieldName {
  return (path) => {
    const [, index = ''] = ATTENDEE.exec(path) ?? [];
    const email = index === '' ? undefined : attendees[Number(index)];
    return email === undefined ? PARTS.exec(path)?.[1] : `${fieldOf(email)} ${email}`;
  };
}

function withDetails(error: KalendsError, details: KalendsError['details']): KalendsError {
  const { code, status, message, retryAfterMs, nextSlots } = error;
  return new KalendsError(code, message, {
    status,
    ...(details && { details }),
    ...(nextSlots && { nextSlots }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    cause: error,
  });
}
