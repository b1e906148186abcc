import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryRecipients } from '../../../test/memory/recipients.ts'
import { memoryTemplates } from '../../../test/memory/templates.ts'
import { memoryTenants } from '../../../test/memory/tenants.ts'
import type { DirectoryEntry, RecipientId } from '../../domain/directory/recipient.ts'
import type { TemplateTexts } from '../../domain/directory/template.ts'
import type { EmailAddress } from '../../domain/email/address.ts'
import type { TenantId } from '../../domain/ids.ts'
import type { Channel } from '../../domain/message/message.ts'
import type { PhoneNumber } from '../../domain/message/phone-number.ts'
import type { Names } from '../../domain/requests/request-fields.ts'
import { inProcessRenderer } from '../../engines/liquid/renderer.fixture.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { START, TENANT } from '../gateway.fixture.ts'
import { BY_EMAIL, BY_SMS, compose } from './compose.ts'

const ID = '3f1c9f0e-5f0a-8c6e-9d57-0b6f0a3c2e11' as RecipientId
const ANA: DirectoryEntry = {
  id: ID,
  tenantId: TENANT,
  externalId: 'user-42',
  phone: '+5511987654321' as PhoneNumber,
  email: 'ana@example.com' as EmailAddress,
  locale: 'pt-BR',
  createdAt: START,
  updatedAt: START,
}

async function openWorld() {
  const deps = {
    recipients: memoryRecipients(),
    templates: memoryTemplates(),
    renderer: inProcessRenderer(),
    tenants: memoryTenants(),
    defaultLocale: 'en',
  }
  const add = (locale: string, name: string, channel: Channel, texts: TemplateTexts) =>
    deps.templates.add({ tenantId: TENANT, name, locale, channel, texts, createdAt: START })
  await deps.recipients.add(ANA)
  return {
    deps,
    save: (locale: string, text: string, name = 'hi', channel: Channel = 'sms') => add(locale, name, channel, { text }),
    saveMail: (locale: string, texts: TemplateTexts, name = 'hi') => add(locale, name, 'email', texts),
    compose: (names: Names, tenantId = TENANT) => compose(deps, tenantId, names, BY_SMS),
    composeMail: (names: Names) => compose(deps, TENANT, names, BY_EMAIL),
  }
}

test('finds a recipient by id and by external id', async () => {
  const world = await openWorld()
  const found = { recipientId: ID, user: 'user-42', to: ANA.phone, problems: [] }
  for (const recipient of [{ id: ID }, { externalId: 'user-42' }]) {
    const names = { recipient }
    assert.deepEqual(await world.compose(names), { names, ...found })
  }
})

test('reports an unknown recipient, or one without a phone number, on the field that names it', async () => {
  const world = await openWorld()
  const { phone: _, ...withoutAddress } = ANA
  const id = '3f1c9f0e-5f0a-8c6e-9d57-000000000000' as RecipientId
  await world.deps.recipients.add({ ...withoutAddress, id, externalId: 'no-address' })
  for (const [recipient, path, message] of [
    [{ externalId: 'unknown' }, 'recipient_external_id', 'is not the id of a recipient in the directory'],
    [{ id: 'other' as RecipientId }, 'recipient_id', 'is not the id of a recipient in the directory'],
    [{ id }, 'recipient_id', 'has no phone number'],
    [{ externalId: 'no-address' }, 'recipient_external_id', 'has no phone number'],
  ] as const) {
    const composed = await world.compose({ recipient })
    assert.deepEqual(composed.problems, [{ path, message }])
    assert.equal(composed.to, undefined)
  }
  const foreign = await world.compose({ recipient: { id: ID } }, 'other' as TenantId)
  assert.equal(foreign.problems.length, 1)
})

test('a tenant may have a default locale of its own, and the templates of the other one are still found', async () => {
  const world = await openWorld()
  const own = { createdAt: START, updatedAt: START }
  await world.deps.tenants.add({ id: TENANT, state: 'active', defaultLocale: 'pt-BR', own })
  await world.save('en', 'Hi')
  const names = { template: { name: 'hi', data: {} } }
  assert.equal((await world.compose(names)).text, 'Hi')
  await world.save('pt', 'Oi')
  assert.equal((await world.compose(names)).text, 'Oi')
})

