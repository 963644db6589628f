import type { Finding } from '../ports/index.ts';
import { zoneDataVersion } from '../runtime/index.ts';
import { offsetAt, resolveZone } from '../zones/index.ts';

const HOUR_MS = 3_600_000;

/**
 * Checks the tz data by two changes: Paraguay stays on summer time since October 2024 (tz data 2025a), and Aysén has a zone of
 * its own (2025b). @see https://data.iana.org/time-zones/tzdb/NEWS
 */
export function zoneFinding(): Finding {
  const check = 'zoneData';
  const version = zoneDataVersion();
  const knowsParaguay = offsetAt('America/Asuncion', Date.UTC(2025, 6, 1)) === -3 * HOUR_MS;
  const knowsAysen = resolveZone('America/Coyhaique') !== undefined;
  if (knowsParaguay && knowsAysen) {
    return { check, status: 'ok', message: `The tz data is ${version}.`, remedy: null };
  }
  return {
    check,
    status: 'warning',
    message: `The tz data is ${version}, which lacks changes of 2025: times of some zones are wrong.`,
    remedy: 'Update Node to a current release, then run "kalends migrate".',
  };
}
