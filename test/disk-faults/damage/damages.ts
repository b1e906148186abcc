/** What may happen to the bytes of a file on a disk. */
import { MOST_UNSYNCED as UNSYNCED_OF_TABLES } from '../../../src/engines/sqlite/database.ts'
import { MOST_UNSYNCED as UNSYNCED_OF_JOURNAL } from '../../../src/engines/sqlite/journal/journal-file.ts'
import type { Files } from '../../power/disk.ts'
import { type Random, randomInteger } from '../../support/random.ts'
import type { Extent } from './pages.ts'

export const KINDS = ['flip', 'zero', 'torn', 'misplaced', 'cut'] as const
export type DamageKind = (typeof KINDS)[number]

/** `bit` is within the extent, for a flip; `other` is where misplaced bytes come from. */
export type Damage = Readonly<{ kind: DamageKind; extent: Extent; bit: number; other: number }>

/** Of each page: so many flipped bits, and one of each other kind. */
export function planDamages(extents: readonly Extent[], flips: number, random: Random): readonly Damage[] {
  return extents.flatMap((extent) => {
    const like = extents.filter(({ file, length }) => file === extent.file && length === extent.length)
    const draw = (kind: DamageKind): Damage => ({
      kind,
      extent,
      bit: randomInteger(random, 0, 8 * extent.length - 1),
      other: like[randomInteger(random, 0, like.length - 1)]?.at ?? 0,
    })
    return KINDS.flatMap((kind) => Array.from({ length: kind === 'flip' ? flips : 1 }, () => draw(kind)))
  })
}

/** Whether a power cut may leave the same: then the engine goes on without what seems to be an unfinished write. */
export const isLikeTorn = ({ kind, extent: { file, commitsAfter } }: Damage): boolean =>
  commitsAfter !== undefined && (kind === 'cut' || commitsAfter <= (MOST_UNSYNCED.get(file) ?? 0) + 1)

const MOST_UNSYNCED: ReadonlyMap<string, number> = new Map([
  ['pombo.db-wal', UNSYNCED_OF_TABLES],
  ['pombo-journal.db-wal', UNSYNCED_OF_JOURNAL],
])

export function damage(files: Files, { kind, extent, bit, other }: Damage): Files {
  const { file, at, length } = extent
  const whole = files.get(file)
  if (whole === undefined) return files
  const bytes = Buffer.from(whole)
  switch (kind) {
    case 'flip':
      bytes.writeUInt8(bytes.readUInt8(at + (bit >>> 3)) ^ (1 << (bit & 7)), at + (bit >>> 3))
      break
    case 'zero':
      bytes.fill(0, at, at + length)
      break
    case 'torn':
      bytes.fill(0, at + length / 2, at + length)
      break
    case 'misplaced':
      whole.copy(bytes, at, other, other + length)
      break
    case 'cut':
      return new Map(files).set(file, bytes.subarray(0, at + (bit % length)))
  }
  return new Map(files).set(file, bytes)
}
