/** A person at a server. */
export interface ServerUser {
  readonly username: string;
  readonly password: string;
  readonly email: string;
}

/** A CalDAV server of other authors, running for the tests. */
export interface CalendarServer {
  readonly name: ServerName;
  /** Where discovery starts. */
  readonly url: string;
  /** Two people; on a server without users, the same one twice. */
  readonly alice: ServerUser;
  readonly bob: ServerUser;
}

export const SERVER_NAMES = ['radicale', 'xandikos', 'davical', 'cyrus', 'sogo'] as const;

export type ServerName = (typeof SERVER_NAMES)[number];

/** A running server with its end. */
export interface RunningServer extends CalendarServer {
  /** Ends all its processes. */
  stop(): Promise<void>;
}

export const ALICE: ServerUser = { username: 'alice', password: 'secret', email: 'alice@example.org' };
export const BOB: ServerUser = { username: 'bob', password: 'secret', email: 'bob@example.org' };
