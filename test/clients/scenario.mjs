/**
 * What a program does with the installed client, on any JavaScript runtime. It prints what it saw as JSON, which
 * scenario.ts checks; scenario.py does the same.
 */
import { Pombo, PomboError, verifyWebhook } from 'pombo-client'

const env = globalThis.Deno?.env.toObject() ?? globalThis.process.env
const { POMBO_URL: url, POMBO_PROXY: proxy, POMBO_KEY: key, HELPER: helper } = env
const run = crypto.randomUUID()
const FAILS = '+15005550001'

const pombo = new Pombo({ url, key })
/** Through the proxy that cuts connections. */
const shaky = new Pombo({ url: proxy, key })

const cutAfter = (bytes) => fetch(`${helper}/cut/${bytes}`, { method: 'POST' })
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const sms = (n, fields) => ({ to: `+15552${String(n).padStart(6, '0')}`, message: 'Your parcel is here.', ...fields })

async function until(poll) {
  for (let n = 0; n < 300; n += 1) {
    const found = await poll()
    if (found !== undefined && found !== false) return found
    await pause(50)
  }
  throw new Error(`waited too long for ${poll}`)
}

async function errorOf(call) {
  try {
    await call()
    return { name: 'none' }
  } catch (error) {
    const { name, code, status, details, requestId, retryAfter, idempotencyKey, lastSeen } = error
    const isTyped = error instanceof PomboError
    return {
      name,
      code,
      status,
      details,
      hasId: requestId !== undefined,
      retryAfter,
      idempotencyKey,
      lastSeen: lastSeen?.status,
      isTyped,
    }
  }
}

async function sendsAndWaits() {
  const sent = await pombo.sms.send(sms(1, { tags: [run] }))
  const { status, to } = await pombo.messages.waitFor(sent.id, 'delivered', { timeoutMs: 20_000 })
  return { accepted: sent.status, segments: sent.segments, status, to }
}

/** The connection breaks once the gateway has read the request, before its answer. */
async function retriesWithoutDoubles() {
  const tag = `once-${run}`
  await cutAfter(0)
  const { id } = await shaky.sms.send(sms(2, { tags: [tag] }))
  await pombo.messages.waitFor(id, 'delivered')
  const { items } = await until(async () => {
    const page = await pombo.messages.list({ tag }).page()
    return page.items.length > 0 && page
  })
  return { messages: items.length, isSame: items[0].id === id }
}

/** A resend has no idempotency key, so one that may have happened is not repeated. */
async function doesNotRepeat() {
  const { id } = await pombo.sms.send(sms(3, { to: FAILS }))
  const ended = await errorOf(() => pombo.messages.waitFor(id, 'delivered'))
  await cutAfter(0)
  const resent = await errorOf(() => shaky.messages.resend(id))
  await until(async () => (await pombo.messages.get(id)).cycle > 1)
  await pombo.messages.waitFor(id, 'failed')
  return { ended, resent, cycle: (await pombo.messages.get(id)).cycle }
}

/** The stream breaks every few thousand bytes. */
async function listsAndStreams() {
  const tag = `many-${run}`
  const stream = shaky.events.stream({ event: 'sms.events.status.v1', lastEventId: '0' })
  const items = Array.from({ length: 250 }, (_, n) => sms(100 + n, { tags: [tag], idempotency_key: `${run}-${n}` }))
  const { results } = await pombo.messages.sendBatch({ items })
  const missing = new Set(results.map(({ id }) => id))
  let [cuts, seen] = [0, 0]
  for await (const { name, data } of stream) {
    if (name !== 'sms.events.status.v1') throw new Error(`not asked for: ${name}`)
    seen += 1
    if (data.newStatus === 'delivered') missing.delete(data.messageId)
    if (missing.size === 0) break
    if (seen % 150 === 0 && cuts < 3) {
      cuts += 1
      await cutAfter(1_000 + 37 * cuts)
    }
  }
  const listed = await until(async () => {
    const ids = new Set()
    for await (const { id } of pombo.messages.list({ tag, limit: 100 })) ids.add(id)
    return ids.size === 250 && ids
  })
  let pages = 0
  for await (const _ of pombo.messages.list({ tag, limit: 100 }).pages()) pages += 1
  const { total } = await pombo.messages.list({ tag, limit: 1, total: true }).page()
  return {
    missed: missing.size,
    cuts,
    listed: listed.size,
    pages,
    total: total.value,
    resumesAt: typeof stream.lastEventId,
  }
}

