/** Mail through a running gateway, over real sockets to a fake mail server and a fake SES, and their reports. */
import { describe } from 'node:test'
import { emailBouncesContract } from './email-bounces.contract.ts'
import { emailKillContract } from './email-kill.contract.ts'
import { emailOutcomesContract } from './email-outcomes.contract.ts'
import { emailSendingContract } from './email-sending.contract.ts'
import { shareEmailSite } from './email-site.fixture.ts'
import type { ShareSite } from './smpp-site.fixture.ts'

export async function emailContract(share: ShareSite): Promise<void> {
  const site = await shareEmailSite(share)
  for (const [what, contract] of [
    ['sending', emailSendingContract],
    ['outcomes', emailOutcomesContract],
    ['bounces', emailBouncesContract],
    ['kill', emailKillContract],
  ] as const) {
    describe(what, () => contract(site))
  }
}
