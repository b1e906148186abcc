/** Gateways whose messages are followed to their ends, by a route that leaves everything to the lane. */
import type { MessageId } from '../../domain/ids.ts'
import type { Lane } from '../../domain/message/message.ts'
import { later, type Millis, seconds } from '../../lib/time.ts'
import {
  CONTENT,
  type FakeProvider,
  type Gateway,
  type GatewayOptions,
  openGateway,
  START,
  type World,
} from '../gateway.fixture.ts'

export const HOUR = seconds(3_600)
export const DAY = seconds(86_400)

export const opener =
  (world: World) =>
  (providers: readonly FakeProvider[], options: GatewayOptions = {}): Gateway =>
    openGateway(world, { providers, route: { unknown: {} }, ...options })

/** Works on whatever is due, from one moment to the next, for so long. */
export async function live(gateway: Gateway, through: Millis, step: Millis = seconds(1)): Promise<void> {
  for (let passed = 0; passed <= through; passed += step) {
    while ((await gateway.work()) !== undefined);
    gateway.pass(step)
  }
}

export const submitTo = (gateway: Gateway, lane: Lane, expiresIn?: Millis): Promise<MessageId> =>
  gateway.submit({
    lane,
    content: { ...CONTENT, ...(expiresIn === undefined ? {} : { expiresAt: later(START, expiresIn) }) },
  })
