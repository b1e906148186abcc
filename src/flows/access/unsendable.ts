/** What is refused at the edge because a worker would refuse it: messages of suspended tenants, tests without a simulator. */
import { isTestTenant } from '../../domain/access/test-mode.ts'
import type { TenantId } from '../../domain/ids.ts'
import type { Channel } from '../../domain/message/message.ts'
import { type Refusal, refuse } from '../errors.ts'
import { simulatorFor, type UsableProvidersDeps } from './usable-providers.ts'

/** Why no message of the tenant would be sent now; undefined if one would. */
export function unsendable(deps: UsableProvidersDeps, tenantId: TenantId, channel: Channel): Refusal | undefined {
  if (deps.tenants.of(tenantId)?.state === 'suspended') return tenantSuspended()
  return isTestTenant(tenantId) && simulatorFor(deps, tenantId, channel) === undefined
    ? refuse('TEST_MODE_UNAVAILABLE', `Not accepted: ${withoutSimulator(channel)}`)
    : undefined
}

export const tenantSuspended = (): Refusal => refuse('TENANT_SUSPENDED', 'An operator has suspended this tenant')

export const withoutSimulator = (channel: Channel): string =>
  `messages in test mode only go to a simulator, and none is configured for ${channel} and this tenant`
