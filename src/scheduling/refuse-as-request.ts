import { AvailabilityError } from '../availability/index.ts';
import { invalid } from '../errors.ts';

/** Runs a function of `kalends/availability`. @throws KalendsError InvalidRequest with the field as the interface names it */
export function refuseAsRequest<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof AvailabilityError)) throw error;
    const rule = error.message.slice(error.field.length + 2);
    throw invalid(fieldOf(error.field), fieldsIn(rule));
  }
}

/** Turns `participants[1].busy[0].endMs` into `participants.1.busy.0.endDateTime`. */
function fieldOf(path: string): string {
  return fieldsIn(path.replaceAll(/\[(\d+)\]/g, '.$1').replace(/^window\./, ''));
}

function fieldsIn(text: string): string {
  return text.replaceAll(/\b(start|end|lastAssigned)Ms\b/g, '$1DateTime').replaceAll(/\b(\w+)Ms\b/g, '$1Minutes');
}
