import { providerConformance } from '@kalends/conformance';
import { test } from 'vitest';
import { failingAsKnown } from '../../adapters/caldav/test/failing-as-known.ts';
import { createPublisher } from './publisher.ts';

/** Cases that do not apply to a feed: docs/capabilities.md says why. */
const NOT_APPLYING = {
  'calendars: a new one is listed as it was made, takes events, and is deleted, once or again': /read-only/,
  'calendars: an update changes what is sent': /read-only/,
  'calendars: changes since a pull add up to a pull of everything': /read-only/,
  'calendars: one is primary, and it cannot be deleted': /readOnly: true/,
  'create: a UID is kept where it can be, and found again': /one event was expected/,
  'create: what cannot be held is refused, naming the field, and nothing is made': /a refusal .* was expected/,
  'update: what cannot be held is refused, naming the field, and nothing changes': /a refusal .* was expected/,
  'update and delete: under a stale tag nothing happens': /a refusal .* was expected/,
  'occurrences: under a tag of the series that does not hold nothing happens': /a refusal .* was expected/,
  'occurrences: under the present tag they are changed, then under their own': /a refusal .* was expected/,
  'occurrences: a rule of its own is refused, and so is a slot that the series does not have':
    /a refusal .* was expected/,
  'extensions: a field that is not kept is refused by name, and null is not': /a refusal .* was expected/,
  'mail: is withheld where that is asked for, or the write is refused': /a refusal .* was expected/,
  'fields: a new event that says nothing of a field shows it empty': /false !== true/,
  'fields: an update changes the field that is sent and no other, and null clears it': /reminders shows/,
  'respond: the organizer is refused': /the account is not invited/,
  'unreadable: findCreated returns the object as unreadable': /the object is unreadable/,
  'generated events: an update agrees with what was asked, and changes nothing else': /isSelf: false/,
};

providerConformance({
  test: failingAsKnown(test, NOT_APPLYING),
  createWorld: async () => ({ ...createPublisher(), close: async () => undefined }),
});
