import { tenantsContract } from '../../src/ports/tenants.contract.ts'
import { memoryTenants } from './tenants.ts'

tenantsContract('memory', async (file) => ({ tenants: memoryTenants(file), async [Symbol.asyncDispose]() {} }))
