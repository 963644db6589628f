interface Write {
  readonly offset: number;
  readonly bytes: Buffer;
}

/** A write, or a truncation or extension. */
export type Change = Write | { readonly size: number };

export interface FileContent {
  change(change: Change): void;
  copy(): FileContent;
  bytes(): Buffer;
}

/** Unit that a disk writes as a whole, in bytes. */
const SECTOR = 512;

export function createContent(begin: Buffer = Buffer.alloc(0)): FileContent {
  let room = begin;
  let size = begin.length;
  const resize = (next: number) => {
    if (next > room.length) {
      const larger = Buffer.alloc(Math.max(next, room.length * 2));
      room.copy(larger, 0, 0, size);
      room = larger;
    }
    // Bytes that are cut off must not come back when the file grows again.
    if (next < size) room.fill(0, next, size);
    size = next;
  };
  return {
    change(change) {
      if ('size' in change) return resize(change.size);
      const { offset, bytes } = change;
      if (offset + bytes.length > size) resize(offset + bytes.length);
      bytes.copy(room, offset);
    },
    copy: () => createContent(Buffer.from(room.subarray(0, size))),
    bytes: () => room.subarray(0, size),
  };
}

/** Splits a write where sectors end. */
export function sectorsOf({ offset, bytes }: Write): readonly Write[] {
  const sectors: Write[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = Math.min(bytes.length, at + SECTOR - ((offset + at) % SECTOR));
    sectors.push({ offset: offset + at, bytes: bytes.subarray(at, end) });
    at = end;
  }
  return sectors;
}
