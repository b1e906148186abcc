/** Mail that arrives over SMTP, through a running gateway to a fake mail server. */
import { describe } from 'node:test'
import type { ShareSite } from './smpp-site.fixture.ts'
import { smtpBouncesContract } from './smtp-bounces.contract.ts'
import { smtpClientsContract } from './smtp-clients.contract.ts'
import { smtpKillContract } from './smtp-kill.contract.ts'
import { shareSmtpListenerSite } from './smtp-listener-site.fixture.ts'
import { smtpRefusalsContract } from './smtp-refusals.contract.ts'
import { smtpRelayingContract } from './smtp-relaying.contract.ts'
import { smtpRepeatedContract } from './smtp-repeated.contract.ts'

export async function smtpListenerContract(share: ShareSite): Promise<void> {
  const site = await shareSmtpListenerSite(share)
  for (const [what, contract] of [
    ['clients', smtpClientsContract],
    ['repeated mails', smtpRepeatedContract],
    ['refusals', smtpRefusalsContract],
    ['relaying', smtpRelayingContract],
    ['bounces', smtpBouncesContract],
    ['kill', smtpKillContract],
  ] as const) {
    describe(what, () => contract(site))
  }
}
