import { z } from 'zod';

/** The home database: that of KALENDS_DATABASE_URL. */
export const HOME = 'home';

const RULE = 'must be a list of NAME=postgres://…, separated by commas; names of lower-case letters, digits, - and _';
const ITEM = /^([a-z0-9_-]{1,63})=(postgres(?:ql)?:\/\/.+)$/;

/** A further database. */
export interface NamedUrl {
  readonly name: string;
  readonly url: string;
}

/** The value of KALENDS_SHARDS. An address may have commas itself: of several hosts. */
export const shardList = z.string().transform((text, context): readonly NamedUrl[] => {
  const items = text
    .split(/,(?=\s*[a-z0-9_-]+=postgres)/)
    .map((item) => item.trim())
    .filter((item) => item !== '');
  const shards = items.flatMap((item) => {
    const [, name, url] = ITEM.exec(item) ?? [];
    return name === undefined || url === undefined || !URL.canParse(url) ? [] : [{ name, url }];
  });
  const names = new Set([HOME, ...shards.map(({ name }) => name)]);
  if (shards.length < items.length) context.addIssue({ code: 'custom', message: RULE });
  else if (names.size <= shards.length) {
    context.addIssue({ code: 'custom', message: `must have different names, none of them "${HOME}"` });
  }
  return shards;
});
