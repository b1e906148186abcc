/**
 * In which order a message tries the providers of its route. Where they have weights the first is drawn, by
 * the random bits of the message's own id: every process draws the same, and a retry stays where it was.
 */
import type { MessageId, ProviderName } from '../ids.ts'
import type { Route } from './routing.ts'

/** Of no message in particular, the heaviest comes first. */
export function preferenceOf({ providers, weights }: Route, id?: MessageId): readonly ProviderName[] {
  if (weights === undefined) return providers
  const weighted = providers.map((name, place) => ({ name, weight: weights[place] ?? 0 }))
  const drawn = id === undefined ? undefined : draw(weighted, fractionOf(id))
  const others = weighted.filter((one) => one !== drawn).toSorted((one, other) => other.weight - one.weight)
  return (drawn === undefined ? others : [drawn, ...others]).map(({ name }) => name)
}

type Weighted = Readonly<{ name: ProviderName; weight: number }>

/** The one that a point of the whole falls upon; undefined where nothing has a weight. */
function draw(weighted: readonly Weighted[], fraction: number): Weighted | undefined {
  let left = fraction * weighted.reduce((sum, { weight }) => sum + weight, 0)
  return weighted.find(({ weight }) => {
    left -= weight
    return left < 0
  })
}

const BITS = 48

/** From 0 (inclusive) to 1 (exclusive): the last bits are random in a UUIDv7, and hashed in a UUIDv8. */
const fractionOf = (id: MessageId): number => Number.parseInt(id.slice(-BITS / 4), 16) / 2 ** BITS
