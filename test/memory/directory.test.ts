import { recipientsContract } from '../../src/ports/recipients.contract.ts'
import { suppressionsContract } from '../../src/ports/suppressions.contract.ts'
import { templatesContract } from '../../src/ports/templates.contract.ts'
import { memoryRecipients } from './recipients.ts'
import { memorySuppressions } from './suppressions.ts'
import { memoryTemplates } from './templates.ts'

recipientsContract('memory', async () => ({ recipients: memoryRecipients(), async [Symbol.asyncDispose]() {} }))
suppressionsContract('memory', async () => ({ suppressions: memorySuppressions(), async [Symbol.asyncDispose]() {} }))
templatesContract('memory', async () => ({ templates: memoryTemplates(), async [Symbol.asyncDispose]() {} }))
