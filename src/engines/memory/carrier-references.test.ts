import { receiptBookContract } from '../../ports/carrier-references.contract.ts'
import { memoryReceiptBook } from './carrier-references.ts'

receiptBookContract('memory', async () => {
  const book = memoryReceiptBook()
  return { one: book, other: book, async [Symbol.asyncDispose]() {} }
})
