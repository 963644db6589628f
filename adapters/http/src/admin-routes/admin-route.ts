import type { Actor, Caller } from 'kalends';
import { z } from 'zod';
import { type Call, parameter, type Route } from '../route.ts';

/** A route of `/admin/v1`: its caller is the actor of the audit log. */
export type AdminRoute = Route<Actor>;

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
