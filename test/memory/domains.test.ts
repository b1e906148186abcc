import { sendingDomainsContract } from '../../src/ports/sending-domains.contract.ts'
import { memoryDomains } from './domains.ts'

sendingDomainsContract('memory', async () => ({ domains: memoryDomains(), async [Symbol.asyncDispose]() {} }))
