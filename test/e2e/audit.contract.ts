/** The audit log over HTTP and on the command line: who changed what and who read which content. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { runPombo } from '../support/command.ts'
import type { Gateway } from '../support/gateway.ts'
import type { SharedGateway } from '../support/shared-gateway.ts'
import { send } from '../support/sms.ts'

type Entry = Readonly<{
  id: string
  tenant_id: string | null
  actor: Readonly<{ kind: string }>
  address: string
  action: string
  target: Readonly<{ kind: string; id: string }>
  before: Readonly<Record<string, unknown>> | null
  after: Readonly<Record<string, unknown>> | null
}>
type Page = Readonly<{ items: readonly Entry[]; next_cursor: string | null }>

export function auditContract(gateway: SharedGateway): void {
  async function list({ call }: Gateway, query: string): Promise<Page> {
    const { status, body, text } = await call<Page>('GET', `/v1/audit?${query}`)
    assert.equal(status, 200, text)
    return body
  }

  async function ask(status: number, ...call: Parameters<Gateway['call']>): Promise<string> {
    const answer = await gateway.call(...call)
    assert.equal(answer.status, status, answer.text)
    return answer.text
  }

  test('every change of the set-up is in the log when its answer arrives', async () => {
    const id = `r-${randomUUID()}`
    await ask(201, 'POST', '/v1/routes', { id, channel: 'sms', prefix: '+999', providers: ['simulator'] })
    await ask(200, 'PATCH', `/v1/routes/${id}`, { prefix: '+998' })
    await ask(204, 'DELETE', `/v1/routes/${id}`)
    const { items } = await list(gateway, `target=${id}`)
    assert.deepEqual(
      items.map(({ action, before, after }) => [action, before?.['prefix'], after?.['prefix']]),
      [
        ['route.removed', '+998', undefined],
        ['route.changed', '+999', '+998'],
        ['route.created', undefined, '+999'],
      ],
    )
    for (const { address, actor, tenant_id: tenant } of items) {
      assert.deepEqual([address, actor.kind, tenant], ['127.0.0.1', 'token', 'auditContract'])
    }
  })

  test('every access to content is in the log, without the content', async () => {
    const message = await send(gateway, { message: 'Nobody else should read this' })
    assert.match(await ask(200, 'GET', `/v1/messages/${message}/content`), /Nobody else/)
    const { items } = await list(gateway, `target=${message}`)
    assert.deepEqual(
      items.map(({ action, before, after }) => [action, before, after]),
      [['message.content_read', null, null]],
    )
  })

  test('a tenant sees its own entries, and an operator those of all and its own', async () => {
    const [external, operator] = [randomUUID(), await gateway.of('ops', 'default', ['operator'])]
    await ask(201, 'POST', '/v1/recipients', { external_id: external })
    const breaker = { action: 'trip', seconds: 1 }
    assert.equal((await operator.call('POST', '/v1/providers/simulator/breaker', breaker)).status, 200)
    assert.equal((await operator.call('POST', '/v1/providers/simulator/breaker', { action: 'reset' })).status, 200)

    const mine = await list(gateway, 'action=recipient.created')
    assert.equal(mine.items[0]?.after?.['external_id'], external)
    const stranger = await gateway.of('stranger')
    assert.deepEqual((await list(stranger, 'action=recipient.created')).items, [])
    assert.equal((await stranger.call('GET', '/v1/audit?tenant_id=auditContract')).status, 403)
    assert.deepEqual(await list(operator, 'action=recipient.created&tenant_id=auditContract'), mine)
    const [reset, tripped] = (await list(operator, 'target=simulator')).items
    assert.deepEqual([reset?.action, tripped?.action, tripped?.tenant_id], ['breaker.reset', 'breaker.tripped', null])
    assert.deepEqual((await list(gateway, 'target=simulator')).items, [])
  })

  test('the command line lists it, and exports every entry once', async () => {
    for (let nth = 0; nth < 12; nth += 1) await ask(201, 'POST', '/v1/recipients', { external_id: randomUUID() })
    const env = { POMBO_URL: gateway.url, POMBO_TOKEN: gateway.token }
    const listed = await runPombo(['audit', 'list', '--action', 'recipient.created', '--limit', '5'], env)
    assert.equal(listed.code, 0, listed.err)
    assert.match(listed.out, /^at +tenant +actor +action +target +address\n(?:\d{4}-.* recipient\.created .*\n){5}$/)

    const exported = await runPombo(['audit', 'export', '--action', 'recipient.created'], env)
    assert.equal(exported.code, 0, exported.err)
    const ids = exported.out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).id)
    const pages: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const from: string = cursor === '' ? '' : `&cursor=${cursor}`
      const page: Page = await list(gateway, `action=recipient.created&limit=5${from}`)
      pages.push(...page.items.map(({ id }) => id))
      cursor = page.next_cursor
    }
    assert.deepEqual(ids, pages)
    const csv = await runPombo(['audit', 'export', '--action', 'recipient.created', '--format', 'csv'], env)
    assert.equal(csv.out.split('\r\n').length, ids.length + 2)
  })
}
