import { type Availability, availabilityAs, type EventContent, type EventPatch } from '../../ports/index.ts';
import { type IcsComponent, propertyOf, withProperty, wordOf } from '../text/component.ts';
import { writeContentLine } from '../text/content-line.ts';
import { X_BUSY_STATUS, X_EVENT_TYPE } from '../x-names.ts';

type Shown = Availability & Pick<EventContent, 'showAs'>;

/** Writes TRANSP, STATUS and what stands beside them for the fields of a patch. A property at its default is written only where it stands already. */
export function writeAvailability(component: IcsComponent, patch: EventPatch, current: Shown): IcsComponent {
  const wanted = wantedAvailability(patch, current);
  const shows = wantedState(patch, current, wanted);
  let next = withWord(component, 'TRANSP', wanted.transparency === 'transparent' ? 'TRANSPARENT' : 'OPAQUE', 'OPAQUE');
  if (wordOf(next, 'status') !== 'CANCELLED') {
    next = withWord(next, 'STATUS', wanted.status === 'tentative' ? 'TENTATIVE' : 'CONFIRMED', 'CONFIRMED');
  }
  const type = wanted.eventType === 'default' ? undefined : writeContentLine(X_EVENT_TYPE, wanted.eventType);
  next = withProperty(next, X_EVENT_TYPE.toLowerCase(), type);
  return withBusyStatus(next, shows);
}

const BUSY_STATUS: Readonly<Record<EventContent['showAs'], string>> = {
  free: 'FREE',
  tentative: 'TENTATIVE',
  busy: 'BUSY',
  oof: 'OOF',
  workingElsewhere: 'WORKINGELSEWHERE',
};

/** The state that Outlook writes beside TRANSP; it alone can say two of the five. */
function withBusyStatus(component: IcsComponent, shows: EventContent['showAs']): IcsComponent {
  const isNeeded = shows === 'oof' || shows === 'workingElsewhere';
  const name = X_BUSY_STATUS.toLowerCase();
  if (!isNeeded && propertyOf(component, name) === undefined) return component;
  return withProperty(component, name, writeContentLine(X_BUSY_STATUS, BUSY_STATUS[shows]));
}

function withWord(component: IcsComponent, name: string, word: string, usual: string): IcsComponent {
  const present = wordOf(component, name.toLowerCase());
  if (present === word || (present === '' && word === usual)) return component;
  return withProperty(component, name.toLowerCase(), writeContentLine(name, word));
}

function wantedAvailability({ showAs, ...patch }: EventPatch, current: Availability): Availability {
  const base = showAs === undefined ? current : availabilityAs(showAs ?? 'busy', current);
  return {
    transparency: patch.transparency === undefined ? base.transparency : (patch.transparency ?? 'opaque'),
    eventType: patch.eventType === undefined ? base.eventType : (patch.eventType ?? 'default'),
    status: patch.status === undefined ? base.status : (patch.status ?? 'confirmed'),
  };
}

/** Working elsewhere stays while it is not overruled; it is busy in every other respect. */
function wantedState(patch: EventPatch, current: Shown, wanted: Availability): EventContent['showAs'] {
  const given = patch.showAs === undefined ? current.showAs : (patch.showAs ?? 'busy');
  if (wanted.transparency === 'transparent') return 'free';
  if (wanted.eventType === 'outOfOffice') return 'oof';
  if (wanted.status === 'tentative') return 'tentative';
  return given === 'workingElsewhere' ? 'workingElsewhere' : 'busy';
}
