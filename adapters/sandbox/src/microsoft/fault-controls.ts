import { z } from 'zod';
import { type Control, control, share } from './control.ts';
import type { MicrosoftWorld } from './state.ts';

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
    /** Sets how many exceptions a master is expanded with before they continue on another page; null is all. */
    setExpandedPageSize: control(world, z.strictObject({ size: z.int().positive().nullable() }), ({ size }) => {
      world.state.settings.expandedPageSize = size;
    }),
    /** Sets the share of expanded exceptions that lack `originalStart`, though it is selected. */
    setMissingOriginalStarts: control(world, z.strictObject({ share }), (input) => {
      world.state.settings.missingOriginalStarts = input.share;
    }),
  };
}
