import { describe } from 'node:test'
import { emailContract } from './email.contract.ts'
import { shareClusterSite } from './smpp-site.fixture.ts'

await describe('emailContract on cluster', { timeout: 600_000 }, () => emailContract(shareClusterSite))
