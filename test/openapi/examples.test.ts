import { expect, it } from 'vitest';
import { openApiDocument } from '../../adapters/http/src/openapi-document.ts';
import { applicationInterface } from '../../adapters/http/src/routes/index.ts';
import type { Json } from '../interface/world.ts';
import { documents } from './documents.ts';
import { OF_PROVIDERS, type Played, playExamples } from './play-examples.ts';
import { exampleOf } from './record-examples.ts';

const operations: readonly Json[] = Object.values(documents()).flatMap(({ paths }: Json) =>
  Object.values<Json>(paths).flatMap((item) => Object.values<Json>(item)),
);
const played = await playExamples();

it('has an example of every operation that clients call', () => {
  const names = operations.map(({ operationId }) => operationId);
  expect(played.map(({ operationId }) => operationId).sort()).toEqual(
    names.filter((name) => !OF_PROVIDERS.includes(name)).sort(),
  );
});

it.each(played.map((each) => [each.operationId, each] as const))('shows %s as it was played just now', (id, each) => {
  const { parameters = [], requestBody, responses } = operations.find(({ operationId }) => operationId === id);
  const example = exampleOf(each);
  const shown = (where: string) =>
    Object.fromEntries(
      parameters
        .filter((parameter: Json) => parameter.in === where && parameter.example !== undefined)
        .map(({ name, example }: Json) => [name, String(example)]),
    );
  // Ids and times are those of the recording; each of them was accepted in the place of its own.
  expect(Object.keys(shown('path')).sort()).toEqual(
    [...each.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort(),
  );
  expect(shown('query')).toEqual(example.query ?? {});
  expect(shown('header')).toEqual(example.headers ?? {});
  expect(bodyOf(requestBody)).toEqual(example.body);
  const answer = example.status === undefined ? undefined : bodyOf(responses[example.status]);
  expect(shapeOf(answer)).toEqual(shapeOf(example.response));
  expect(shapeOf(variantsOf(responses[example.status ?? '']))).toEqual(shapeOf(example.variants));
});

it('shows nothing that scanners of secrets would report', () => {
  const text = JSON.stringify(operations);
  const secrets = played.flatMap(({ answer }: Played) =>
    ['endpointSecret', 'key', 'accessToken', 'refreshToken', 'password'].map((name) => answer[name]),
  );
  for (const secret of secrets.filter((each) => typeof each === 'string')) expect(text).not.toContain(secret);
});

it('names a provider that the engine has', () => {
  const { paths } = openApiDocument(applicationInterface, ['GOOGLE'], undefined) as Json;
  const [, provider] = paths['/v1/oauth/authorize/{app_id}/{provider}'].get.parameters;
  expect(provider).toMatchObject({ name: 'provider', example: 'google' });
});

const mediaOf = ({ content }: Json = {}) =>
  content?.['application/json'] ?? content?.['text/event-stream'] ?? content?.['text/calendar'];

/** Returns the values of named examples; undefined for a single one. */
function variantsOf(media: Json): Json {
  const examples = mediaOf(media)?.examples;
  return examples && Object.fromEntries(Object.entries<Json>(examples).map(([name, { value }]) => [name, value]));
}

const bodyOf = (media: Json) => mediaOf(media)?.example ?? Object.values(variantsOf(media) ?? {})[0];

/** Returns the names and types of a value, of a list those of its first entry. */
function shapeOf(value: Json): Json {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf);
  if (value === null || typeof value !== 'object') return value === null ? 'null' : typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shapeOf(each)]));
}
