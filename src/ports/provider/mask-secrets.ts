const MASK = '***';

/** Parameters and members with a secret, as written in URLs, forms, headers and JSON. */
const SECRET_MEMBER =
  /\b((?:access|refresh|id|client|bearer)[_-]?(?:token|secret|assertion)|code[_-]?verifier|password|(?:client|endpoint)?secret)(["']?\s*[=:]\s*["']?)[^\s"'&,;}]+/gi;

/** `code`, `token` and `key` are secrets as parameters only; elsewhere they are ordinary words. */
const SECRET_PARAMETER = /([?&]|\b)(code|token|key)=[^\s"'&,;}]+/gi;

/**
 * Masks everything that looks like a credential: bearer values, secret parameters and members, JSON web tokens and
 * Google's access tokens. For external text in errors and logs.
 */
export function maskSecrets(text: string): string {
  return text
    .replace(/\bBearer(\s+)[^\s"',;}]+/gi, `Bearer$1${MASK}`)
    .replace(SECRET_MEMBER, `$1$2${MASK}`)
    .replace(SECRET_PARAMETER, `$1$2=${MASK}`)
    .replace(/\beyJ[\w-]{8,}(?:\.[\w-]*)*/g, MASK)
    .replace(/\bya29\.[\w-]+/g, MASK);
}
