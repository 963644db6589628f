import type { ActorType } from './ports/index.ts';

/** The application that makes a call. */
export interface Caller {
  readonly applicationId: string;
  /** The API key used, for the audit log; absent when embedded. */
  readonly apiKeyId?: string;
  /** Whether this caller may read credentials. @default true */
  readonly canReadCredentials?: boolean;
  /** Whether this caller may only read. @default false */
  readonly readOnly?: boolean;
  /** The client's IP address, for the audit log. */
  readonly address?: string | null;
  /** Who is behind the call, for the audit log. @default the API key, or the embedding application */
  readonly actor?: Actor;
}

/** Who makes a change, for the audit log. */
export interface Actor {
  readonly type: ActorType;
  /** The API key, operator or user of the operating system. */
  readonly id?: string | null;
  /** The client's IP address. */
  readonly address?: string | null;
}

/** A page of accounts or subscriptions. */
export interface Page<Item> {
  readonly data: readonly Item[];
  readonly nextPageToken: string | null;
}
