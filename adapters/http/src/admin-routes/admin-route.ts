import type { Actor, Caller } from 'kalends';
import { z } from 'zod';
import { type Call, parameter, type Route } from '../route.ts';

/** A route of `/admin/v1`: its caller is the actor of the audit log. */
export interface AdminRoute extends Route<Actor> {
  readonly command: RouteCommand;
}

/** The command `kalends …` that plays a route: the parts that do not follow from the route's parameters and schemas. */
export interface RouteCommand {
  /** The words that call it, such as `app create`. */
  readonly words: string;
  /** Path parameters, then fields of the body, that are arguments. All others are flags. @default none */
  readonly positionals?: readonly string[];
  /** Secret fields that may be absent, each with the field beside which it is read: `{ password: 'username' }`. */
  readonly secretWith?: Readonly<Record<string, string>>;
  /** Fields of a list's entries that a person is shown, as columns. Paths have dots. */
  readonly columns?: readonly string[];
  /** Question to confirm a loss: `{name}` stands for a path parameter. */
  readonly confirm?: string;
  /** Next step, printed after a success: `{name}` stands for a field of the answer, else for a path parameter. */
  readonly next?: string;
  /** Field of the answer, and its value, without which the exit code is 1. */
  readonly success?: { readonly field: string; readonly value: string };
  /** Arguments and flags of the example in its help. */
  readonly example: string;
}

export type AdminCall = Call<Actor>;

/** Fields that all routes of `/admin/v1` share. */
export const ADMIN = { access: 'token' } as const;

/** Returns the application that the path names. */
export const applicationIdOf = (call: AdminCall): string => parameter(call, 'app');

/**
 * Returns a call of the application that the path names, by the administrator. An application that is being deleted can still
 * be looked at. @throws KalendsError NotFound
 */
export async function callerFor(call: AdminCall): Promise<Caller> {
  const { id } = await call.engine.applications.get(applicationIdOf(call));
  return { applicationId: id, actor: call.caller };
}

/** Answer to a deletion. */
export const success = z.object({ success: z.literal(true) });
export const SUCCEEDED = { body: { success: true } } as const;
