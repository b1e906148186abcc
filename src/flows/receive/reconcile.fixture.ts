/** Gateways whose messages are followed to their final status, on a route with the default policy of the lane. */

import type { MessageId } from '../../domain/ids.ts'
import type { Lane } from '../../domain/message/message.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
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

/** Processes all due jobs while the clock advances in steps. */
export async function live(gateway: Gateway, through: Millis, step: Millis = seconds(1)): Promise<void> {
  for (let passed = 0; passed <= through; passed += step) {
    while ((await gateway.work()) !== undefined);
    gateway.pass(step)
  }
}

export const submitTo = (gateway: Gateway, lane: Lane, expiresIn?: Millis): Promise<MessageId> =>
  gateway.submit({
    lane,
    content: omitUndefined({ ...CONTENT, expiresAt: expiresIn && later(START, expiresIn) }),
  })
