import { after, test } from 'node:test'
import { openCluster, toGateway } from '../support/cluster.ts'
import type { Gateway } from '../support/gateway.ts'
import { bindClient, createLogin, type SmppClient, smppPortOf } from '../support/smpp-client.ts'
import { freshNumber } from '../support/sms.ts'
import { until } from '../support/until.ts'
import { SMPP_ENV, smppServerContract } from './smpp-server.contract.ts'

const cluster = await openCluster({ plan: { all: 1, api: 1 }, env: SMPP_ENV, simulator: ['--receipt-delay-ms', '50'] })
after(() => cluster[Symbol.asyncDispose]())
const [one, other] = cluster.members.map((member) => toGateway(cluster, member))
if (one === undefined || other === undefined) throw new Error('the cluster has two members')
await smppServerContract({ one, other })

test('a rolling restart: clients bind at the other process, and every message gets its receipt', async () => {
  const login = await createLogin(one, { account_id: 'rolling' })
  const bind = async (gateway: Gateway) => bindClient({ port: await smppPortOf(gateway), ...login })
  const sessions = [await bind(one), await bind(other)]
  const ids: string[] = []
  const all: SmppClient[] = []
  for (const [nth, member] of cluster.members.entries()) {
    const [leaving, staying] = [sessions[nth], sessions[1 - nth]]
    if (leaving === undefined || staying === undefined) throw new Error('there are two sessions')
    ids.push(await leaving.submit(freshNumber(), 'before', { registered_delivery: 1 }))
    await member.kill('SIGTERM')
    await until('the unbind', () => leaving.unbound && leaving.closed)
    ids.push(await staying.submit(freshNumber(), 'meanwhile', { registered_delivery: 1 }))
    const port = await smppPortOf(member)
    await member.start()
    // Another start listens on another port.
    await until('the listener', async () => (await smppPortOf(member)) !== port)
    sessions[nth] = await bind(toGateway(cluster, member))
    ids.push(await (sessions[nth] ?? staying).submit(freshNumber(), 'afterwards', { registered_delivery: 1 }))
    all.push(leaving)
  }
  const everyone = [...all, ...sessions]
  const hasReceipt = (id: string) => everyone.some(({ receipts }) => receipts.some(({ text }) => text.includes(id)))
  await until('all receipts', () => ids.every(hasReceipt), { withinMs: 60_000, everyMs: 100 })
  for (const session of sessions) session.destroy()
})
