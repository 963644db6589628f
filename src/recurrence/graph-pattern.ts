/** The weekdays as Microsoft Graph writes them, from Monday. */
export const GRAPH_DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;
/** The places of a weekday in a month as Microsoft Graph writes them. */
export const GRAPH_INDEXES = ['first', 'second', 'third', 'fourth', 'last'] as const;

export type GraphDay = (typeof GRAPH_DAYS)[number];
export type GraphIndex = (typeof GRAPH_INDEXES)[number];

/** `recurrencePattern` of Microsoft Graph. Fields that a type does not use are absent. */
export interface GraphPattern {
  readonly type: 'daily' | 'weekly' | 'absoluteMonthly' | 'relativeMonthly' | 'absoluteYearly' | 'relativeYearly';
  readonly interval: number;
  readonly daysOfWeek?: readonly GraphDay[];
  readonly dayOfMonth?: number;
  readonly month?: number;
  readonly firstDayOfWeek?: GraphDay;
  readonly index?: GraphIndex;
}

/** `recurrenceRange` of Microsoft Graph. `endDate` is the last date, inclusive, in `recurrenceTimeZone`. */
export interface GraphRange {
  readonly type: 'noEnd' | 'numbered' | 'endDate';
  readonly startDate: string;
  readonly endDate?: string;
  readonly numberOfOccurrences?: number;
  readonly recurrenceTimeZone?: string;
}

/** A series in Graph's form. `excluded` are the nominal wall times of instances to delete after its creation. */
export interface PatternedRecurrence {
  readonly pattern: GraphPattern;
  readonly range: GraphRange;
  readonly excluded: readonly number[];
}
