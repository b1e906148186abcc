/** `pombo domains` and `pombo verify-domain`: the domains that a tenant sends email from. */
import { type Call, type Client, toClient } from './client.ts'
import { defineCommand, GATEWAY_OPTIONS, JSON_OPTION, type Values } from './command.ts'
import { EXIT, usageError } from './exit.ts'
import { type Json, listIn, textIn, toJson } from './json.ts'
import { paint, toDayTime, toPlain, toTable } from './render.ts'
import type { Output, World } from './world.ts'

const PATH = '/v1/domains'
const USAGE = 'list | add DOMAIN | show DOMAIN | verify DOMAIN | remove DOMAIN'

const OPTIONS = {
  tenant: { value: 'NAME', about: 'act for this tenant (requires scope operator)' },
  ...JSON_OPTION,
  ...GATEWAY_OPTIONS,
} as const

type Given = Values<typeof OPTIONS>
type Run = (world: World, client: Client, given: Given, domain: string) => Promise<number>

/** The verbs that need a domain. */
const VERBS: Readonly<Record<string, Run>> = { add, show, verify, remove }

export const domains = defineCommand({
  name: 'domains',
  summary: 'List, add, verify or remove domains to send email from.',
  words: { usage: USAGE, least: 1, most: 2 },
  options: OPTIONS,
  async run(world, values, [verb = '', domain]) {
    const client = toClient(world, values)
    if (verb === 'list' && domain === undefined) return await list(world, client, values)
    const run = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined
    if (run === undefined || domain === undefined) throw usageError(`usage: pombo domains ${USAGE}`)
    return await run(world, client, values, domain)
  },
})

export const verifyDomain = defineCommand({
  name: 'verify-domain',
  summary: 'Look up the DNS records of a domain; the same as `pombo domains verify`.',
  words: { usage: 'DOMAIN', least: 1, most: 1 },
  options: OPTIONS,
  run: (world, values, [domain = '']) => verify(world, toClient(world, values), values, domain),
})

const inTenant = ({ tenant }: Given): Call => (tenant === undefined ? {} : { headers: { 'pombo-tenant': tenant } })
const pathOf = (domain: string): string => `${PATH}/${encodeURIComponent(domain)}`

async function list(world: World, client: Client, given: Given): Promise<number> {
  const found = listIn(await client.call('GET', PATH, inTenant(given)), 'items')
  if (given.json === true) for (const domain of found) world.out.write(`${JSON.stringify(domain)}\n`)
  else if (found.length === 0) world.out.write('no domains\n')
  else world.out.write(toTable([HEAD, ...found.map((domain) => toRow(world.out, domain))]))
  return EXIT.ok
}

async function add(world: World, client: Client, given: Given, name: string): Promise<number> {
  const domain = await client.call('POST', PATH, { ...inTenant(given), body: { domain: name } })
  const next = `publish these records, then run \`pombo verify-domain ${toPlain(textIn(domain, 'domain') ?? name)}\``
  return print(world, given, domain, `added; ${next}`)
}

async function show(world: World, client: Client, given: Given, name: string): Promise<number> {
  const domain = await client.call('GET', pathOf(name), inTenant(given))
  return print(world, given, domain, textIn(domain, 'state') ?? '')
}

/** Fails unless the domain is verified, for scripts. */
async function verify(world: World, client: Client, given: Given, name: string): Promise<number> {
  const domain = await client.call('POST', `${pathOf(name)}/verify`, inTenant(given))
  const isVerified = textIn(domain, 'state') === 'verified'
  print(world, given, domain, toVerdict(isVerified, statusOf(domain, 'ownership'), statusOf(domain, 'dkim')))
  return isVerified ? EXIT.ok : EXIT.failure
}

async function remove(world: World, client: Client, given: Given, name: string): Promise<number> {
  await client.call('DELETE', pathOf(name), inTenant(given))
  world.out.write(given.json === true ? `${JSON.stringify({ domain: name, removed: true })}\n` : `${name} removed\n`)
  return EXIT.ok
}

function toVerdict(isVerified: boolean, ownership: string, dkim: string): string {
  if (!isVerified) return `not verified: the ownership record ${REASONS[ownership] ?? 'was not found'}`
  if (dkim === 'valid') return 'verified; email by SMTP is signed with its DKIM key'
  return `verified; email is not signed with its DKIM key yet: that record ${REASONS[dkim] ?? 'was not found'}`
}

const REASONS: Readonly<Record<string, string>> = {
  missing: 'is not in the DNS (yet)',
  mismatch: 'has another value',
}

function print({ out }: World, { json }: Given, domain: Json, note: string): number {
  out.write(json === true ? `${JSON.stringify(domain)}\n` : `${toPlain(textIn(domain, 'domain') ?? '')}: ${note}\n`)
  if (json !== true) for (const record of RECORDS) out.write(toLines(out, record, toJson(domain[record])))
  return EXIT.ok
}

const RECORDS = ['ownership', 'dkim'] as const

/** The value has its own line, so that it can be copied. */
function toLines(out: Output, title: string, record: Json): string {
  const text = (field: string): string => toPlain(textIn(record, field) ?? '')
  const status = text('status')
  const head = [title, text('name'), text('type'), status === '' ? '' : paintStatus(out, status)]
  return `\n${head.filter((part) => part !== '').join('  ')}\n${text('value')}\n`
}

const paintStatus = (out: Output, status: string): string => paint(out, status === 'valid' ? 'green' : 'yellow', status)

const statusOf = (domain: Json, record: string): string => textIn(toJson(domain[record]), 'status') ?? ''

const HEAD = ['domain', 'state', 'ownership', 'dkim', 'last checked']

function toRow(out: Output, domain: Json): readonly string[] {
  const checked = textIn(domain, 'last_checked_at')
  const statuses = RECORDS.map((record) => toPlain(statusOf(domain, record)))
  return [
    toPlain(textIn(domain, 'domain') ?? ''),
    toPlain(textIn(domain, 'state') ?? ''),
    ...statuses.map((status) => (status === '' ? '–' : paintStatus(out, status))),
    checked === undefined ? '–' : toDayTime(checked),
  ]
}
