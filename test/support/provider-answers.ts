/** Shared tests of providers with a REST API: every code of the table and every class of answer, over a real socket. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { someAttempt } from '../../src/ports/provider.contract.ts'
import type { Receipt } from '../../src/ports/provider.ts'
import { someContext } from '../../src/providers/context.fixture.ts'
import type { OpenedProvider, ProviderContext } from '../../src/providers/kind.ts'
import type { FakeHttp, FakeResponse } from './fake-http.ts'
import { type AnswerCase, assertOutcome, describeOutcome, STATUS_CASES, UNKNOWN_OUTCOME_CASES } from './http-answers.ts'

export type AnswerTests = Readonly<{
  openFake: () => Promise<FakeHttp & AsyncDisposable>
  open: (url: string, context: ProviderContext) => OpenedProvider
  /** The provider's table, and an answer for each of its codes. */
  table: ReadonlyMap<number, unknown>
  codes: readonly (readonly [code: number, answer: FakeResponse, outcome: string])[]
  unusual: readonly AnswerCase[]
  /** The body of an answer that accepts a message. */
  accepted: string
  /** Answers that accept a message which has already failed, with the receipt's id, state and code. */
  failed: readonly (readonly [
    what: string,
    answer: FakeResponse,
    receipt: readonly [string, Receipt['state'], string],
  ])[]
}>

const signal = (): AbortSignal => AbortSignal.timeout(10_000)

export function testAnswers(provider: string, given: AnswerTests): void {
  describe(`answers of ${provider}`, { timeout: 60_000 }, async () => {
    const fake = await given.openFake()
    const receipts: Receipt[] = []
    const context = someContext({ report: async (receipt) => void receipts.push(receipt) })
    const opened = given.open(fake.url, context)
    after(async () => {
      await opened[Symbol.asyncDispose]()
      await fake[Symbol.asyncDispose]()
    })
    const attempt = someAttempt()
    const { to, body } = attempt.content
    const secrets = [to, to.slice(1), body]
    const check = (answerCase: AnswerCase): Promise<void> =>
      assertOutcome({ fake, send: (abort) => opened.send(attempt, abort), secrets }, answerCase)

    for (const [code, answer, outcome] of given.codes) {
      test(`${answer.status} ${answer.body}: ${outcome}`, () => check([`${code}`, answer, outcome]))
    }
    test("an error keeps the provider's own code", async () => {
      for (const [code, answer] of given.codes) {
        fake.behave(answer)
        const outcome = await opened.send(attempt, signal())
        assert.equal('originalCode' in outcome && outcome.originalCode, `${code}`)
      }
    })
    test('the codes above are those of the table', () => {
      assert.deepEqual(new Set(given.codes.map(([code]) => code)), new Set(given.table.keys()))
    })
    for (const answerCase of [...given.unusual, ...STATUS_CASES, ...UNKNOWN_OUTCOME_CASES]) {
      test(`${answerCase[0]}: ${answerCase[2]}`, () => check(answerCase))
    }

    test('any 2xx with any content type accepts the message', async () => {
      for (const status of [200, 201, 202]) {
        fake.behave({ status, body: given.accepted, headers: { 'content-type': 'text/html' } })
        assert.equal(describeOutcome(await opened.send(attempt, signal())), 'accepted')
      }
      assert.deepEqual(receipts, [])
    })

    for (const [what, answer, [id, state, code]] of given.failed) {
      test(`reports a message at once that is ${what} in the answer`, async () => {
        fake.behave(answer)
        assert.equal(describeOutcome(await opened.send(attempt, signal())), 'accepted')
        const [receipt] = receipts.splice(0)
        assert.deepEqual(
          [receipt?.ref, receipt?.providerMessageId, receipt?.state, receipt?.code],
          [attempt.ref, id, state, code],
        )
      })
    }

    test('defers the message if the connection is refused', async () => {
      await fake.stop()
      // A new provider has no idle connection.
      await using fresh = given.open(fake.url, context)
      assert.equal(describeOutcome(await fresh.send(attempt, signal())), 'deferred CONNECTION_REFUSED')
    })
  })
}
