import type { Attachment } from '@microsoft/microsoft-graph-types';
import { z } from 'zod';
import { GraphError } from '../api/graph-error.ts';
import { type GraphRequest, jsonAnswer } from '../api/graph-request.ts';
import { listAnswer, project, readProjection } from '../api/odata.ts';
import { itemOfCalendar, type Located } from '../calendars/access.ts';
import { address, type Control, calendarBehind, control } from '../control.ts';
import { parseItemId } from '../identity.ts';
import type { MicrosoftWorld, StoredAttachment } from '../state.ts';
import { formatSecond } from '../times.ts';
import { fieldsOf } from './event-view.ts';
import { writeFields } from './meetings.ts';

/** Renders an attachment. The content of a file is among its fields, and comes unless `$select` leaves it out. */
function attachmentView({ id, kind, modifiedAt, ...shown }: StoredAttachment): Attachment & { '@odata.type': string } {
  return {
    '@odata.type': `#microsoft.graph.${kind}Attachment`,
    id,
    lastModifiedDateTime: formatSecond(modifiedAt),
    ...shown,
    ...(kind === 'file'
      ? { contentId: null, contentLocation: null, contentBytes: Buffer.alloc(shown.size).toString('base64') }
      : {}),
  };
}

/** Properties that all kinds of attachments have: no others can be selected in a list of them. */
const COMMON = new Set(['id', 'lastModifiedDateTime', 'name', 'contentType', 'size', 'isInline']);

/** GET /events/{id}/attachments. @throws GraphError 400 for a property that only some kinds have */
export function listAttachments(graph: GraphRequest, { item }: Located): Response {
  const { select } = readProjection(graph.query);
  const odd = [...(select ?? [])].find((name) => !COMMON.has(name));
  if (odd !== undefined) {
    const rule = `Could not find a property named '${odd}' on type 'microsoft.graph.attachment'.`;
    throw new GraphError(400, 'BadRequest', `Parsing OData Select and Expand failed: ${rule}`);
  }
  const { attachments = [] } = fieldsOf(item);
  return jsonAnswer(
    graph,
    listAnswer(graph, attachments, attachmentView, (each) => project(attachmentView(each), select, [])),
  );
}

const input = z.strictObject({
  email: address,
  calendarId: z.string().optional(),
  eventId: z.string(),
  kind: z.enum(['file', 'item', 'reference']).default('file'),
  name: z.string(),
  contentType: z.string().nullable().default(null),
  size: z.int().min(0).default(0),
  isInline: z.boolean().default(false),
});

/** Attaches a file, an item or a link to an event, a series or one occurrence, as a person does in Outlook. */
export function addAttachment(world: MicrosoftWorld): Control {
  return control(world, input, ({ email, calendarId, eventId, ...given }) => {
    const calendar = calendarBehind(world, email, calendarId);
    const item = itemOfCalendar(calendar, parseItemId(eventId));
    if (item === undefined) throw new RangeError(`eventId: no such event of ${email}`);
    const { attachments = [] } = fieldsOf(item);
    const id = `AAMkATT${world.kernel.randomText(20)}=`;
    const attachment = { id, ...given, modifiedAt: world.kernel.clock.now() };
    writeFields(world, calendar, item, { attachments: [...attachments, attachment] });
    return { attachmentId: id };
  });
}
