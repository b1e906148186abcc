import { describe } from 'node:test'
import { shareEmbeddedSite } from './smpp-site.fixture.ts'
import { smtpListenerContract } from './smtp-listener.contract.ts'

await describe('smtpListenerContract on embedded', { timeout: 600_000 }, () => smtpListenerContract(shareEmbeddedSite))
