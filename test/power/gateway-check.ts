/**
 * What a gateway owes after a power cut: whom it has answered, it has the message; whom it has called, it knows of the
 * call, so that it does not send again. Its index equals a rebuilt one.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { MessageId } from '../../src/domain/ids.ts'
import { instant, later } from '../../src/lib/time.ts'
import { earlier, hours } from '../../src/ports/samples.contract.ts'
import { assertLikeRebuilt } from '../support/derived-index.ts'
import { dataDirOf, startGateway } from '../support/gateway.ts'
import { send } from '../support/sms.ts'
import type { Check } from './check-cuts.ts'
import { isOurs, openInOneThread, type PoweredEngine, readLog, type Stored } from './engine.ts'
import { writeFiles } from './folder-files.ts'
import type { GatewayMark } from './gateway.ts'

const DAY = hours(24)

export const checkGateway: Check = async (folder, files, steps) => {
  const marks = steps.flatMap((step) => (step.kind === 'marked' ? [JSON.parse(step.text) as GatewayMark] : []))
  writeFiles(folder, files)
  // Before there is a database, there is nothing to lose.
  if (marks.length === 0 && !files.has('pombo.db')) return
  const masterKey = Buffer.from(readFileSync(join(folder, 'master.key'), 'utf8'), 'base64')
  await using engine = await openInOneThread(join(folder, 'pombo.db'), { masterKey })
  const stored = [...(await readLog(engine))].filter(([, message]) => isOurs(message))
  const events = await eventsByNumber(engine, stored)
  const requested = new Set(marks.flatMap(({ kind, to }) => (kind === 'requested' ? [to] : [])))
  for (const to of events.keys()) assert(requested.has(to), 'there is no message that was not asked for')
  for (const mark of marks) {
    const found = events.get(mark.to) ?? []
    if (mark.kind === 'accepted') assert(found[0]?.startsWith(mark.id), 'what was accepted is there')
    if (mark.kind === 'called')
      assert(
        found.some((event) => event.includes('HandoffAttempted')),
        'a call to the provider was recorded before it was made',
      )
  }
  const now = instant(Date.now())
  for (const tenantId of new Set(stored.map(([, { state }]) => state.tenantId)))
    await assertLikeRebuilt(engine, { tenantId, from: earlier(now, DAY), to: later(now, DAY) })
}

type Messages = readonly (readonly [id: string, stored: Stored])[]

/** The ids of the events of each message, by its recipient. */
async function eventsByNumber(
  engine: PoweredEngine,
  messages: Messages,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const byNumber = new Map<string, readonly string[]>()
  for (const [id, { events }] of messages) {
    const content = (await engine.log.load(id as MessageId))?.content
    assert(content?.channel === 'sms', 'every message has its content')
    byNumber.set(content.to, events)
  }
  return byNumber
}

/** A gateway starts on the files and takes messages. */
export const checkStart: Check = async (folder, files) => {
  writeFiles(dataDirOf(folder), files)
  await using gateway = await startGateway({ folder })
  await send(gateway)
  assert.equal((await gateway.kill('SIGTERM')).code, 0)
}
