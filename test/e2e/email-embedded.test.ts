import { describe } from 'node:test'
import { emailContract } from './email.contract.ts'
import { shareEmbeddedSite } from './smpp-site.fixture.ts'

await describe('emailContract on embedded', { timeout: 600_000 }, () => emailContract(shareEmbeddedSite))
