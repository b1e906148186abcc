/** Twilio's Account resource, as far as programs need it to check their credentials. */
import { type Api, callerOf } from '../http/context.ts'
import { toAccountSid } from './account-sid.ts'
import { errorAnswer } from './errors.ts'
import { toMessagesPath } from './message-view.ts'
import type { TwilioGuard } from './twilio.ts'

export function accountRoutes(app: Api, guard: TwilioGuard): void {
  const options = {
    schema: { hide: true },
    config: { errorAnswer },
    onRequest: guard('messages:read', 'sms:send', 'otp'),
  }
  app.get('/2010-04-01/Accounts/:account', options, async (request) => {
    const { tenantId, accountId } = callerOf(request)
    const sid = toAccountSid({ tenantId, accountId })
    const path = toMessagesPath(sid)
    return {
      sid,
      owner_account_sid: sid,
      friendly_name: `${tenantId}/${accountId}`,
      status: 'active',
      type: 'Full',
      uri: `${path.replace(/\/Messages$/, '')}.json`,
      subresource_uris: { messages: `${path}.json` },
    }
  })
}
