import type { ErrorCode } from 'kalends';
import type { DescribedMessage } from './openapi-webhooks.ts';
import type { OperationExample } from './operation-example.ts';
import type { Access, Route } from './route.ts';

/** An interface: its routes, how its callers identify themselves, and the head of its OpenAPI document. */
export interface RouteTable<Who> {
  /** Path that all routes begin with. The OpenAPI document is at `openapi.json` below it. */
  readonly root: `/${string}`;
  readonly routes: readonly Route<Who>[];
  readonly documentAccess: Access;
  /** Request header that carries a caller's credential; undefined where the host signs callers in. */
  readonly credentialHeader: string | undefined;
  /** Error code of a request without a valid credential. */
  readonly unauthorized: ErrorCode;
  readonly title: string;
  readonly description: string;
  readonly security: {
    readonly name: string;
    readonly scheme:
      | { readonly type: 'apiKey'; readonly in: 'header'; readonly name: string }
      | { readonly type: 'http'; readonly scheme: 'bearer' };
  };
  /** Descriptions of the tags of its routes, in the order of the documentation. */
  readonly tags: Readonly<Record<string, string>>;
  /** Examples of the operations, by operationId. */
  readonly examples: Readonly<Record<string, OperationExample>>;
  /** The messages that the product sends. */
  readonly webhooks: readonly DescribedMessage[];
}
