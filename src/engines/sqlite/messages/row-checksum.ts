/** SQLite has no checksums of its own: without one, a flipped bit on disk would be answered as if it were true. */
import { crc32 } from 'node:zlib'
import { DamagedRow } from '../damage.ts'

/** What a message's row holds that cannot be derived from anything else. */
type Stored = Readonly<{ facts: string; events: string; searchable: string | null }>

export const checksumOf = ({ facts, events, searchable }: Stored): number =>
  crc32(searchable ?? '', crc32(events, crc32(facts)))

/** Throws if the row of message `n` is not what was written. */
export function assertSound(n: number, stored: Stored, checksum: unknown): void {
  if (checksumOf(stored) !== checksum) throw new DamagedRow(`the row of message ${n} has a wrong checksum`)
}
