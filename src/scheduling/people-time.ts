import { KalendsError } from '../errors.ts';
import { type BusySpan, type PeopleBusyReader, shownError } from '../events/index.ts';
import type { Slot } from '../free-busy/index.ts';
import type { AvailabilityParticipant, NotConnectedPerson } from '../model/index.ts';
import type { Question } from './core-query.ts';

/** Busy time of the participants who are not connected. */
export interface PeopleTime {
  /** In the order of the participants. */
  readonly spans: readonly (readonly BusySpan[])[];
  readonly people: readonly NotConnectedPerson[];
}

/**
 * Asks providers for the busy time of participants who are not connected, in any of the windows. A participant of whom it is not
 * known is busy in the whole of them.
 * @throws KalendsError what the first address of a required participant fails with, naming it
 */
export async function readPeople(
  reader: PeopleBusyReader,
  applicationId: string,
  question: Question,
  windows: readonly Slot[],
): Promise<PeopleTime> {
  const requests = requestsOf(question.participants);
  const spans = question.participants.map((): BusySpan[] => []);
  const errors = requests.map((): KalendsError | undefined => undefined);
  for (const window of requests.length === 0 ? [] : windows) {
    for (const [index, person] of (await reader.read(applicationId, requests, window)).entries()) {
      const request = requests[index];
      if (request === undefined) continue;
      if ('error' in person) errors[index] ??= person.error;
      const own = 'error' in person ? [{ ...window, type: 'busy' as const, isAllDay: false }] : person.spans;
      for (const span of own) spans[request.participant]?.push(span);
    }
  }
  const isRequired = requiredIn(question);
  const people = requests.map(({ participant, email, path }, index) => {
    const { id } = participantAt(question, participant);
    const error = errors[index];
    if (error !== undefined && isRequired(participantAt(question, participant))) throw ofPerson(error, email, path);
    return { participantId: id, email, ...(error === undefined ? {} : { error: shownError(error) }) };
  });
  return { spans, people };
}

function requestsOf(participants: readonly AvailabilityParticipant[]) {
  return participants.flatMap(({ addresses = [] }, participant) =>
    addresses.map(({ email, viaEndUserAccountId }, index) => ({
      participant,
      email,
      accountId: viaEndUserAccountId,
      path: `participants.${participant}.addresses.${index}`,
    })),
  );
}

function participantAt({ participants }: Question, index: number): AvailabilityParticipant {
  const participant = participants[index];
  if (participant === undefined) throw new RangeError(`there is no participant ${index}`);
  return participant;
}

/** Without required participants no slot is offered: neither hosts of a round-robin, nor members of a group, nor optional ones. */
function requiredIn({ mode, groups = [] }: Question): (participant: AvailabilityParticipant) => boolean {
  const members = new Set(groups.flatMap((group) => group.members));
  return ({ id, role }) => role === 'required' || (role === undefined && mode !== 'round-robin' && !members.has(id));
}

function ofPerson(error: KalendsError, email: string, path: string): KalendsError {
  const { code, status, message, retryAfterMs } = error;
  return new KalendsError(code, `${email}: ${message}`, {
    status,
    details: [{ path, message }],
    cause: error,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}
