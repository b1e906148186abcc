/** How much a tenant may have waiting and stored, unless an operator has decided otherwise for it. */
import { Type } from 'typebox'
import { whole } from './setting.ts'

export const QUOTA_SETTINGS = {
  maxWaiting: whole(1, 1_000_000_000, {
    env: 'POMBO_MAX_WAITING',
    default: 1_000_000,
    description:
      'How many messages of a tenant may be waiting to be handed to a provider. Beyond it, sends of that tenant are refused with 507. `quotas` of a tenant overrides it.',
  }),
  maxStoredBytes: Type.Optional(
    whole(1, Number.MAX_SAFE_INTEGER, {
      env: 'POMBO_MAX_STORED_BYTES',
      description:
        'How many bytes the messages of a tenant may occupy; unlimited if it is not set. Beyond it, sends of that tenant are refused with 507. `quotas` of a tenant overrides it.',
    }),
  ),
}
