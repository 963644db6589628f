import type { MicrosoftWorld } from '../state.ts';

/** Reports an error of the Graph server. */
export class GraphError extends Error {
  readonly status: number;
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, code: string, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.name = 'GraphError';
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

export const itemNotFound = (): GraphError =>
  new GraphError(404, 'ErrorItemNotFound', 'The specified object was not found in the store.');

export const accessDenied = (): GraphError =>
  new GraphError(403, 'ErrorAccessDenied', 'Access is denied. Check credentials and try again.');

export const invalidRequest = (message: string): GraphError => new GraphError(400, 'ErrorInvalidRequest', message);

export const propertyFailure = (message: string): GraphError =>
  new GraphError(400, 'ErrorPropertyValidationFailure', message);

/** Returns a random GUID from the sandbox's seeded source. */
export function randomGuid(world: MicrosoftWorld): string {
  const hex = world.kernel.randomText(32, '0123456789abcdef');
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20)].join('-');
}

/** Renders an error in Graph's form, with the identifiers that its support asks for. */
export function errorResponse(world: MicrosoftWorld, error: GraphError): Response {
  const requestId = randomGuid(world);
  const date = new Date(world.kernel.clock.now()).toISOString().slice(0, 19);
  const body = {
    error: {
      code: error.code,
      message: error.message,
      innerError: { date, 'request-id': requestId, 'client-request-id': requestId },
    },
  };
  return Response.json(body, { status: error.status, headers: { 'request-id': requestId, ...error.headers } });
}
