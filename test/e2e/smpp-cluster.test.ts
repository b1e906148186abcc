import { describe } from 'node:test'
import { smppContract } from './smpp.contract.ts'
import { shareClusterSite } from './smpp-site.fixture.ts'

await describe('smppContract on cluster', { timeout: 600_000 }, () => smppContract(shareClusterSite))
