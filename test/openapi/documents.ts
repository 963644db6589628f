import { adminInterface } from '../../adapters/http/src/admin-routes/index.ts';
import { openApiDocument } from '../../adapters/http/src/openapi-document.ts';
import { applicationInterface } from '../../adapters/http/src/routes/index.ts';

const PROVIDER_TYPES = ['PROVIDER_A', 'PROVIDER_B'];

/** Returns the OpenAPI document of each interface, by the name of its file. */
export const documents = (): Readonly<Record<string, object>> => ({
  'openapi.json': openApiDocument(applicationInterface, PROVIDER_TYPES, undefined),
  'admin-openapi.json': openApiDocument(adminInterface, PROVIDER_TYPES, undefined),
});
