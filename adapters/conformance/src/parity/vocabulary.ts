import { resolveZone } from 'kalends/zones';

/** Words of the two interfaces. A string of a body that is none of them and no time, zone or rule is replaced. */
const WORDS = new Set(
  `accepted addOn all application/json application/x-www-form-urlencoded attendee auto Bearer birthday busy calendar#acl
  calendar#aclRule calendar#calendar calendar#calendarList calendar#calendarListEntry calendar#channel calendar#colors calendar#event
  calendar#events calendar#freeBusy calendar#setting calendar#settings calendarList calendar cancelled changed confidential confirmed
  daily default deleted decline declined displayed email endDate event eventHangout eventNamedHangout exception externalOnly false
  first focusTime fourth free freeBusyReader fromGmail global hangoutsMeet high html invalid_client invalid_grant last low
  monday more needsAction noEnd none normal notResponded numbered occurrence opaque optional organizer outOfOffice
  owner pending personal phone popup private public reader refresh_token required resource second selected sensitive
  seriesMaster singleInstance syncToken pageToken skypeForBusiness skypeForConsumer startTime success failure sunday saturday friday thursday tuesday wednesday
  teamsForBusiness tentative tentativelyAccepted text third transparent true updated unknown video weekly absoluteMonthly absoluteYearly
  relativeMonthly relativeYearly workingElsewhere workingLocation writer oof web_hook
  lightBlue lightGreen lightOrange lightGray lightYellow lightTeal lightPink lightBrown lightRed maxColor
  backgroundColor foregroundColor invalid notFound conflict duplicate required forbidden forbiddenForNonOrganizer conditionNotMet
  badRequest parseError invalidParameter rateLimitExceeded userRateLimitExceeded quotaExceeded calendarUsageLimitsExceeded
  fullSyncRequired updatedMinTooLongAgo backendError authError cannotDeletePrimaryCalendar header parameter If-Match usageLimits
  calendarNotFound ErrorItemNotFound ErrorInvalidRequest ErrorAccessDenied ErrorIrresolvableConflict ErrorInvalidIdMalformed
  ErrorCannotDeleteObject SyncStateNotFound ErrorPropertyValidationFailure TransactionIdInvalid ErrorOccurrenceCrossingBoundary
  ErrorQuotaExceeded ApplicationThrottled ResourceNotFound BadRequest RequestBroker--ParseUri InvalidAuthenticationToken
  resyncRequired ErrorInvalidRecurrencePattern ErrorInvalidRecurrenceRange ErrorChangeKeyRequiredForWriteOperations UnknownError`.split(
    /\s+/,
  ),
);

const TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?)?$/;
const RULE_PART = /^(?:FREQ|UNTIL|COUNT|INTERVAL|WKST|BY[A-Z]{3,8})=[A-Z0-9,+-]{1,200}$/;
const DATE_PARAMETER = /^(?:VALUE=DATE|TZID=(.+))$/;
const COMPACT_TIME = /^\d{8}(?:T\d{6}Z?)?$/;
const COLOR = /^#[0-9a-f]{6}$/i;
/** Colour ids, too short for a code of a meeting. */
const SMALL_NUMBER = /^\d{1,2}$/;

/** Returns whether a string says nothing about the account: a word of the interface, a time, a zone, a rule, a colour. */
export function isVocabulary(text: string): boolean {
  return (
    text === '' ||
    WORDS.has(text) ||
    [TIME, COLOR, SMALL_NUMBER].some((form) => form.test(text)) ||
    isZone(text) ||
    isRule(text)
  );
}

function isZone(text: string): boolean {
  return /^UTC$|\/| Standard Time$/.test(text) && resolveZone(text) !== undefined;
}

/** Returns whether a line is RRULE, RDATE or EXDATE with nothing but their own parts. */
function isRule(line: string): boolean {
  const colon = line.lastIndexOf(':');
  const [property, ...parameters] = line.slice(0, Math.max(colon, 0)).split(';');
  const value = line.slice(colon + 1);
  if (property === 'RRULE') return parameters.length === 0 && value.split(';').every((part) => RULE_PART.test(part));
  if (property !== 'RDATE' && property !== 'EXDATE') return false;
  return (
    value.split(',').every((time) => COMPACT_TIME.test(time)) &&
    parameters.every((parameter) => {
      const [form, zone] = DATE_PARAMETER.exec(parameter) ?? [];
      return form !== undefined && (zone === undefined || isZone(zone));
    })
  );
}

/** Query parameters whose values are code of the caller; only their quoted literals are data. */
export const EXPRESSIONS: ReadonlySet<string> = new Set(['$select', '$expand', '$filter', '$orderby']);

/** Members whose keys are data, as their values are. */
export const KEYED_BY_DATA: ReadonlySet<string> = new Set(['private', 'shared']);
