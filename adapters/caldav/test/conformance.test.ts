import { type ProviderWorld, providerConformance } from '@kalends/conformance';
import { describe, test } from 'vitest';
import { pathOfId } from '../src/protocol/paths.ts';
import { failingAsKnown } from './failing-as-known.ts';
import { ADA, GRACE, startHarness } from './harness.ts';

/** The optional parts of a world are there, so that every case is played. */
type WholeWorld = ProviderWorld & Required<Pick<ProviderWorld, 'guest' | 'corrupt'>>;

/** The port refuses a comment that would not reach the organizer; the kit has no capability that says so. */
const KNOWN = { 'respond: a comment goes along, and stays or goes as it is told': /carries no comment/ };

/** Servers as the sandbox imitates them. */
const SERVERS: Readonly<Record<string, readonly string[]>> = {
  'a server that keeps to the letter': [],
  'a server with the quirks of several': ['rewritesBodies', 'weakEtags', 'omitsMissingHrefs', 'omitsListedHref'],
  'a server without sync-collection': ['noSyncCollection'],
};

describe.each(Object.keys(SERVERS))('%s', (name) => {
  providerConformance({
    test: failingAsKnown(test, KNOWN),
    async createWorld(): Promise<WholeWorld> {
      const harness = await startHarness();
      harness.control('setQuirks', { quirks: SERVERS[name] });
      const session = await harness.sessionOf(ADA);
      const calendar = await harness.provider.calendars.create(session, { name: 'Beside' });
      const expireFeeds = async () => void harness.control('expireSyncTokens', {});
      return {
        provider: harness.provider,
        session,
        calendar,
        guest: { session: await harness.sessionOf(GRACE), calendar: await harness.primaryOf(GRACE) },
        // A list of all objects, which takes the place of a sync token, never ends.
        ...(SERVERS[name]?.includes('noSyncCollection') === true ? {} : { expireFeeds }),
        async corrupt(eventId) {
          const [objectId = '', slot] = eventId.split('.');
          const href = pathOfId(objectId);
          const input = { email: ADA, href, ...(slot === undefined ? {} : { recurrenceId: slot.replace('Z', '') }) };
          harness.control('corruptObject', input);
          return async () => void harness.control('repairObject', input);
        },
        close: harness.close,
      };
    },
  });
});
