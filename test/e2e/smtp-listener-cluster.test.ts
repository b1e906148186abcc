import { describe } from 'node:test'
import { shareClusterSite } from './smpp-site.fixture.ts'
import { smtpListenerContract } from './smtp-listener.contract.ts'

await describe('smtpListenerContract on cluster', { timeout: 600_000 }, () => smtpListenerContract(shareClusterSite))