test('uses the locale of the call, else of the recipient, else the default, or the nearest available', async () => {
  const world = await openWorld()
  await world.save('en', 'Hi')
  await world.save('pt', 'Oi')
  await world.save('es', 'Hola')
  const recipient = { id: ID }
  const textFor = async (names: Names, locale?: string): Promise<string | undefined> =>
    (await world.compose({ ...names, template: omitUndefined({ name: 'hi', data: {}, locale }) })).text
  assert.equal(await textFor({ recipient }), 'Oi')
  assert.equal(await textFor({ recipient }, 'es-MX'), 'Hola')
  assert.equal(await textFor({ recipient }, 'fr'), 'Hi')
  assert.equal(await textFor({}), 'Hi')
  await world.save('pt-BR', 'Oi, tudo bem?')
  assert.equal(await textFor({ recipient }), 'Oi, tudo bem?')
})

test('renders the newest version of a template', async () => {
  const world = await openWorld()
  await world.save('en', 'Hi')
  await world.save('en', 'Hello {{ name }}, {{ order.id }}')
  const names = { template: { name: 'hi', data: { name: 'Ana', order: { id: 7 } } } }
  assert.deepEqual(await world.compose(names), { names, text: 'Hello Ana, 7', problems: [] })
})

test('reports template problems on the field to correct', async () => {
  const world = await openWorld()
  await world.save('en', '{{ name }} {{ order.id }}')
  await world.save('en', 'x', 'mail', 'email')
  await world.save('en', '{% for i in (1..999999999) %}{% endfor %}', 'long')
  await world.save('pt', 'Oi', 'portuguese')
  for (const [name, problems] of [
    ['nothing', ['template/name']],
    ['portuguese', ['template/name']],
    ['mail', ['template/name']],
    ['long', ['template']],
    ['hi', ['template/data/name', 'template/data/order']],
  ] as const) {
    const composed = await world.compose({ template: { name, data: {} } })
    assert.deepEqual(
      composed.problems.map(({ path }) => path),
      problems,
    )
    assert.equal(composed.text, undefined)
  }
})

test('reports recipient and template problems together', async () => {
  const world = await openWorld()
  const { problems } = await world.compose({ recipient: { externalId: 'x' }, template: { name: 'x', data: {} } })
  assert.deepEqual(
    problems.map(({ path }) => path),
    ['recipient_external_id', 'template/name'],
  )
})

test("composes an email to the recipient's address in the recipient's locale", async () => {
  const world = await openWorld()
  await world.saveMail('en', { subject: 'Hi {{ name }}', html: '<p>Hi {{ name }}</p>', text: 'Hi {{ name }}' })
  await world.saveMail('pt', { subject: ' Oi {{ name }}\n', html: '<p>Oi {{ name }}</p>', text: 'Oi {{ name }}' })
  const names = { recipient: { id: ID }, template: { name: 'hi', data: { name: 'A&B' } } }
  assert.deepEqual(await world.composeMail(names), {
    names,
    recipientId: ID,
    user: 'user-42',
    to: ANA.email,
    text: { subject: 'Oi A&B', html: '<p>Oi A&amp;B</p>', text: 'Oi A&B' },
    problems: [],
  })
})

test('reports a missing email address or an unsuitable template on the field that names it', async () => {
  const world = await openWorld()
  const { email: _, ...withoutAddress } = ANA
  const id = '3f1c9f0e-5f0a-8c6e-9d57-000000000000' as RecipientId
  await world.deps.recipients.add({ ...withoutAddress, id, externalId: 'no-address' })
  await world.save('en', 'Hi', 'sms')
  await world.saveMail('en', { subject: 'Hi', text: 'Hi' }, 'no-html')
  await world.saveMail('en', { html: 'Hi', text: 'Hi' }, 'no-subject')
  for (const [names, path, message] of [
    [{ recipient: { id } }, 'recipient_id', 'has no email address'],
    [{ recipient: { externalId: 'no-address' } }, 'recipient_external_id', 'has no email address'],
    [{ template: { name: 'sms', data: {} } }, 'template/name', 'is a template for sms'],
    [{ template: { name: 'no-html', data: {} } }, 'template/name', 'is a template without subject or html'],
    [{ template: { name: 'no-subject', data: {} } }, 'template/name', 'is a template without subject or html'],
  ] as const) {
    const { problems, to, text } = await world.composeMail(names)
    assert.deepEqual(problems, [{ path, message }])
    assert.deepEqual([to, text], [undefined, undefined])
  }
})
