/**
 * `pombo users`: invites, lists, changes and removes the people who can sign in to the console. `create` and `invite`
 * also work while no gateway runs, and where no token can be signed: so there is a way in after everybody was locked out.
 */
import { loadConfig } from '../config/config.ts'
import { readJwtSecret } from '../config/secrets.ts'
import { ROLES, type Role, USER_STATES } from '../domain/access/user.ts'
import { parseEmailAddress, toComparableAddress } from '../domain/email/address.ts'
import { parseTenantId } from '../domain/ids.ts'
import { omitUndefined } from '../lib/omit-undefined.ts'
import { type Call, type Client, toClient } from './client.ts'
import { defineCommand, GATEWAY_OPTIONS, JSON_OPTION, needed, type Values } from './command.ts'
import { CommandError, EXIT, failure, usageError } from './exit.ts'
import { type Json, listIn, textIn, toJson } from './json.ts'
import { toDayTime, toPlain, toTable } from './render.ts'
import type { InvitedUser, World } from './world.ts'

const PATH = '/v1/users'
const USAGE = 'list | create | change USER | remove USER | invite USER'

const OPTIONS = {
  email: { value: 'ADDRESS', about: 'create: the email address to sign in with' },
  role: { value: 'ROLE', about: `create, change: ${ROLES.join(', ')}` },
  name: { value: 'NAME', about: 'create, change: the name of the person' },
  state: { value: 'STATE', about: `change: ${USER_STATES.join(' or ')}` },
  tenant: { value: 'NAME', about: 'act for this tenant (requires scope operator)' },
  ...JSON_OPTION,
  ...GATEWAY_OPTIONS,
} as const

type Given = Values<typeof OPTIONS>
type Run = (world: World, given: Given, user: string) => Promise<number>

/** The verbs, and whether each needs the address or the id of a user. */
const VERBS: Readonly<Record<string, Readonly<{ run: Run; needsUser: boolean }>>> = {
  list: { run: list, needsUser: false },
  create: { run: create, needsUser: false },
  change: { run: change, needsUser: true },
  remove: { run: remove, needsUser: true },
  invite: { run: invite, needsUser: true },
}

export const users = defineCommand({
  name: 'users',
  summary: 'Invite, list, change or remove the people who can sign in to the console.',
  words: { usage: USAGE, least: 1, most: 2 },
  options: OPTIONS,
  async run(world, values, [verb = '', user]) {
    const known = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined
    if (known === undefined || known.needsUser !== (user !== undefined)) throw usageError(`usage: pombo users ${USAGE}`)
    return await known.run(world, values, user ?? '')
  },
})

const inTenant = ({ tenant }: Given): Call => (tenant === undefined ? {} : { headers: { 'pombo-tenant': tenant } })

async function list(world: World, given: Given): Promise<number> {
  const found = listIn(await toClient(world, given).call('GET', PATH, inTenant(given)), 'items')
  if (given.json === true) for (const user of found) world.out.write(`${JSON.stringify(user)}\n`)
  else if (found.length === 0) world.out.write('no users\n')
  else world.out.write(toTable([HEAD, ...found.map(toRow)]))
  return EXIT.ok
}

const HEAD = ['email', 'role', 'state', 'sign-in', 'last sign-in', 'name']

const toRow = (user: Json): readonly string[] => {
  const text = (key: string): string => toPlain(textIn(user, key) ?? '')
  return [text('email'), text('role'), text('state'), text('sign_in'), toDayTime(text('last_sign_in_at')), text('name')]
}

async function create(world: World, given: Given): Promise<number> {
  const email = readEmail(needed('email', given.email))
  const role = readRole(needed('role', given.role))
  const { name, tenant } = given
  const body = omitUndefined({ email, role, name })
  return await printInvited(world, given, {
    online: () => toClient(world, given).call('POST', PATH, { ...inTenant(given), body }),
    offline: (config) => world.createUser(config, omitUndefined({ email, role, name, tenantId: readTenant(tenant) })),
  })
}

async function invite(world: World, given: Given, user: string): Promise<number> {
  return await printInvited(world, given, {
    async online() {
      const client = toClient(world, given)
      return await client.call('POST', `${PATH}/${await find(client, given, user)}/invitation`, inTenant(given))
    },
    offline: (config) => world.inviteUser(config, readEmail(user)),
  })
}

