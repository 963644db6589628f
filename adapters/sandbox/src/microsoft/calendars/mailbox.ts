import { z } from 'zod';
import { GraphError, randomGuid } from '../api/graph-error.ts';
import { type GraphRequest, jsonAnswer } from '../api/graph-request.ts';
import { listAnswer } from '../api/odata.ts';
import { parseBody } from '../events/event-body.ts';
import { itemId, objectIdOf, parseItemId } from '../identity.ts';
import type { StoredMailbox } from '../state.ts';
import { windowsNameOf } from '../times.ts';

/** GET /me. */
export function getMe(graph: GraphRequest): Response {
  const { email, name } = graph.mailbox;
  return jsonAnswer(graph, {
    '@odata.context': `${graph.root}/v1.0/$metadata#users/$entity`,
    id: objectIdOf(email),
    displayName: name,
    mail: email,
    userPrincipalName: email,
  });
}

/** GET /me/mailboxSettings, whose zone has a Windows name. */
export function getMailboxSettings(graph: GraphRequest): Response {
  const timeZone = windowsNameOf(graph.mailbox.timeZone);
  return jsonAnswer(graph, {
    '@odata.context': `${graph.root}/v1.0/$metadata#users('${objectIdOf(graph.mailbox.email)}')/mailboxSettings`,
    timeZone,
    dateFormat: 'M/d/yyyy',
    timeFormat: 'h:mm tt',
    userPurpose: 'user',
    language: { locale: 'en-US', displayName: 'English (United States)' },
    workingHours: workingHoursOf(graph.mailbox),
  });
}

/** Returns the working hours of a person, which are those of a new mailbox. */
export function workingHoursOf({ timeZone }: StoredMailbox): object {
  return {
    daysOfWeek: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'],
    startTime: '08:00:00.0000000',
    endTime: '17:00:00.0000000',
    timeZone: { name: windowsNameOf(timeZone) },
  };
}

/** GET /me/outlook/masterCategories. */
export function listCategories(graph: GraphRequest): Response {
  return jsonAnswer(
    graph,
    listAnswer(
      graph,
      graph.mailbox.categories,
      (category) => category,
      (category) => category,
    ),
  );
}

const categoryBody = z.object({ displayName: z.string().min(1).max(255), color: z.string().nullish() });

/** POST /me/outlook/masterCategories. @throws GraphError 409 for a name that exists */
export function createCategory(graph: GraphRequest): Response {
  const body = parseBody(categoryBody, graph.body, 'microsoft.graph.outlookCategory');
  const color = body.color ?? 'none';
  if (!/^(none|preset([0-9]|1[0-9]|2[0-4]))$/.test(color)) {
    throw new GraphError(400, 'RequestBodyRead', `Requested value '${color}' was not found.`);
  }
  if (graph.mailbox.categories.some(({ displayName }) => displayName === body.displayName)) {
    throw new GraphError(409, 'CategoryNameDuplicate', 'A category with that name exists already.');
  }
  const category = { id: randomGuid(graph.world), displayName: body.displayName, color };
  graph.mailbox.categories.push(category);
  graph.world.kernel.touched();
  return jsonAnswer(graph, category, 201);
}

const translateBody = z.object({
  inputIds: z.array(z.string()).max(1000),
  sourceIdType: z.string(),
  targetIdType: z.string(),
});

/** POST /me/translateExchangeIds between ordinary and immutable ids. */
export function translateIds(graph: GraphRequest): Response {
  const { inputIds, targetIdType } = parseBody(translateBody, graph.body, 'microsoft.graph.translateExchangeIds');
  const immutable = /^restImmutableEntryId$/i.test(targetIdType);
  if (!immutable && !/^restId$/i.test(targetIdType)) {
    throw new GraphError(400, 'ErrorInvalidRequest', `The target type '${targetIdType}' is not supported.`);
  }
  const value = inputIds.map((sourceId) => {
    try {
      return { sourceId, targetId: itemId(parseItemId(sourceId), immutable) };
    } catch (error) {
      if (!(error instanceof GraphError)) throw error;
      return { sourceId, errorDetails: { code: error.code, message: error.message } };
    }
  });
  return jsonAnswer(graph, {
    '@odata.context': `${graph.root}/v1.0/$metadata#Collection(microsoft.graph.convertIdResult)`,
    value,
  });
}
