import { WINDOWS_ZONES } from './windows-zones.ts';
import { intlZones, type Zones } from './zones.ts';
import { ZONES_OF_WINDOWS } from './zones-of-windows.ts';

const windowsByFoldedName = new Map(
  Object.entries(WINDOWS_ZONES).map(([windows, zone]) => [windows.toLowerCase(), zone]),
);

/** Returns CLDR's IANA zone for a Windows zone name (territory 001, any case), or undefined. */
export function windowsToIana(name: string): string | undefined {
  return windowsByFoldedName.get(name.toLowerCase());
}

const windowsByZone = new WeakMap<Zones, ReadonlyMap<string, string>>();

/** Returns the Windows name of an IANA zone or alias, or undefined where Windows has none (Antarctica/Troll). */
export function ianaToWindows(zone: string, zones: Zones = intlZones): string | undefined {
  const canonical = zones.canonicalName(zone);
  if (canonical === undefined) return undefined;
  let table = windowsByZone.get(zones);
  if (table === undefined) {
    table = new Map(
      ZONES_OF_WINDOWS.flatMap(([windows, all]) =>
        all.split(' ').map((name) => [zones.canonicalName(name) ?? name, windows] as const),
      ),
    );
    windowsByZone.set(zones, table);
  }
  return table.get(canonical);
}

/**
 * Returns the IANA name of a zone as a user or a provider names it: an IANA name or alias, of any case, in the spelling of the tz database,
 * a Windows name as its zone. Undefined for anything else, including offsets such as `+02:00` and `UTC+3`.
 */
export function resolveZone(name: string, zones: Zones = intlZones): string | undefined {
  const canonical = zones.canonicalName(name);
  if (canonical === undefined) return windowsToIana(name);
  return canonical === name ? name : spellingOf(name);
}

/** Words of the tz database's names that are not a capital before small letters. */
const WORDS =
  'CET EET EST GMT HST MET MST PRC ROC ROK UCT UTC WET CDT CST EDT MDT PDT PST ACT LHI NSW CHAT GB IN NZ SU US au es of ' +
  'BajaNorte BajaSur ComodRivadavia DeNoronha DumontDUrville EasterIsland McMurdo';

const spellings = new Map<string, string>();

/** `Intl` takes a name in any case, and tells the zone of an alias instead of its spelling. */
function spellingOf(name: string): string {
  let spelling = spellings.get(name);
  if (spelling === undefined) {
    const words = WORDS.split(' ');
    spelling = name
      .toLowerCase()
      .replace(
        /[a-z]+/g,
        (word) => words.find((known) => known.toLowerCase() === word) ?? word[0]?.toUpperCase() + word.slice(1),
      );
    // A name has many spellings.
    if (spellings.size >= 5000) spellings.clear();
    spellings.set(name, spelling);
  }
  return spelling;
}
