import { TrieRouter } from 'hono/router/trie-router';
import { KalendsError } from 'kalends';
import { problemResponse } from './problem-response.ts';

/** Knows which methods each path of the interface has. */
export interface MethodIndex {
  /** `pattern` in the router's form, `:name` for parameters. */
  add(method: string, pattern: string): void;
  /** Methods of a path for an Allow header; empty for a path that is not part of the interface. */
  allowed(path: string): readonly string[];
}

/** Creates an empty index. HEAD comes with GET, and OPTIONS with every path. */
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
 * Answers a method that a known path has no route for: OPTIONS with the methods that there are, every other with 405.
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
