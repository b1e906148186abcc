import { receiptBookContract } from '../../ports/receipt-book.contract.ts'
import { memoryReceiptBook } from './receipt-book.ts'

receiptBookContract('memory', async () => {
  const book = memoryReceiptBook()
  return { one: book, other: book, async [Symbol.asyncDispose]() {} }
})
