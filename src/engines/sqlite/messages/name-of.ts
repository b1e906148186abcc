/**
 * What a name is stored as: 48 bits, spread evenly. A random or hashed UUID keeps its first 32 bits, so that all ids with
 * the same first digits are one range; any other text is hashed. UUIDs by time are hashed, too: as ranges they would all
 * be in one place.
 */
const RANDOM_UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[48][0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/
const PREFIX_DIGITS = 8
const REST = 2 ** 16

export function nameOf(text: string): number {
  const hash = hashOf(text)
  return RANDOM_UUID.test(text) ? firstOf(text) + (hash % REST) : hash
}

/** The names of the ids that begin with these 8 digits or more, as far as 8 digits tell: from the first to before the last. */
export const rangeOf = (prefix: string): readonly [from: number, to: number] => [
  firstOf(prefix),
  firstOf(prefix) + REST,
]

const firstOf = (id: string): number => Number.parseInt(id.slice(0, PREFIX_DIGITS), 16) * REST

/** FNV-1a, twice: not for secrets, only spread evenly. Earlier releases stored every name so. */
export function hashOf(text: string): number {
  let [low, high] = [0x811c9dc5, 0x2f0b4f27]
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    low = Math.imul(low ^ code, 0x01000193)
    high = Math.imul(high ^ code, 0x01000197)
  }
  return ((high >>> 16) ^ (high & 0xffff)) * 2 ** 32 + (low >>> 0)
}
