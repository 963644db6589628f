import { z } from 'zod';
import { type Control, control, share } from './control.ts';
import type { MicrosoftWorld } from './state.ts';

/** The control verbs of failures that the real service shows at times. */
export function faultControls(world: MicrosoftWorld): Readonly<Record<string, Control>> {
  return {
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
