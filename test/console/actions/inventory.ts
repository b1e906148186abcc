/**
 * What can be done in the console, page by page. Each action is done by keyboard alone, on a phone, in the dark, in this
 * order; the tests of the single pages do most of them with a pointer as well, on a desk and in the light.
 */
import type { SharedGateway } from '../../support/shared-gateway.ts'
import type { Scene } from '../scene.ts'
import { ACCESS_ACTIONS } from './access.ts'
import { CONFIGURE_ACTIONS } from './configure.ts'
import type { Keys } from './keys.ts'
import { MESSAGE_ACTIONS } from './message.ts'
import { MONITOR_ACTIONS } from './monitor.ts'
import { SEND_ACTIONS } from './send.ts'
import { SHELL_ACTIONS } from './shell.ts'
import { TEMPLATE_ACTIONS } from './templates.ts'
import { WEBHOOK_ACTIONS } from './webhooks.ts'

export type World = Readonly<{ gateway: SharedGateway; scene: Scene; hookUrl: string }>

export type Act = (keys: Keys, world: World) => Promise<void>

export type PageActions = Readonly<{
  /** Below /console. */
  path: string | ((world: World) => string)
  actions: Readonly<Record<string, Act>>
}>

export const INVENTORY: Readonly<Record<string, PageActions>> = {
  ...MONITOR_ACTIONS,
  ...MESSAGE_ACTIONS,
  ...SEND_ACTIONS,
  ...CONFIGURE_ACTIONS,
  ...TEMPLATE_ACTIONS,
  ...WEBHOOK_ACTIONS,
  ...ACCESS_ACTIONS,
  // Last, because they sign out.
  ...SHELL_ACTIONS,
}
