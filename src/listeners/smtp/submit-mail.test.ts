import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { Caller } from '../../domain/access/caller.ts'
import type { EmailAddress } from '../../domain/email/address.ts'
import type { MessageId } from '../../domain/ids.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { openMailReader } from '../../engines/mime/mail-reader.ts'
import { fakeInspector, openMailGateway } from '../../flows/email.fixture.ts'
import { Refusal } from '../../flows/errors.ts'
import { SUBMISSION, TENANT } from '../../flows/gateway.fixture.ts'
import { suppress } from '../../flows/receive/suppress.ts'
import type { EventLog } from '../../ports/event-log.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { type SubmitDeps, submitMail } from './submit-mail.ts'

const [ANA, EVA, RUI] = ['ana@mail.example', 'eva@mail.example', 'rui@mail.example'] as EmailAddress[]
const ALL = [ANA, EVA, RUI].filter((address) => address !== undefined)
const RAW = Buffer.from('From: shop@acme.example\r\nMessage-ID: <1@acme.example>\r\nX-Pombo-Lane: bulk\r\n\r\nHi\r\n')
const CALLER: Caller = {
  tenantId: TENANT,
  accountId: SUBMISSION.accountId,
  scopes: new Set(['email:send']),
  actor: { kind: 'token' },
}

function openWorld() {
  const engine = openMemoryEngine({ clock: () => gateway.deps.clock() })
  const gateway = openMailGateway({ openEngine: () => engine, ids: openIds() })
  const { routes } = gateway.deps
  const appended: string[] = []
  let failing: string | undefined
  const log: EventLog = {
    ...engine.log,
    append: async (entry) => {
      const to = entry.content?.to ?? ''
      if (to === failing) throw new Unavailable('the log is away')
      const result = await engine.log.append(entry)
      if (result.kind === 'appended') appended.push(to)
      return result
    },
  }
  const blind = (tenant: string, to: string): string => `${tenant} ${to}`
  const admitting = { ...gateway.deps, ...engine, log, routes, blind }
  const deps: SubmitDeps = { ...admitting, reader: openMailReader(), inspector: fakeInspector(() => false) }
  const submit = (to: readonly EmailAddress[], raw = RAW) =>
    submitMail(deps, { caller: CALLER, raw, envelopeFrom: undefined, to })
  return {
    ...{ deps, appended, submit, suppressing: admitting },
    fail(to: string | undefined): void {
      failing = to
    },
  }
}

test('each recipient gets a message of its own, in the lane of the mail', async () => {
  const { deps, submit } = openWorld()
  const accepted = await submit(ALL)
  assert.equal(new Set(accepted.map(({ id }) => id)).size, 3)
  const stored = await Promise.all(accepted.map(({ id }) => deps.log.load(id)))
  assert.deepEqual(
    stored.map((one) => [one?.content?.to, one?.event.state.lane]),
    ALL.map((to) => [to, 'bulk']),
  )
})

test('when one cannot be stored the others are, and sending again stores only the missing one', async () => {
  const { submit, appended, fail } = openWorld()
  fail(EVA)
  await assert.rejects(submit(ALL), Unavailable)
  assert.deepEqual(appended, [ANA, RUI])
  fail(undefined)
  const again = await submit(ALL)
  assert.deepEqual(appended, [ANA, RUI, EVA])
  assert.deepEqual(
    again.map(({ replayed }) => replayed),
    [true, false, true],
  )
})

test('what is refused for good for one recipient is refused for all, before anything is stored', async () => {
  const { suppressing, submit, appended } = openWorld()
  const about = { tenantId: TENANT, address: RUI ?? assert.fail(), messageId: 'm' as MessageId }
  await suppress(suppressing, { ...about, reason: 'hard_bounce' })
  await assert.rejects(submit(ALL), (error: unknown) => {
    assert.ok(error instanceof Refusal)
    assert.deepEqual([error.code, error.message.slice(0, 18)], ['RECIPIENT_SUPPRESSED', 'Recipient 3 of 3: '])
    assert.equal(error.message.includes('rui'), false)
    return true
  })
  assert.deepEqual(appended, [])
})

test('a mail that was stored is found again, although a recipient has been suppressed since', async () => {
  const { suppressing, submit, appended } = openWorld()
  const first = await submit(ALL)
  const about = { tenantId: TENANT, address: RUI ?? assert.fail(), messageId: 'm' as MessageId }
  await suppress(suppressing, { ...about, reason: 'complaint' })
  const again = await submit(ALL)
  assert.deepEqual(
    again.map(({ id }) => id),
    first.map(({ id }) => id),
  )
  assert.equal(appended.length, 3)
})
