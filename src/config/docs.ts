/** Renders docs/configuration.md from the schemas that are enforced; a test fails when the page is out of date. */
import type { TObject, TSchema } from 'typebox'
import { SETTINGS } from './config.ts'
import { type FileNote, FileSchema, KINDS } from './file-schema.ts'
import { SINK_KINDS } from './sink-settings.ts'

/** A reference to an environment variable. */
const variable = (name: string): string => `\${${name}}`

/** The example on the page; a test loads it. */
export const EXAMPLE_FILE = {
  providers: [
    { name: 'first', kind: 'simulator', settings: { receipt_delay_ms: 200 } },
    {
      name: 'second',
      kind: 'twilio',
      settings: {
        account_sid: variable('TWILIO_ACCOUNT_SID'),
        auth_token: variable('TWILIO_AUTH_TOKEN'),
        from: '+15005550006',
      },
    },
  ],
  routes: [
    { id: 'default', channel: 'sms', providers: ['first', 'second'] },
    {
      id: 'brazil',
      channel: 'sms',
      prefix: '+55',
      providers: ['second', 'first'],
      retry: { delays_seconds: [1, 5, 30], max_attempts: 4, jitter: 0.25 },
      unknown: { wait_seconds: 30, policy: 'failover' },
    },
  ],
  tenants: {
    acme: { name: 'Acme', providers: ['first'], senders: ['Acme', 'acme.example'], default_locale: 'pt-BR' },
  },
  retention: [
    { channel: 'email', days: 90 },
    { tenant_id: 'acme', days: 365 },
  ],
  sinks: [
    {
      name: 'warehouse',
      kind: 'kafka',
      settings: {
        brokers: ['kafka-1.example:9092', 'kafka-2.example:9092'],
        tls: true,
        sasl: { mechanism: 'SCRAM-SHA-512', username: 'pombo', password: variable('KAFKA_PASSWORD') },
      },
    },
    {
      name: 'crm',
      kind: 'amqp',
      types: ['sms.events.status.v1'],
      settings: { url: variable('CRM_AMQP_URL'), exchange: 'pombo' },
    },
  ],
  alerts: { email: { tenant_id: 'ops', to: ['oncall@acme.example'] } },
}

export const renderConfigurationDocs = (): string => `# Configuration

<!-- Generated from src/config and src/providers by "npm run docs". Do not edit. -->

Settings are environment variables; an empty variable counts as not set. With a wrong setting Pombo
does not start: it names each wrong setting, says how to fix it, and exits with 78. For a variable that
starts with \`POMBO_\` and is not listed here, it logs a warning.

## Environment

${table(
  ['variable', 'default', 'value', 'description'],
  SETTINGS.map(([, { env, default: value, must, description }]) => [
    `\`${env}\``,
    value === undefined ? '' : `\`${value}\``,
    must,
    description,
  ]),
)}

## Configuration file

\`POMBO_CONFIG\` is the path of a JSON file. A string of the form \`\${NAME}\` is replaced by the
environment variable \`NAME\`, which must be set: keep secrets there. Without \`providers\`, the only
provider is \`simulator\`. Without \`routes\`, the routes \`default\` (SMS) and \`default-email\` use the
providers in the order of the file. Of the rules in \`retention\` the most specific one applies to a message: that of
its tenant and channel, of its tenant, or of its channel; without any, \`POMBO_RETENTION_DAYS\`. The keys of \`tenants\`
are the ids of tenants; more tenants can be created by the API.

${Object.entries(FileSchema.properties)
  .map(([key, schema]) => `### \`${key}\` (${kindOf(schema)})\n\n${fileTable(itemOf(schema))}`)
  .join('\n\n')}

### Provider kinds and their \`settings\`

Kinds with a \`callbacks\` setting send delivery reports to \`{POMBO_PUBLIC_URL}/v1/callbacks/{name}\`.
Pombo rejects callbacks without a valid signature.

${Object.entries(KINDS)
  .map(([kind, { description, settings }]) => `#### \`${kind}\`\n\n${description}\n\n${fileTable(settings)}`)
  .join('\n\n')}

### Kinds of sinks and their \`settings\`

[Sinks](sinks.md) publish integration events for programs outside.

${Object.entries(SINK_KINDS)
  .map(([kind, { description, settings }]) => `#### \`${kind}\`\n\n${description}\n\n${fileTable(settings)}`)
  .join('\n\n')}

Example:

\`\`\`json
${JSON.stringify(EXAMPLE_FILE, null, 2)}
\`\`\`
`

const isObject = (schema: TSchema): schema is TObject => 'properties' in schema

const kindOf = (schema: TSchema): string =>
  'items' in schema ? 'a list' : isObject(schema) ? 'an object' : 'an object, by id'

/** The schema of the items of a list, of the values of an object by id, or of the object itself. */
function itemOf(schema: TSchema): TObject {
  if (isObject(schema)) return schema
  const { items, patternProperties = {} } = schema as TSchema &
    Readonly<{ items?: TObject; patternProperties?: Readonly<Record<string, TObject>> }>
  const [item] = items === undefined ? Object.values(patternProperties) : [items]
  if (item === undefined) throw new Error('a key of the configuration file is neither a list nor an object by id')
  return item
}

const fileTable = (object: TObject): string =>
  table(
    ['key', 'value', 'description'],
    keysOf(object, '').map(({ path, note, isRequired }) => [
      `\`${path}\`${isRequired ? ' (required)' : ''}`,
      note.must,
      note.description,
    ]),
  )

type Key = Readonly<{ path: string; note: FileNote; isRequired: boolean }>

function keysOf(object: TObject, parent: string): Key[] {
  return Object.entries<TSchema>(object.properties).flatMap(([key, schema]) => {
    const path = `${parent}${key}`
    const isRequired = ((object.required ?? []) as readonly string[]).includes(key)
    const inner = 'properties' in schema ? keysOf(schema as TObject, `${path}.`) : []
    return [{ path, note: schema as TSchema & FileNote, isRequired }, ...inner]
  })
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
