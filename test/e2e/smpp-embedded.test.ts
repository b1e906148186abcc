import { describe } from 'node:test'
import { smppContract } from './smpp.contract.ts'
import { shareEmbeddedSite } from './smpp-site.fixture.ts'

await describe('smppContract on embedded', { timeout: 600_000 }, () => smppContract(shareEmbeddedSite))
