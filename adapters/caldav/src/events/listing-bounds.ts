import type { ObjectChanges } from './object-calls.ts';

/** Most pages of one listing: 200,000 objects in pages of 20. */
const MAX_PAGES = 10_000;
/** Most memory that its objects may take, roughly: 200,000 objects with paths and tags of 350 characters. */
const MAX_BYTES = 128 * 2 ** 20;
/** Memory of an object beside its path and tag. */
const PER_OBJECT = 300;
/** Pages that may name nothing new: those of changes that crossed with the listing, or of no objects. */
const MAX_IDLE_PAGES = 10;

/** Bounds one listing of a calendar that comes in pages. A server that a person chose could go on for ever. */
export interface ListingBounds {
  /**
   * Counts a page and returns whether the next one may be asked for.
   * @param named the objects that the pages so far have named, each once
   */
  mayGoOn(page: Pick<ObjectChanges, 'changed' | 'removed'>, named: number): boolean;
}

export function createListingBounds(): ListingBounds {
  let pages = 0;
  let idle = 0;
  let bytes = 0;
  let before = 0;
  return {
    mayGoOn({ changed, removed }, named) {
      pages += 1;
      if (named <= before) idle += 1;
      before = Math.max(before, named);
      for (const { path, tag } of changed) bytes += PER_OBJECT + path.length + (tag?.length ?? 0);
      for (const path of removed) bytes += PER_OBJECT + path.length;
      return pages < MAX_PAGES && idle < MAX_IDLE_PAGES && bytes <= MAX_BYTES;
    },
  };
}
