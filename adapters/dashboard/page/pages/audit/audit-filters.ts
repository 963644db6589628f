import type { Call } from '../../api/request.ts';
import type { Filters } from '../../state/filters.ts';
import type { auditTexts } from '../../texts/en/audit.ts';

const DAY_MS = 86_400_000;

/** Filters that the search sets, in the order of the page. */
export const SEARCHED = Object.keys({ target: 0, action: 0, actorId: 0 } satisfies Record<
  keyof typeof auditTexts.filters,
  0
>) as (keyof typeof auditTexts.filters)[];

/** Returns the call of the list that the filters of the address choose. Days count back from `now`. */
export function auditCall(filters: Filters, applicationId: string | undefined, now: number, limit: number): Call {
  const days = Number(filters.get('days'));
  return {
    path: '/admin/v1/auditLog',
    query: {
      limit,
      ...(filters.get('of') === 'all' ? {} : { applicationId }),
      ...(days > 0 ? { from: new Date(now - days * DAY_MS).toISOString() } : {}),
      actorType: filters.get('actorType'),
      ...Object.fromEntries(SEARCHED.map((name) => [name, filters.get(name)])),
    },
  };
}
