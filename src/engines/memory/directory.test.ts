import { recipientsContract } from '../../ports/recipients.contract.ts'
import { templatesContract } from '../../ports/templates.contract.ts'
import { memoryRecipients } from './recipients.ts'
import { memoryTemplates } from './templates.ts'

recipientsContract('memory', async () => ({ recipients: memoryRecipients(), async [Symbol.asyncDispose]() {} }))
templatesContract('memory', async () => ({ templates: memoryTemplates(), async [Symbol.asyncDispose]() {} }))
