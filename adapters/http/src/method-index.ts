import { TrieRouter } from 'hono/router/trie-router';
import { KalendsError } from 'kalends';
import { problemResponse } from './problem-response.ts';

/** The methods of each path of the interface. */
export interface MethodIndex {
  /** Adds a method; `pattern` has the router's form, `:name` for parameters. */
  add(method: string, pattern: string): void;
  /** Returns the methods of a path for an Allow header; none for a path that is not part of the interface. */
  allowed(path: string): readonly string[];
}

/** Creates an empty index; adding GET adds HEAD, and every path has OPTIONS. */
export function createMethodIndex(): MethodIndex {
  const router = new TrieRouter<Set<string>>();
  const byPattern = new Map<string, Set<string>>();
  return {
    add(method, pattern) {
      const methods = byPattern.get(pattern) ?? new Set();
      if (!byPattern.has(pattern)) router.add('ALL', pattern, methods);
      byPattern.set(pattern, methods);
      methods.add(method);
      if (method === 'GET') methods.add('HEAD');
    },
    allowed(path) {
      const methods = new Set(router.match('ALL', path)[0].flatMap(([found]) => [...found]));
      return methods.size === 0 ? [] : [...methods, 'OPTIONS'];
    },
  };
}

/**
 * Answers a method without a route on a known path: OPTIONS with the path's methods, any other with 405.
 * @see RFC 9110 §9.3.7 and §15.5.6
 */
export function methodNotAllowed(method: string, path: string, allowed: readonly string[], requestId: string) {
  const allow = allowed.join(', ');
  if (method === 'OPTIONS') return new Response(null, { status: 204, headers: { allow } });
  const error = new KalendsError('MethodNotAllowed', `${path} does not support ${method}; it supports ${allow}`);
  const response = problemResponse(error, requestId);
  response.headers.set('allow', allow);
  return response;
}