async function verifiesWebhooks() {
  const endpoint = await pombo.endpoints.add({ url: `${helper}/hook`, events: ['message.delivered'] })
  const receive = async (id) => {
    const all = await (await fetch(`${helper}/received`)).json()
    return all.find(({ body }) => body.includes(id))
  }
  const first = await pombo.sms.send(sms(4, { metadata: { order: '1138' } }))
  const { headers, body } = await until(() => receive(first.id))
  const event = await pombo.webhooks.verify(body, headers, endpoint.secret)
  const forged = await errorOf(() => verifyWebhook(body.replace('1138', '1139'), headers, endpoint.secret))
  const late = { now: Date.now() + 3_600_000 }
  const old = await errorOf(() => verifyWebhook(body, headers, endpoint.secret, late))
  const rotated = await pombo.endpoints.rotateSecret(endpoint.id, {})
  const second = await pombo.sms.send(sms(5))
  const next = await until(() => receive(second.id))
  const secrets = [endpoint.secret, rotated.secret, [rotated.secret, 'whsec_b3RoZXI=']]
  const events = await Promise.all(secrets.map((secret) => verifyWebhook(next.body, new Headers(next.headers), secret)))
  await pombo.endpoints.remove(endpoint.id)
  const { type, data } = event
  return {
    type,
    isOurs: data.message_id === first.id,
    order: data.metadata.order,
    fields: Object.keys(data).sort(),
    isSameId: event.id === headers['webhook-id'],
    forged: forged.name,
    old: old.name,
    rotated: events.filter((one) => one.data.message_id === second.id).length,
  }
}

async function explainsErrors() {
  const stranger = new Pombo({ url, key: 'pk_live_nonsense' })
  const nobody = new Pombo({ url: 'http://127.0.0.1:1', maxRetries: 1 })
  const hurried = new AbortController()
  hurried.abort(new Error('no longer needed'))
  const aborted = await errorOf(() => pombo.messages.list({}, { signal: hurried.signal }).page())
  return {
    invalid: await errorOf(() => pombo.sms.send({ to: 'nonsense', message: 'Hi' })),
    unknown: await errorOf(() => pombo.messages.get('00000000-0000-4000-8000-000000000000')),
    key: await errorOf(() => stranger.messages.list().page()),
    unreachable: await errorOf(() => nobody.sms.send(sms(6, { idempotency_key: 'mine' }))),
    traversal: (await errorOf(() => pombo.messages.get('..'))).name,
    aborted: aborted.name,
  }
}

/** The second send waits as long as the gateway says; a client without retries tells how long that is. */
async function waitsForLimits() {
  const to = `+15556${String(Math.floor(Math.random() * 1_000_000)).padStart(6, '0')}`
  await pombo.limits.set('recipient', to, { limit: 1, window_seconds: 2, algorithm: 'sliding' })
  await pombo.sms.send(sms(7, { to }))
  const impatient = new Pombo({ url, key, maxRetries: 0 })
  const refused = await errorOf(() => impatient.sms.send(sms(7, { to })))
  const begunAt = Date.now()
  const { status } = await pombo.sms.send(sms(7, { to }))
  return { code: refused.code, asked: refused.retryAfter >= 1, status, waited: Date.now() - begunAt > 700 }
}

async function checksCodes() {
  const to = `+15558${String(Math.floor(Math.random() * 1_000_000)).padStart(6, '0')}`
  const challenge = await pombo.otp.generate({ to })
  const code = await until(async () => {
    for await (const { body } of pombo.simulator.listInbox({ to })) return /\d{6}/.exec(body)?.[0]
    return undefined
  })
  const wrong = String((Number(code) + 1) % 1_000_000).padStart(6, '0')
  const validate = async (tried) =>
    (await pombo.otp.validate({ challenge_id: challenge.challenge_id, code: tried })).valid
  return { wrong: await validate(wrong), right: await validate(code) }
}

async function readsLongAnswers() {
  const lines = []
  for await (const line of pombo.messages.export({ day: new Date().toISOString().slice(0, 10) })) lines.push(line)
  const template = `t-${run}`
  await pombo.templates.add({ name: template, channel: 'sms', text: 'Hi {{ name }}' })
  const { text } = await pombo.templates.preview({ name: template, data: { name: 'Ana' } })
  await pombo.templates.remove(template)
  const { status } = await pombo.request({ method: 'GET', path: '/health/live' })
  return {
    isJson: lines.every((line) => typeof JSON.parse(line) === 'object'),
    hasMany: lines.length >= 250,
    text,
    status,
  }
}

const summary = {
  sending: await sendsAndWaits(),
  retrying: await retriesWithoutDoubles(),
  repeating: await doesNotRepeat(),
  reading: await listsAndStreams(),
  webhooks: await verifiesWebhooks(),
  errors: await explainsErrors(),
  limits: await waitsForLimits(),
  codes: await checksCodes(),
  long: await readsLongAnswers(),
}
console.log(JSON.stringify(summary))
