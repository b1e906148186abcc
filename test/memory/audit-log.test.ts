import { auditLogContract } from '../../src/ports/audit-log.contract.ts'
import { memoryAuditLog } from './audit-log.ts'

auditLogContract('memory', async () => ({ auditLog: memoryAuditLog(), async [Symbol.asyncDispose]() {} }))
