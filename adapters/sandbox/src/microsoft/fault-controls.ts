import { z } from 'zod';
import { address, type Control, calendarBehind, control, share } from './control.ts';
import type { MicrosoftWorld } from './state.ts';
import { recordUpdated } from './sync/changes.ts';

/** The control verbs of failures that the real service shows at times. */
export function faultControls(world: MicrosoftWorld): Readonly<Record<string, Control>> {
  return {
    /** Makes calendarView/delta fail for good: 403 after its first page, 504 beside an endless series, or 503. */
    setDeltaRefusal: control(
      world,
      z.strictObject({ refusal: z.enum(['none', 'secondPage', 'endlessSeries', 'always']) }),
      ({ refusal }) => {
        world.state.settings.deltaRefusal = refusal;
      },
    ),
    /** Makes the creation of subscriptions fail: 404 ExtensionError, or 503 with an unknown backend. */
    setSubscriptionRefusal: control(
      world,
      z.strictObject({ refusal: z.enum(['none', 'extensionError', 'unknownBackend']) }),
      ({ refusal }) => {
        world.state.settings.subscriptionRefusal = refusal;
      },
    ),
    /** Sets the longest life of a subscription. */
    setLongestSubscription: control(world, z.strictObject({ minutes: z.int().min(45) }), ({ minutes }) => {
      world.state.settings.longestSubscriptionMs = minutes * 60_000;
    }),
    /** Refuses writes to an event for so long after its creation: 409 ErrorIrresolvableConflict. */
    setConflictsAfterCreation: control(world, z.strictObject({ ms: z.int().min(0) }), ({ ms }) => {
      world.state.settings.conflictsAfterCreationMs = ms;
    }),
    /** Makes a mailbox unreachable, as without a licence or on premises; a null code ends that. */
    setMailboxUnreachable: control(
      world,
      z.strictObject({ email: address, code: z.enum(['ResourceNotFound', 'MailboxNotEnabledForRESTAPI']).nullable() }),
      ({ email, code }) => {
        const { unreachableMailboxes } = world.state.settings;
        if (code === null) delete unreachableMailboxes[email];
        else unreachableMailboxes[email] = code;
      },
    ),
    /** Sets the times of a single event past every check: an end before its start, the year 9999. */
    setEventTimes: control(
      world,
      z.strictObject({ email: address, subject: z.string(), start: z.iso.datetime(), end: z.iso.datetime() }),
      ({ email, subject, start, end }) => {
        const calendar = calendarBehind(world, email, undefined);
        const event = Object.values(calendar.events).find(({ fields }) => fields.subject === subject);
        if (!event || event.series) throw new RangeError('subject: names no single event');
        const at = (text: string) => ({ wallMs: Date.parse(text), timeZone: 'UTC' });
        event.fields = { ...event.fields, start: at(start), end: at(end) };
        recordUpdated(world, calendar, event);
      },
    ),
    /** Sets how many exceptions a master is expanded with before they continue on another page; null is all. */
    setExpandedPageSize: control(world, z.strictObject({ size: z.int().positive().nullable() }), ({ size }) => {
      world.state.settings.expandedPageSize = size;
    }),
    /** Sets the share of expanded exceptions that lack `originalStart`, though it is selected. */
    setMissingOriginalStarts: control(world, z.strictObject({ share }), (input) => {
      world.state.settings.missingOriginalStarts = input.share;
    }),
    /** Sets whether lists and expansions cut extended properties after 255 bytes. */
    setCutProperties: control(world, z.strictObject({ enabled: z.boolean() }), ({ enabled }) => {
      world.state.settings.cutsProperties = enabled;
    }),
  };
}
