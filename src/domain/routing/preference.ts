/**
 * The order in which a message tries the providers of its route. With weights, the first is drawn by the random bits of
 * the message id, so every process draws the same and retries stay with it.
 */
import type { MessageId, ProviderName } from '../ids.ts'
import type { Route } from './routing.ts'

/** Without a message, the highest weight comes first. */
export function preferenceOf({ providers, weights }: Route, id?: MessageId): readonly ProviderName[] {
  if (weights === undefined) return providers
  const weighted = providers.map((name, index) => ({ name, weight: weights[index] ?? 0 }))
  const drawn = id === undefined ? undefined : draw(weighted, fractionOf(id))
  const others = weighted.filter((one) => one !== drawn).toSorted((one, other) => other.weight - one.weight)
  return (drawn === undefined ? others : [drawn, ...others]).map(({ name }) => name)
}

type Weighted = Readonly<{ name: ProviderName; weight: number }>

/** The provider at a point of the total weight; undefined when all weights are zero. */
function draw(weighted: readonly Weighted[], fraction: number): Weighted | undefined {
  let left = fraction * weighted.reduce((sum, { weight }) => sum + weight, 0)
  return weighted.find(({ weight }) => {
    left -= weight
    return left < 0
  })
}

const BITS = 48

/** From 0 (inclusive) to 1 (exclusive): the last bits of a UUIDv7 are random, those of a UUIDv8 hashed. */
const fractionOf = (id: MessageId): number => Number.parseInt(id.slice(-BITS / 4), 16) / 2 ** BITS