async function change(world: World, given: Given, user: string): Promise<number> {
  const { name, role, state } = given
  const body = omitUndefined({ name, role: role === undefined ? undefined : readRole(role), state: readState(state) })
  if (Object.keys(body).length === 0) throw usageError('nothing to change: pass --role, --name or --state')
  const client = toClient(world, given)
  const changed = await client.call('PATCH', `${PATH}/${await find(client, given, user)}`, { ...inTenant(given), body })
  const text = ['email', 'role', 'state'].map((key) => textIn(changed, key)).join(' ')
  world.out.write(given.json === true ? `${JSON.stringify(changed)}\n` : `${toPlain(text)}\n`)
  return EXIT.ok
}

async function remove(world: World, given: Given, user: string): Promise<number> {
  const client = toClient(world, given)
  const id = await find(client, given, user)
  await client.call('DELETE', `${PATH}/${id}`, inTenant(given))
  world.out.write(given.json === true ? `${JSON.stringify({ id, state: 'removed' })}\n` : `${toPlain(user)} removed\n`)
  return EXIT.ok
}

/** The id of the user with this address or id. */
async function find(client: Client, given: Given, user: string): Promise<string> {
  const all = listIn(await client.call('GET', PATH, inTenant(given)), 'items')
  const wanted = user.toLowerCase()
  const found = all.find((one) => textIn(one, 'email') === wanted || textIn(one, 'id') === wanted)
  const id = found && textIn(found, 'id')
  if (id === undefined) throw failure(`no user ${toPlain(user)} in this tenant; \`pombo users list\` shows them`)
  return id
}

type Config = ReturnType<typeof loadConfig>
type Ways = Readonly<{ online: () => Promise<Json>; offline: (config: Config) => Promise<InvitedUser> }>

/** Asks the gateway; without one, or without a token for it, works on its stores. */
async function printInvited(world: World, given: Given, { online, offline }: Ways): Promise<number> {
  const config = loadConfig(world.env, world.readFile)
  const invited = canAsk(config, given)
    ? await online().catch(whenStopped(config, given, offline))
    : await offline(config)
  if (given.json === true) {
    world.out.write(`${JSON.stringify(invited)}\n`)
    return EXIT.ok
  }
  const { user, invitation } = { user: toJson(invited['user']), invitation: toJson(invited['invitation']) }
  const until = toDayTime(textIn(invitation, 'expires_at') ?? '')
  world.err.write(`${toPlain(textIn(user, 'email') ?? '')} can set a password with this link until ${until}\n`)
  world.out.write(`${toPlain(textIn(invitation, 'url') ?? '')}\n`)
  return EXIT.ok
}

/** With an option the gateway is named; otherwise its port and a token for it must be known. */
function canAsk(config: Config, given: Given): boolean {
  const url = given.url ?? config.url
  const token = given.token ?? config.token ?? readJwtSecret(config)
  return url !== undefined || (token !== undefined && config.port !== 0)
}

/** A gateway that was named must answer. */
const whenStopped =
  (config: Config, given: Given, offline: Ways['offline']) =>
  (error: unknown): Promise<Json> => {
    if (!isUnreachable(error) || (given.url ?? config.url) !== undefined) throw error
    return offline(config)
  }

const isUnreachable = (error: unknown): boolean =>
  error instanceof CommandError && error.exitCode === EXIT.unavailable && error.cause !== undefined

function readEmail(text: string): string {
  const email = parseEmailAddress(text)
  if (email === undefined) throw usageError(`${toPlain(text)} is not an email address`)
  return toComparableAddress(email)
}

function readRole(text: string): Role {
  const role = ROLES.find((one) => one === text)
  if (role === undefined) throw usageError(`--role must be one of ${ROLES.join(', ')}`)
  return role
}

function readState(text: string | undefined): string | undefined {
  if (text === undefined || USER_STATES.some((state) => state === text)) return text
  throw usageError(`--state must be ${USER_STATES.join(' or ')}`)
}

function readTenant(text = 'demo'): string {
  if (parseTenantId(text) === undefined) throw usageError('--tenant may contain letters, digits, - and _')
  return text
}
