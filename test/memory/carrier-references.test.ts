import { carrierReferencesContract } from '../../src/ports/carrier-references.contract.ts'
import { memoryCarrierReferences } from './carrier-references.ts'

carrierReferencesContract('memory', async () => {
  const book = memoryCarrierReferences()
  return { one: book, other: book, async [Symbol.asyncDispose]() {} }
})
