/** A gateway that is killed while mails arrive: what it answered with 250 is there, and sending the rest again doubles nothing. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { search, untilStatus } from '../support/sms.ts'
import { until } from '../support/until.ts'
import { PATIENT } from './email-site.fixture.ts'
import { idsIn, SIMULATED, type SmtpListenerSite, someSource, submit } from './smtp-listener-site.fixture.ts'

const MAILS = 60

export function smtpKillContract({ site, dialog }: SmtpListenerSite): void {
  test('SIGTERM: a mail that is arriving is stored, and idle connections are told to come back later', async () => {
    using busy = await dialog()
    using idle = await dialog()
    await busy.say('MAIL FROM:<shop@acme.example>')
    await busy.say(`RCPT TO:<last-${randomUUID()}@${SIMULATED}>`)
    await busy.say('DATA')
    busy.write(someSource())
    const stopped = site.stop('SIGTERM')
    assert.match(await idle.reply(), /^421 4\.3\.2 /)
    const [id = ''] = idsIn(await busy.send('.\r\n'))
    assert.match(await busy.reply(), /^421 4\.3\.2 /)
    for (const { code } of await stopped) assert.equal(code, 0)
    await site.start()
    await untilStatus(site.gateway, id, 'delivered', PATIENT)
  })

  test('kill -9 between DATA and 250: nothing is lost, and nothing is doubled', async () => {
    const tag = `kill-${randomUUID()}`
    const mails = Array.from({ length: MAILS }, (_, index) => ({
      source: someSource([`X-Pombo-Tag: ${tag}`]),
      to: `kill-${index}@${SIMULATED}`,
    }))
    const first = await Promise.all(mails.map(() => dialog()))
    const begun = mails.map(async ({ source, to }, index) => {
      const client = first[index]
      return client === undefined ? '' : submit(client, source, to).catch(() => '')
    })
    await Promise.race(begun)
    await site.stop('SIGKILL')
    const answered = (await Promise.all(begun)).flatMap(idsIn)
    for (const client of first) client.hangUp()
    await site.start()
    using client = await dialog()
    const ids: string[] = []
    for (const { source, to } of mails) ids.push(...idsIn(await submit(client, source, to)))
    assert.equal(new Set(ids).size, MAILS)
    for (const id of answered) assert.ok(ids.includes(id), 'an answered mail keeps its id')
    for (const id of ids) await untilStatus(site.gateway, id, 'delivered', PATIENT)
    const found = await until('the index', async () => {
      const { items } = await search(site.gateway, { tag, limit: '100' })
      return items.length >= MAILS && items
    })
    assert.equal(found.length, MAILS)
  })
}
