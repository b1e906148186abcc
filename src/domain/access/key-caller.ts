/** Who an API key speaks for: the same for HTTP, SMTP and SMPP. */
import type { ApiKey } from './api-key.ts'
import type { Caller } from './caller.ts'
import { tenantIn } from './test-mode.ts'

export const callerOfKey = ({ id, name, mode, tenantId, accountId, scopes }: ApiKey): Caller => ({
  tenantId: tenantIn(mode, tenantId),
  accountId,
  scopes: new Set(scopes),
  actor: { kind: 'api_key', id, name },
})
